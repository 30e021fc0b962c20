"""Programs in which a buffer goes by several names: through branches, loops, selections, views."""

from __future__ import annotations

from dataclasses import dataclass

B = "memref<100xi8>"


@dataclass(frozen=True)
class Flow:
    """A program, and the pairs of its buffers (by order) that must not share a byte."""

    name: str
    text: str
    buffers: int
    apart: tuple[tuple[int, int], ...] = ()


def _function(signature: str, body: str) -> str:
    return f"func.func @f({signature}) {{\n{body}  return\n}}\n"


def _alloc(*names: str) -> str:
    return "".join(f"  %{name} = memref.alloc() : {B}\n" for name in names)


def _free(*names: str) -> str:
    return "".join(f"  memref.dealloc %{name} : {B}\n" for name in names)


def _use(*names: str) -> str:
    values, kinds = ", ".join(f"%{name}" for name in names), ", ".join([B] * len(names))
    return f'  "test.use"({values}) : ({kinds}) -> ()\n'


_IF = (
    f"  %x = scf.if %c -> {B} {{\n    scf.yield %a : {B}\n  }} else {{\n"
    f"    scf.yield %b : {B}\n  }}\n"
)
_FOR = (
    "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
    "  %x, %y = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b)"
    f" -> ({B}, {B}) {{\n    scf.yield %q, %p : {B}, {B}\n  }}\n"
)
_SELECT = f"  %x = arith.select %c, %a, %b : {B}\n"
ALL_APART = ((0, 1), (0, 2), (1, 2))

# What the source says is followed: each has to be planned, with what lives together apart.
FLOWS = (
    Flow(
        "scf.if that yields one of two",
        _function("%c: i1", _alloc("a", "b") + _IF + _alloc("d") + _use("x", "d")
                  + _free("a", "b", "d")), 3, ALL_APART,
    ),
    Flow(
        "scf.if that frees inside",
        _function("%c: i1", _alloc("a", "d") + "  scf.if %c {\n" + _use("a") + _free("a") + "  }\n"
                  + _use("d") + _free("d")), 2, ((0, 1),),
    ),
    Flow(
        "scf.for that swaps two",
        _function("%n: index", _alloc("a", "b") + _FOR + _alloc("d") + _use("x", "d")
                  + _free("d", "x", "y")), 3, ALL_APART,
    ),
    Flow(
        "arith.select of two",
        _function("%c: i1", _alloc("a", "b") + _SELECT + _alloc("d") + _use("x", "d")
                  + _free("a", "b", "d")), 3, ALL_APART,
    ),
    Flow(
        "freed by the name of a view",
        _function("", _alloc("a") + f"  %x = memref.cast %a : {B} to memref<?xi8>\n" + _alloc("d")
                  + _use("d") + "  memref.dealloc %x : memref<?xi8>\n" + _free("d")), 2, ((0, 1),),
    ),
    Flow(
        "one after the other",
        _function("", _alloc("a") + _use("a") + _free("a") + _alloc("d") + _use("d") + _free("d")),
        2,
    ),
)  # fmt: skip

# Branches of cf, which the source names beside those of scf.
BRANCHES = (
    Flow(
        "cf.cond_br",
        _function("%c: i1", _alloc("a", "b") + f"  cf.cond_br %c, ^o(%a : {B}), ^o(%b : {B})\n"
                  f"^o(%x: {B}):\n" + _use("x") + _free("a", "b")), 2, ((0, 1),),
    ),
    Flow(
        "cf.br",
        _function("", _alloc("a", "b") + f"  cf.br ^o(%a : {B})\n^o(%x: {B}):\n" + _use("x", "b")
                  + _free("a", "b")), 2, ((0, 1),),
    ),
)  # fmt: skip

# A free of "own or the caller's" must stay: dropped, it would leave the caller's unfreed.
GUARDED = (
    Flow("arith.select", _function(
        f"%c: i1, %b: {B}", _alloc("a") + _SELECT + _use("x") + _free("x") + _alloc("d")
        + _free("d")
    ), 2),
    Flow("scf.if", _function(
        f"%c: i1, %b: {B}", _alloc("a") + _IF + _use("x") + _free("x") + _alloc("d") + _free("d")
    ), 2),
    Flow("scf.for", _function(
        f"%n: index, %b: {B}", _alloc("a") + _FOR + _use("x") + _free("x") + _alloc("d")
        + _free("d")
    ), 2),
    Flow("memref.cast", _function(
        f"%c: i1, %b: {B}", _alloc("a") + f"  %v = memref.cast %b : {B} to memref<?xi8>\n"
        f"  %w = memref.cast %a : {B} to memref<?xi8>\n"
        "  %x = arith.select %c, %w, %v : memref<?xi8>\n  memref.dealloc %x : memref<?xi8>\n"
        + _alloc("d") + _free("d")
    ), 2),
)  # fmt: skip


def in_argument(given: int) -> str:
    """Return a program of 230 bytes whose arena of `given` bytes is an argument."""
    body = "  %a = memref.alloc() : memref<50xf32>\n  %d = memref.alloc() : memref<30xi8>\n"
    body += '  "test.use"(%a, %d) : (memref<50xf32>, memref<30xi8>) -> ()\n'
    body += "  memref.dealloc %a : memref<50xf32>\n  memref.dealloc %d : memref<30xi8>\n"
    return _function(f"%arena: memref<{given}xi8>", body)


def all_alive(count: int) -> str:
    """Return a program of `count` buffers that all live to the end."""
    kinds = [f"memref<{16 + number % 7}xi8>" for number in range(count)]
    lines = [f"  %b{n} = memref.alloc() : {kind}\n" for n, kind in enumerate(kinds)]
    lines += [f"  memref.dealloc %b{n} : {kind}\n" for n, kind in enumerate(kinds)]
    return _function("", "".join(lines))
