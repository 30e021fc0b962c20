"""batch-invariance without PyTorch: what a survey comes to, and what a GPU's is judged as."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reader.model import VerdictKind as V
from tests.test_checks_scripts import handed, modules, parameters, verdicts

__all__ = ["handed"]

NAME = "batch-invariance"
CONTROL = {"planted": 3, "planted_found": 3, "innocent_found": 0}
A_GPU = [{"name": "a GPU", "compute_capability": "9.0"}]
MATMULS = ("mm", "linear", "attention_decode")
OTHERS = ("softmax", "layer_norm", "sum")


@pytest.fixture
def script(tmp_path: Path) -> Iterator[Any]:
    with modules(NAME, tmp_path) as folder:
        found: Any = importlib.import_module("check")
        found.folder = folder
        yield found


def survey(**violating: list[int]) -> list[dict[str, Any]]:
    """Return a survey's rows; the operations named violate at these sizes in float32."""
    return [
        {
            "operation": name,
            "dtype": dtype,
            "sizes": violating.get(name, []) if dtype == "float32" else [],
            "repeats_differ": False,
        }
        for name in (*MATMULS, *OTHERS)
        for dtype in ("float32", "float16", "bfloat16")
    ]


def failing() -> list[dict[str, Any]]:
    rows = survey()
    return [{"operation": r["operation"], "dtype": r["dtype"], "said": "no"} for r in rows]


CPU = [
    ("none", survey(), (V.INCONCLUSIVE, V.CONFIRMED, V.CONFIRMED, V.NOT_APPLICABLE)),
    ("mm", survey(mm=[1, 2]), (V.CONFIRMED, V.REFUTED, V.CONFIRMED, V.CONFIRMED)),
    ("softmax", survey(softmax=[9]), (V.CONFIRMED, V.CONFIRMED, V.REFUTED, V.CONFIRMED)),
    ("not even repeatable", [r | {"repeats_differ": True} for r in survey(mm=[1])],
     (V.CONFIRMED, V.REFUTED, V.CONFIRMED, V.REFUTED)),
    ("nothing runs", failing(), (V.COULD_NOT_RUN,) * 4),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "expected"), [row[1:] for row in CPU], ids=[r[0] for r in CPU])
def test_what_a_survey_comes_to(
    tmp_path: Path, script: Any, rows: list[dict[str, Any]], expected: tuple[V, ...]
) -> None:
    check = script.Check(parameters(NAME, script.folder, tmp_path))
    check.measure("threads", 2)
    check.measure("one_thread_violating", 0)
    check.measure("changed_by_threads", 0)
    script.report(check, rows, "", script.CPU)
    script.users(check)
    check.control_done()
    check.finish()
    found = verdicts(NAME, tmp_path, CONTROL)
    assert tuple(found[claim] for claim in script.CPU) == expected
    assert found["users"] is V.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (survey(), (V.CONFIRMED, V.CONFIRMED)),
        (survey(linear=[1, 63]), (V.REFUTED, V.CONFIRMED)),
        (survey(sum=[17]), (V.CONFIRMED, V.REFUTED)),
        (failing(), (V.COULD_NOT_RUN, V.COULD_NOT_RUN)),
    ],
    ids=["none", "linear", "sum", "nothing runs"],
)
def test_what_a_gpu_gives_is_judged(
    tmp_path: Path, script: Any, handed: Any, rows: list[dict[str, Any]], expected: tuple[V, ...]
) -> None:
    handed({"survey": rows})
    check = script.Check(parameters(NAME, script.folder, tmp_path, gpus=A_GPU))
    script.on_gpu(check)
    check.control_done()
    check.finish()
    found = verdicts(NAME, tmp_path, CONTROL)
    assert tuple(found[claim] for claim in script.ON_GPU) == expected


def test_a_users_function_that_cannot_be_tried_is_no_verdict(tmp_path: Path, script: Any) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import nothing_of_this_name\n", "utf-8")
    chosen = {"function": f"{file}:f"}
    check = script.Check(parameters(NAME, script.folder, tmp_path, chosen=chosen))
    script.users(check)
    check.control_done()
    check.finish()
    assert verdicts(NAME, tmp_path, CONTROL)["users"] is V.COULD_NOT_RUN
