"""Small kernels around one atomic each, the way kernels use them: publish after a store, a lock."""

import triton
import triton.language as tl

BLOCK = tl.constexpr(128)


@triton.jit
def add(x, flag, sem: tl.constexpr):
    where = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(flag + where, tl.load(x + where), sem=sem)


@triton.jit
def publish(x, flag, sem: tl.constexpr):
    where = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + where, where)
    tl.atomic_add(flag, 1, sem=sem)


@triton.jit
def exchange(x, flag, sem: tl.constexpr):
    where = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + where, where)
    tl.atomic_xchg(flag, 1, sem=sem)


@triton.jit
def lock(x, flag, sem: tl.constexpr):
    where = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + where, where)
    old = tl.atomic_cas(flag, 0, 1, sem=sem)
    tl.store(x, old)


@triton.jit
def planted(x, flag, sem: tl.constexpr):
    # Barriers asked for by hand: whoever counts barriers has to see these two.
    where = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + where, where)
    tl.debug_barrier()
    tl.atomic_add(flag, 1, sem=sem)
    tl.debug_barrier()
    tl.store(x + where, where + 1)


@triton.jit
def load(x, flag, sem: tl.constexpr):
    tl.store(x, tl.atomic_load(flag, sem=sem))


@triton.jit
def store(x, flag, sem: tl.constexpr):
    tl.store(x, 1)
    tl.atomic_store(flag, 1, sem=sem)


@triton.jit
def poll(x, flag, sem: tl.constexpr):
    tl.atomic_poll(flag, 1, sem=sem)
    tl.store(x, 1)
