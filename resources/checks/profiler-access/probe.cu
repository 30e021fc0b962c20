// Two kernels whose limits are known: one only moves memory, one only computes.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void moves(const float4* from, float4* to, long count) {
  for (long i = blockIdx.x * long(blockDim.x) + threadIdx.x; i < count;
       i += long(gridDim.x) * blockDim.x)
    to[i] = from[i];
}

__global__ void computes(float* out, int rounds) {
  float a = threadIdx.x, b = 1.000001f, c = 0.5f, d = 0.25f;
  for (int i = 0; i < rounds; ++i) {
    a = a * b + c;
    c = c * b + d;
    d = d * b + a;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + c + d;
}

int main() {
  const long bytes = 256l << 20;
  float4 *from, *to;
  if (cudaMalloc(&from, bytes) != cudaSuccess || cudaMalloc(&to, bytes) != cudaSuccess) {
    std::fprintf(stderr, "no memory on the device\n");
    return 2;
  }
  moves<<<2048, 256>>>(from, to, bytes / long(sizeof(float4)));
  computes<<<2048, 256>>>(reinterpret_cast<float*>(to), 20000);
  cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
