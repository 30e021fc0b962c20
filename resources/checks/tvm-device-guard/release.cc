// The thread stands on cuda:1 and releases what belongs to cuda:0: a tensor's memory, a stream,
// and pooled memory shared by CUDA IPC. Prints one line a release:
// name, device before, device after, whether the runtime accepted the release.
#include <cstdio>

#include "guards.h"

namespace {

constexpr int kOwner = 0;
constexpr int kHome = 1;
constexpr std::size_t kBytes = 1 << 20;

template <class Release>
void Released(const char* name, Release release) {
  Stand(kHome);
  int before = Current();
  bool accepted = false;
  {
    Guard guard(kOwner);
    accepted = release() == cudaSuccess;
  }
  std::printf("%s %d %d %d\n", name, before, Current(), accepted ? 1 : 0);
  std::fflush(stdout);
}

}  // namespace

int main() {
  if (Devices() < 2) return 2;
  void* tensor = nullptr;
  void* pooled = nullptr;
  cudaStream_t stream = nullptr;
  cudaIpcMemHandle_t handle;
  Stand(kOwner);
  bool made = cudaMalloc(&tensor, kBytes) == cudaSuccess &&
              cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess &&
              cudaMalloc(&pooled, kBytes) == cudaSuccess &&
              cudaIpcGetMemHandle(&handle, pooled) == cudaSuccess &&
              cudaDeviceSynchronize() == cudaSuccess;
  if (!made) return 3;
  Released("tensor", [&] { return cudaFree(tensor); });
  Released("stream", [&] { return cudaStreamDestroy(stream); });
  Released("pooled_ipc", [&] { return cudaFree(pooled); });
  return 0;
}
