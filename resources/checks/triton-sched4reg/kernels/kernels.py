"""Three kernels of different character: a reduction, a tile of tensor cores, integer products."""

import triton
import triton.language as tl


@triton.jit
def layernorm(x, weight, bias, out, n, eps, block: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, block)
    inside = columns < n
    value = tl.load(x + row * n + columns, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(value, axis=0) / n
    centred = tl.where(inside, value - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / n
    scale = tl.load(weight + columns, mask=inside, other=1.0).to(tl.float32)
    shift = tl.load(bias + columns, mask=inside, other=0.0).to(tl.float32)
    result = centred / tl.sqrt(variance + eps) * scale + shift
    tl.store(out + row * n + columns, result, mask=inside)


@triton.jit
def matmul(a, b, c, k, m: tl.constexpr, n: tl.constexpr, step: tl.constexpr):
    rows = tl.arange(0, m)
    columns = tl.arange(0, n)
    inner = tl.arange(0, step)
    total = tl.zeros((m, n), dtype=tl.float32)
    for start in range(0, k, step):
        left = tl.load(a + rows[:, None] * k + (start + inner)[None, :])
        right = tl.load(b + (start + inner)[:, None] * n + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * n + columns[None, :], total)


@triton.jit
def products(x, y, out, n, block: tl.constexpr):
    where = tl.program_id(0) * block + tl.arange(0, block)
    inside = where < n
    left = tl.load(x + where, mask=inside, other=0)
    right = tl.load(y + where, mask=inside, other=0)
    first = left * right
    second = (left + 3) * (right + 5)
    third = first * second + left
    tl.store(out + where, first, mask=inside)
    tl.store(out + n + where, second, mask=inside)
    tl.store(out + 2 * n + where, third * 7, mask=inside)
