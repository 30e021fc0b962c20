// Three kernels that are nothing but a composition of the other parts.
#include "parts.cuh"
extern "C" __global__ void gated(const float* x, const float* w, const float* v, float* out) {
  const int row = blockIdx.x, lane = threadIdx.x;
  float a[8];
  for (int i = 0; i < width(); ++i) a[i & 7] = x[(row * width() + i) * 32 + lane];
  float g = dot(a, w + lane * width(), width());
  float u = dot(a, v + lane * width(), width());
  Pair p = scaled(Pair{silu(g), u}, 0.125f);
  out[row * 32 + lane] = p.a * p.b;
}
extern "C" __global__ void attended(const float* q, const float* k, const float* v, float* out) {
  const int row = blockIdx.x, lane = threadIdx.x;
  float s = dot(q + row * width(), k + lane * width(), width());
  float e = expf(s - greatest(s));
  out[row * 32 + lane] = __fdividef(e * v[lane], total(e));
}
extern "C" __global__ void normed(const float* x, const float* w, float* out) {
  const int row = blockIdx.x, lane = threadIdx.x;
  float a[8], sum = 0.f;
  for (int i = 0; i < width(); ++i) { a[i & 7] = x[(row * width() + i) * 32 + lane]; }
  sum = total(dot(a, a, width()));
  float r = 1.f / sqrtf(sum * 0.00390625f + 1e-6f);
  for (int i = 0; i < width(); ++i) out[(row * width() + i) * 32 + lane] = silu(a[i & 7] * r * w[i * 32 + lane]);
}
