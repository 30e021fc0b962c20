// What the guard's header needs of the CUDA runtime, for a machine without one: four devices,
// the current one kept for each thread, and resources that remember which device made them.
#pragma once
#include <cstddef>
#include <cstdlib>

constexpr int kDevices = 4;
inline thread_local int simulated_current = 0;

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorInvalidDevice = 101 };
constexpr unsigned cudaStreamNonBlocking = 1;

struct SimulatedResource {
  int device;
};
using cudaStream_t = SimulatedResource*;
struct cudaIpcMemHandle_t {
  char reserved[64];
};

inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = kDevices;
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = simulated_current;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= kDevices) return cudaErrorInvalidDevice;
  simulated_current = device;
  return cudaSuccess;
}
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorInvalidDevice ? "cudaErrorInvalidDevice" : "cudaErrorInvalidValue";
}
inline const char* cudaGetErrorString(cudaError_t) { return "simulated"; }

inline cudaError_t cudaMalloc(void** pointer, std::size_t) {
  *pointer = new SimulatedResource{simulated_current};
  return cudaSuccess;
}
// A resource is released on the device that made it: this is why the old code switched at all.
inline cudaError_t cudaFree(void* pointer) {
  auto* resource = static_cast<SimulatedResource*>(pointer);
  bool here = resource->device == simulated_current;
  delete resource;
  return here ? cudaSuccess : cudaErrorInvalidValue;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new SimulatedResource{simulated_current};
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) { return cudaFree(stream); }
inline cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void*) {
  *handle = cudaIpcMemHandle_t{};
  return cudaSuccess;
}
