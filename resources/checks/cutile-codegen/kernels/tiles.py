"""Kernels in cuTile that name tiles and nothing of threads, warps or copies."""

import cuda.tile as ct


@ct.kernel
def matmul(a, b, out, rows: ct.Constant[int], columns: ct.Constant[int], step: ct.Constant[int]):
    """One tile of a product of matrices."""
    i, j = ct.bid(0), ct.bid(1)
    total = ct.full((rows, columns), 0, dtype=ct.float32)
    for k in range(ct.num_tiles(a, axis=1, shape=(rows, step))):
        x = ct.load(a, index=(i, k), shape=(rows, step), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, index=(k, j), shape=(step, columns), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(x, y, total)
    ct.store(out, index=(i, j), tile=ct.astype(total, out.dtype))


@ct.kernel
def chunk_state(
    x, b, decay, out, step: ct.Constant[int], rows: ct.Constant[int], columns: ct.Constant[int]
):
    """The state of one chunk as in Mamba-2: the decayed inputs, transposed, times b."""
    chunk, head = ct.bid(0), ct.bid(1)
    total = ct.full((rows, columns), 0, dtype=ct.float32)
    for k in range(4):
        xs = ct.load(x, index=(chunk * 4 + k, head), shape=(step, rows))
        bs = ct.load(b, index=(chunk * 4 + k, 0), shape=(step, columns))
        weight = ct.exp(ct.load(decay, index=(chunk * 4 + k, head), shape=(step, 1)))
        scaled = ct.astype(ct.astype(xs, ct.float32) * weight, ct.float16)
        total = ct.mma(ct.transpose(scaled), bs, total)
    ct.store(out, index=(chunk, head), tile=total)


@ct.kernel
def plain(a, b, out, rows: ct.Constant[int], columns: ct.Constant[int], _step: ct.Constant[int]):
    """No product in it, so no tensor core may be found."""
    i, j = ct.bid(0), ct.bid(1)
    x = ct.load(a, index=(i, j), shape=(rows, columns))
    y = ct.load(b, index=(i, j), shape=(rows, columns))
    ct.store(out, index=(i, j), tile=x + y)
