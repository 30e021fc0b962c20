"""iree-313 in its real environments: as it is, with one version's tools in the other, and broken.

A false IREE is the installed one with its tools exchanged for scripts; the check stays as it is.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import falsified
from tests.records import pythons_of
from tests.test_real_checks import (
    CONFIRMED,
    COULD_NOT_RUN,
    NOT_APPLICABLE,
    REFUTED,
    expect,
    leg_without_package,
    run,
)

pytestmark = pytest.mark.real

IREE = "iree-313"
COMPILER = "compiler/_mlir_libs"
RUNTIME = "_runtime_libs"
PLACES = {
    "iree-compile": COMPILER,
    "iree-opt": COMPILER,
    "iree-benchmark-module": RUNTIME,
    "iree-run-module": RUNTIME,
}


@pytest.fixture(scope="module")
def irees() -> tuple[str, ...]:
    return tuple(pythons_of(IREE))


def with_tools(tmp_path: Path, python: str, scripts: dict[str, str]) -> str:
    """Return an interpreter whose IREE has scripts for some tools; {real} is the tool itself."""
    folder, site = tmp_path / "false", falsified.site_of(python)
    untouched = {f"{place}/__init__.py": [("", "")] for place in (COMPILER, RUNTIME)}
    falsified.overlay(site / "iree", folder / "iree", untouched)
    for tool, script in scripts.items():
        program = folder / "iree" / PLACES[tool] / tool
        program.unlink()
        real = site / "iree" / PLACES[tool] / tool
        program.write_text(f"#!/bin/sh\n{script.format(real=real)}\n", encoding="utf-8")
        program.chmod(0o755)
    return falsified.interpreter(python, tmp_path / "venv", folder)


def tools_of(python: str) -> dict[str, str]:
    """Return scripts that run the tools of another environment."""
    site = falsified.site_of(python) / "iree"
    return {tool: f'exec {site / place / tool} "$@"' for tool, place in PLACES.items()}


def test_iree_as_it_is(tmp_path: Path, irees: tuple[str, ...]) -> None:
    assert run(tmp_path, IREE, irees) == {
        "ptx_version": CONFIRMED,
        "fp8": CONFIRMED,
        "fp8_everywhere": REFUTED,  # sm_121 is still refused
        "fp8_sass": CONFIRMED,
        "plugin": CONFIRMED,
        "statistics": CONFIRMED,
        "qdq": CONFIRMED,
        "qdq_numbers": CONFIRMED,
        "scaling": CONFIRMED,
        "scaling_quadratic": REFUTED,  # it was cubic
    }


def test_iree_313_that_brings_nothing(tmp_path: Path, irees: tuple[str, ...]) -> None:
    """The new version does what the old one did: every claim of something new is refuted."""
    python = with_tools(tmp_path, irees[1], tools_of(irees[0]))
    expect(
        run(tmp_path, IREE, (irees[0], python)),
        {
            "ptx_version": REFUTED,
            "fp8": REFUTED,
            "plugin": REFUTED,
            "statistics": REFUTED,
            "qdq": REFUTED,
            "scaling": REFUTED,
            "fp8_sass": COULD_NOT_RUN,
            "qdq_numbers": NOT_APPLICABLE,
        },
    )


def test_iree_312_that_had_it_all(tmp_path: Path, irees: tuple[str, ...]) -> None:
    python = with_tools(tmp_path, irees[0], tools_of(irees[1]))
    expect(
        run(tmp_path, IREE, (python, irees[1])),
        {
            "ptx_version": REFUTED,
            "fp8": REFUTED,
            "plugin": REFUTED,
            "statistics": REFUTED,
            "qdq": REFUTED,
            "scaling": REFUTED,
            "fp8_sass": CONFIRMED,
            "qdq_numbers": CONFIRMED,
        },
    )


def test_iree_that_loses_a_zero_point(tmp_path: Path, irees: tuple[str, ...]) -> None:
    """Only the integer form is compiled from a graph with another zero point."""
    script = (
        'case "$*" in *integer.vmfb*) for f in "$@"; do case "$f" in *qdq.mlir)'
        " sed -i 's/%z = torch.constant.int 3/%z = torch.constant.int 4/' \"$f\";; esac; done;;"
        ' esac\nexec {real} "$@"'
    )
    python = with_tools(tmp_path, irees[1], {"iree-compile": script})
    expect(run(tmp_path, IREE, (irees[0], python)), {"qdq_numbers": REFUTED, "qdq": CONFIRMED})


def test_iree_for_targets_it_does_not_know(tmp_path: Path, irees: tuple[str, ...]) -> None:
    expect(
        run(tmp_path, IREE, irees, archs=["sm_90", "sm_100"]),
        {
            "ptx_version": NOT_APPLICABLE,
            "fp8": NOT_APPLICABLE,
            "fp8_everywhere": NOT_APPLICABLE,
            "plugin": CONFIRMED,
        },
    )


@pytest.mark.parametrize("script", ["exit 1", "echo 'error: libx.so: no such file' >&2; exit 1"])
def test_iree_with_tools_that_fail(tmp_path: Path, irees: tuple[str, ...], script: str) -> None:
    python = with_tools(tmp_path, irees[1], dict.fromkeys(PLACES, script))
    found = run(tmp_path, IREE, (irees[0], python))
    assert found.pop("scaling_quadratic") is REFUTED  # that is a claim about 3.12 alone
    assert set(found.values()) == {COULD_NOT_RUN}


def test_iree_without_its_package(tmp_path: Path) -> None:
    assert set(leg_without_package(IREE).values()) == {"import_failed"}
