"""Batched matrix products, each by one block; and two plain ones whose instructions are known."""

import triton
import triton.language as tl


@triton.jit
def batched(
    a,
    b,
    out,
    batch: tl.constexpr,
    rows: tl.constexpr,
    columns: tl.constexpr,
    depth: tl.constexpr,
):
    first = tl.program_id(0) * batch
    which = (first + tl.arange(0, batch))[:, None, None]
    m, n, k = tl.arange(0, rows), tl.arange(0, columns), tl.arange(0, depth)
    m, n = m[None, :, None], n[None, None, :]
    left = tl.load(a + which * rows * depth + m * depth + k[None, None, :])
    right = tl.load(b + which * depth * columns + k[None, :, None] * columns + n)
    tl.store(out + which * rows * columns + m * columns + n, tl.dot(left, right))


@triton.jit
def plain(
    a,
    b,
    out,
    batch: tl.constexpr,
    rows: tl.constexpr,
    columns: tl.constexpr,
    depth: tl.constexpr,
):
    # Two dimensions: what the compiler has long done well.
    tl.static_assert(batch == 1)
    m, n, k = tl.arange(0, rows)[:, None], tl.arange(0, columns)[None, :], tl.arange(0, depth)
    left = tl.load(a + m * depth + k[None, :])
    right = tl.load(b + k[:, None] * columns + n)
    tl.store(out + m * columns + n, tl.dot(left, right))


@triton.jit
def planted(
    a,
    b,
    out,
    batch: tl.constexpr,
    rows: tl.constexpr,
    columns: tl.constexpr,
    depth: tl.constexpr,
):
    # Twice the work of `plain`: whoever counts instructions has to see it.
    tl.static_assert(batch == 1)
    m, n, k = tl.arange(0, rows)[:, None], tl.arange(0, columns)[None, :], tl.arange(0, depth)
    left = tl.load(a + m * depth + k[None, :])
    right = tl.load(b + k[:, None] * columns + n)
    first = tl.dot(left, right)
    second = tl.dot(left + left, right)
    tl.store(out + m * columns + n, first * second)
