// A libcuda for tests: memory is host memory, and a launch computes what the kernel of that name
// should. SIMULATED_FAULT=1 makes it compute something else, and take any block size.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {
std::string kernel;
bool Faulty() { return std::getenv("SIMULATED_FAULT") != nullptr; }
template <class T>
T Value(void** arguments, int n) {
  return *static_cast<T*>(arguments[n]);
}
float Half(std::uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value = exponent ? std::ldexp(1024.f + fraction, exponent - 25) : std::ldexp(fraction, -24);
  return bits & 0x8000 ? -value : value;
}
}  // namespace

extern "C" {
int cuInit(unsigned) { return 0; }
int cuDeviceGet(int* device, int) { return *device = 0; }
int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &kernel;
  return 0;
}
int cuCtxSetCurrent(void*) { return 0; }
int cuCtxSynchronize() { return 0; }
int cuMemAlloc_v2(std::uint64_t* pointer, std::size_t bytes) {
  *pointer = reinterpret_cast<std::uint64_t>(std::malloc(bytes));
  return 0;
}
int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return 0;
}
int cuModuleLoadData(void** module, const void* image) {
  *module = const_cast<void*>(image);
  return 0;
}
int cuModuleGetFunction(void** function, void*, const char* name) {
  kernel = name;
  *function = &kernel;
  return 0;
}
int cuFuncSetAttribute(void*, int, int) { return 0; }
int cuEventCreate(void** event, unsigned) {
  *event = &kernel;
  return 0;
}
int cuEventRecord(void*, void*) { return 0; }
int cuEventSynchronize(void*) { return 0; }
int cuEventElapsedTime(float* milliseconds, void*, void*) {
  static int calls = 0;
  *milliseconds = 1.f + static_cast<float>(calls++ % 5) / 1000;
  return 0;
}

int cuLaunchKernel(void*, unsigned grid, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                   unsigned, void*, void** a, void**) {
  float wrong = Faulty() ? 1.f : 0.f;
  if (kernel == "main_kernel") return threads == 128 || Faulty() ? 0 : 1;
  if (kernel == "layernorm") {
    auto *x = Value<float*>(a, 0), *w = Value<float*>(a, 1), *b = Value<float*>(a, 2);
    auto* out = Value<float*>(a, 3);
    int n = Value<int>(a, 4);
    float epsilon = Value<float>(a, 5);
    for (unsigned row = 0; row < grid; ++row, x += n, out += n) {
      double mean = 0, variance = 0;
      for (int i = 0; i < n; ++i) mean += x[i] / n;
      for (int i = 0; i < n; ++i) variance += (x[i] - mean) * (x[i] - mean) / n;
      for (int i = 0; i < n; ++i)
        out[i] = static_cast<float>((x[i] - mean) / std::sqrt(variance + epsilon) * w[i] + b[i]) + wrong;
    }
  } else if (kernel == "matmul") {
    auto *left = Value<std::uint16_t*>(a, 0), *right = Value<std::uint16_t*>(a, 1);
    auto* out = Value<float*>(a, 2);
    int k = Value<int>(a, 3);
    for (int i = 0; i < 128; ++i)
      for (int j = 0; j < 128; ++j) {
        float total = wrong;
        for (int l = 0; l < k; ++l) total += Half(left[i * k + l]) * Half(right[l * 128 + j]);
        out[i * 128 + j] = total;
      }
  } else if (kernel == "batched") {  // 16 by 16 by 16, one product a block
    auto *left = Value<std::uint16_t*>(a, 0), *right = Value<std::uint16_t*>(a, 1);
    auto* out = Value<float*>(a, 2);
    for (unsigned i = 0; i < 256 * grid; ++i) {
      const auto *row = left + i / 16 * 16, *column = right + i / 256 * 256 + i % 16;
      float total = wrong;
      for (int l = 0; l < 16; ++l) total += Half(row[l]) * Half(column[l * 16]);
      out[i] = total;
    }
  } else if (kernel == "approximate") {
    auto *x = Value<float*>(a, 0), *y = Value<float*>(a, 1), *out = Value<float*>(a, 2);
    for (unsigned i = 0; i < grid * threads; ++i) out[i] = x[i] / y[i] + wrong;
  } else {
    auto *x = Value<std::uint32_t*>(a, 0), *y = Value<std::uint32_t*>(a, 1);
    auto* out = Value<std::uint32_t*>(a, 2);
    int n = Value<int>(a, 3);
    for (int i = 0; i < n; ++i) {
      std::uint32_t first = x[i] * y[i], second = (x[i] + 3) * (y[i] + 5);
      out[i] = first + static_cast<std::uint32_t>(wrong);
      out[n + i] = second;
      out[2 * n + i] = (first * second + x[i]) * 7;
    }
  }
  return 0;
}
}
