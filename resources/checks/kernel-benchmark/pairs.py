"""The pair that races: two functions of the user's, or two products of matrices in C."""

from __future__ import annotations

import ctypes
import importlib.util
import math
import os
import random
import shutil
import sys
import time
from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from readproof_harness import Check

    Arms = tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]

N = 96
FLAGS = ("-O2", "-ftree-vectorize", "-shared", "-fPIC", "-std=c99")
POOL = 8
COPIES = 8  # of each program, for where it lies in memory alone can make it a tenth slower
SLOW_IMPORT = 1.0  # seconds; a file that takes longer is imported once


class NoPair(Exception):
    """There is nothing to race; carries an obstacle's code and its parameters."""

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(code)
        self.code = code
        self.params = params


class Pair:
    """Candidate and baseline, what they are given, and what is right."""

    def __init__(
        self,
        candidate: Callable[..., Any],
        baseline: Callable[..., Any],
        inputs: Callable[[int], Sequence[Any]],
        reference: Callable[..., Any] | None,
        name: str,
        copies: Sequence[Arms] = (),
    ) -> None:
        self.copies = list(copies) or [(candidate, baseline, baseline)]
        self.turn = 0  # which of the copies is run
        self.candidate = candidate
        self.baseline = baseline
        self.inputs = inputs
        self.reference = reference or baseline
        self.against = "float64" if reference else "baseline"
        self.name = name

    def arm(self, which: int) -> Callable[..., Any]:
        """Return the candidate (0), the baseline (1) or the baseline again (2), by turns."""

        def call(*given: Any) -> Any:
            return self.copies[self.turn][which](*given)

        return call

    def fresh(self, stretch: int) -> Callable[[int], Sequence[Any]]:
        """Return a giver of input for each sample: never the same numbers twice, made quickly.

        After `stretch` samples it is the next copy's turn.
        """
        pool = [self.inputs(1_000 + each) for each in range(POOL)]

        def give(n: int) -> Sequence[Any]:
            self.turn = n // stretch % len(self.copies)
            given = pool[n % POOL]
            for each in given:
                touch(each, n)
            return given

        return give


def touch(value: Any, n: int) -> None:
    """Change one number a little, so that no earlier result fits any more."""
    if isinstance(value, array) and len(value):
        value[n % len(value)] += 0.001 * (1 + n % 7)
    elif hasattr(value, "view") and hasattr(value, "shape") and value.shape:
        line = value.reshape(-1)
        line[n % len(line)] += 1 if "int" in str(value.dtype) else 0.01 * (1 + n % 7)


def chosen(check: Check) -> Pair:
    """Return the user's pair, else the bundled one; raises NoPair."""
    given = {name: check.chosen[name] for name in ("candidate", "baseline") if name in check.chosen}
    if not given:
        return bundled(check)
    if len(given) == 1:
        lacks = "baseline" if "candidate" in given else "candidate"
        raise NoPair("not_supported", what=f"a race without a {lacks} (--param {lacks}=FILE:NAME)")
    began = time.monotonic()
    try:
        functions = {name: function(value) for name, value in given.items()}
        copies: list[Arms] = []
        if time.monotonic() - began < SLOW_IMPORT:
            of = [given["candidate"], given["baseline"], given["baseline"]]
            copies = [_three([function(v, 3 * n + m) for m, v in enumerate(of)]) for n in _turns()]
    except Exception as error:
        said = f"{type(error).__name__}: {error}"[-300:]
        raise NoPair("import_failed", package=" / ".join(given.values()), said=said) from error
    made = beside(functions["candidate"], "inputs") or beside(functions["baseline"], "inputs")
    if made is None:
        raise NoPair("not_supported", what="a file without a function inputs(seed)")
    right = beside(functions["candidate"], "reference") or beside(
        functions["baseline"], "reference"
    )
    name = " / ".join(value.rpartition(":")[2] for value in given.values())
    return Pair(functions["candidate"], functions["baseline"], made, right, name, copies)


def _turns() -> range:
    return range(1, COPIES + 1)


def _three(arms: Sequence[Callable[..., Any]]) -> Arms:
    candidate, baseline, again = arms
    return candidate, baseline, again


def function(value: str, copy: int = 0) -> Any:
    """Import FILE:NAME from wherever it lies; its own folder is searched for its imports.

    Each copy is a module of its own.
    """
    file, _colon, name = value.rpartition(":")
    key = f"users_{abs(hash(file))}_{copy}"
    if key not in sys.modules:
        spec = importlib.util.spec_from_file_location(key, file)
        if spec is None or spec.loader is None:
            raise ImportError(file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[key] = module
        sys.path.append(str(Path(file).parent))
        spec.loader.exec_module(module)
    return getattr(sys.modules[key], name)


def beside(one: Any, name: str) -> Any:
    """Return a function that stands in the same file, None where there is none."""
    return getattr(sys.modules.get(getattr(one, "__module__", ""), None), name, None)


def bundled(check: Check) -> Pair:
    """Compile the two products; raises NoPair without a compiler."""
    compiler = os.environ.get("CC") or next(filter(shutil.which, ("cc", "gcc", "clang")), None)
    if compiler is None:
        raise NoPair("tool_missing", tool="cc")
    library = check.scratch / "matmul.so"
    source = check.folder / "matmul.c"
    done = check.run([*compiler.split(), *FLAGS, source, "-o", library], seconds=60)
    if done.returncode:
        raise NoPair("tool_failed", tool=compiler, said=done.stderr[-300:])
    first = check.run([compiler.split()[0], "--version"], seconds=20).stdout.splitlines()
    check.tool("cc", compiler, first[0] if first else "")
    check.artefact("matmul.c", source.read_text(encoding="utf-8"))
    names = ("by_row", "by_element", "by_element")
    copies = [
        _three([product(_copied(library, 3 * n + m), each) for m, each in enumerate(names)])
        for n in _turns()
    ]
    candidate, baseline, _again = copies[0]
    return Pair(candidate, baseline, matrices, right, "by_row / by_element", copies)


def _copied(library: Path, copy: int) -> Any:
    """Load a copy of a library: the same code at another place."""
    place = library.with_name(f"{library.stem}-{copy}{library.suffix}")
    shutil.copyfile(library, place)
    return ctypes.CDLL(str(place))


def product(built: Any, name: str) -> Callable[..., Any]:
    """Return one of the products as a function of two matrices."""
    call = getattr(built, name)
    call.restype = None
    pointer = ctypes.c_void_p

    def multiply(a: Any, b: Any) -> Any:
        out = array("f", bytes(4 * N * N))
        places = (pointer(each.buffer_info()[0]) for each in (a, b, out))
        call(N, *places)
        return out

    return multiply


def matrices(seed: int) -> list[Any]:
    """Return two matrices of normal random numbers in float32."""
    dice = random.Random(seed)
    return [array("f", (dice.gauss(0, 1) for _each in range(N * N))) for _matrix in range(2)]


def right(a: Any, b: Any) -> list[float]:
    """Return the product in float64, each sum without an error of its own."""
    columns = [b[j::N] for j in range(N)]
    rows = [a[i * N : (i + 1) * N] for i in range(N)]
    return [math.fsum(map(float.__mul__, row, column)) for row in rows for column in columns]
