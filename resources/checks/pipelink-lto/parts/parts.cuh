// What the parts promise one another; nothing of how they do it.
#pragma once
#ifndef PART
#define PART  // the control compiles a part as one that is never inlined
#endif
struct Pair { float a, b; };
__device__ int width();
__device__ float dot(const float* x, const float* y, int n);
__device__ float silu(float x);
__device__ Pair scaled(Pair p, float s);
__device__ float total(float x);
__device__ float greatest(float x);
