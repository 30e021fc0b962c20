// Ten ways through a guarded scope. Prints one line a case:
// name, device before, device wanted inside, device inside, device after the scope.
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <thread>

#include "guards.h"

namespace {

constexpr int kHome = 1;   // where the thread stands
constexpr int kOther = 0;  // whose resource is released
constexpr int kNowhere = 999;

struct Inside {
  int wanted;
  int seen;
};

void Case(const char* name, const std::function<Inside()>& scope) {
  Stand(kHome);
  int before = Current();
  Inside inside = scope();
  std::printf("%s %d %d %d %d\n", name, before, inside.wanted, inside.seen, Current());
  std::fflush(stdout);
}

Inside Switch() {
  Guard guard(kOther);
  return {kOther, Current()};
}

Inside SameDevice() {
  Guard guard(kHome);
  return {kHome, Current()};
}

// Resources of every device, one after another, as a destructor of a container would.
Inside Sequence() {
  int right = 0;
  int devices = Devices();
  for (int device = 0; device < devices; ++device) {
    Guard guard(device);
    right += Current() == device;
  }
  return {devices, right};
}

Inside BodySwitches() {
  Guard guard(kOther);
  int seen = Current();
  cudaSetDevice(Devices() - 1);
  return {kOther, seen};
}

Inside Nested() {
  Guard outer(kOther);
  { Guard inner(Devices() - 1); }
  return {kOther, Current()};
}

Inside NestedSame() {
  Guard outer(kOther);
  { Guard inner(kOther); }
  return {kOther, Current()};
}

Inside Exception() {
  int seen = -1;
  try {
    Guard guard(kOther);
    seen = Current();
    throw std::runtime_error("the release failed");
  } catch (const std::runtime_error&) {
  }
  return {kOther, seen};
}

// The guard has to refuse the device; inside counts the refusals.
Inside InvalidIndex() {
  int refused = 0;
  try {
    Guard guard(kNowhere);
  } catch (const std::exception&) {
    refused = 1;
  }
  cudaGetLastError();
  return {1, refused};
}

// Another thread stands elsewhere; its guard must bring it back there, and not touch this thread.
Inside Threads() {
  int elsewhere = Devices() - 1;
  int seen = -1;
  std::thread worker([&] {
    Stand(elsewhere);
    { Guard guard(kOther); }
    seen = Current();
  });
  worker.join();
  return {elsewhere, seen};
}

// The guard has nothing to switch, and the body itself moves away.
Inside SelfSwitch() {
  Guard guard(kHome);
  int seen = Current();
  cudaSetDevice(kOther);
  return {kHome, seen};
}

}  // namespace

int main() {
  if (Devices() < 2) return 2;
  Case("switch", Switch);
  Case("same_device", SameDevice);
  Case("sequence", Sequence);
  Case("body_switches", BodySwitches);
  Case("nested", Nested);
  Case("nested_same", NestedSame);
  Case("exception", Exception);
  Case("invalid_index", InvalidIndex);
  Case("threads", Threads);
  Case("self_switch", SelfSwitch);
  return 0;
}
