// More live values than registers: at 32 registers ptxas has to spill.
extern "C" __global__ void spilling(const float* from, float* to, int rounds) {
  float v[48];
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 48; ++i) v[i] = from[at * 48 + i];
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < 48; ++i) v[i] = fmaf(v[(i + 7) % 48], v[(i + 19) % 48], v[i] * 0.5f);
  }
  float sum = 0.f;
#pragma unroll
  for (int i = 0; i < 48; ++i) sum += v[i];
  to[at] = sum;
}
