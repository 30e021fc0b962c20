// TVM's guard, and what its release paths did before: a bare cudaSetDevice. Both have one shape, so
// that the same cases run with either.
#pragma once
#ifdef READPROOF_GUARD_HEADER
#include <tvm/ffi/extra/cuda/device_guard.h>
using Guard = tvm::ffi::CUDADeviceGuard;
constexpr const char* kVariant = "guard";
#else
#include <cuda_runtime.h>

#include <stdexcept>
struct Guard {
  explicit Guard(int device) {
    if (cudaSetDevice(device) != cudaSuccess) {
      cudaGetLastError();
      throw std::runtime_error("cudaSetDevice");
    }
  }
};
constexpr const char* kVariant = "bare";
#endif

inline int Current() {
  int device = -1;
  cudaGetDevice(&device);
  return device;
}

inline void Stand(int device) { cudaSetDevice(device); }

inline int Devices() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}
