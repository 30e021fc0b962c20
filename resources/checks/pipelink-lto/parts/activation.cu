// The parts that other files call: activations and reductions of a warp.
#include "parts.cuh"
__device__ float silu(float x) { return __fdividef(x, 1.f + expf(-x)); }
__device__ Pair scaled(Pair p, float s) { return Pair{p.a * s, p.b * expf(-s)}; }
