"""One division each, asked for in every way Triton knows."""

import triton
import triton.language as tl

BLOCK = tl.constexpr(128)


@triton.jit
def approximate(x, y, out):
    where = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + where, tl.fdiv(tl.load(x + where), tl.load(y + where), approx=True))


@triton.jit
def slash(x, y, out):
    where = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + where, tl.load(x + where) / tl.load(y + where))


@triton.jit
def fdiv(x, y, out):
    where = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + where, tl.fdiv(tl.load(x + where), tl.load(y + where)))


@triton.jit
def fdiv_rounded(x, y, out):
    where = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    divided = tl.fdiv(tl.load(x + where), tl.load(y + where), ieee_rounding=True)
    tl.store(out + where, divided)


@triton.jit
def div_rn(x, y, out):
    where = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + where, tl.div_rn(tl.load(x + where), tl.load(y + where)))


@triton.jit
def softmax(x, y, out):
    where = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + where, tl.softmax(tl.load(x + where)) + tl.load(y + where))


@triton.jit
def sigmoid(x, y, out):
    where = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + where, tl.sigmoid(tl.load(x + where)) + tl.load(y + where))


@triton.jit
def refused_rounding(x, y, out):
    where = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    one, other = tl.load(x + where), tl.load(y + where)
    tl.store(out + where, tl.fdiv(one, other, ieee_rounding=True, approx=True))


@triton.jit
def planted(x, y, out):
    # The instruction written by hand: whoever looks for it has to see it in any Triton.
    where = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    divided = tl.inline_asm_elementwise(
        "div.approx.f32 $0, $1, $2;",
        "=f,f,f",
        [tl.load(x + where), tl.load(y + where)],
        dtype=tl.float32,
        is_pure=True,
        pack=1,
    )
    tl.store(out + where, divided)
