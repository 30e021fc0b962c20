// A constant of the contract and a product: the link has to fold the one and unroll the other.
#include "parts.cuh"
__device__ int width() { return 8; }
PART __device__ float dot(const float* x, const float* y, int n) {
  float s = 0.f;
  for (int i = 0; i < n; ++i) s = fmaf(x[i], y[i], s);
  return s;
}
