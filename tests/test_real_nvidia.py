"""The checks of NVIDIA's own tools for real: as they are, with a false program, and broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import falsified
from tests.test_real_checks import (
    CONFIRMED,
    COULD_NOT_RUN,
    NOT_APPLICABLE,
    REFUTED,
    expect,
    leg_without_package,
    python_of,
    run,
)

pytestmark = pytest.mark.real


def with_script(tmp_path: Path, python: str, program: str, script: str) -> str:
    """Return an interpreter for which a program of the package nvidia is a script.

    {real} is the program itself.
    """
    folder, site = tmp_path / "false", falsified.site_of(python)
    (root,) = (each.name for each in (site / "nvidia").glob("cu*") if (each / "bin").is_dir())
    falsified.overlay(site / "nvidia", folder / "nvidia", {f"{root}/bin/nvcc.profile": [("", "")]})
    place = folder / "nvidia" / root / "bin" / program
    place.unlink()
    real = site / "nvidia" / root / "bin" / program
    place.write_text(f"#!/bin/sh\n{script.format(real=real)}\n", encoding="utf-8")
    place.chmod(0o755)
    return falsified.interpreter(python, tmp_path / "venv", folder)


# ── pipelink-lto ───────────────────────────────────────────────────────────────────────────────

LTO = "pipelink-lto"


@pytest.fixture(scope="module")
def linkers() -> str:
    return python_of(LTO)


def test_lto_as_it_is(tmp_path: Path, linkers: str) -> None:
    assert run(tmp_path, LTO, linkers) == {
        "lto_equal": CONFIRMED,
        "plain_apart": CONFIRMED,
        "fallback": CONFIRMED,
        "flags_kept": REFUTED,  # the link has to be told again
        "mixed_refused": CONFIRMED,
        "toolkit_equal": CONFIRMED,
        "gpu_correct": COULD_NOT_RUN,
        "gpu_latency": COULD_NOT_RUN,
    }


def test_lto_of_a_linker_that_does_not_optimise(tmp_path: Path, linkers: str) -> None:
    script = 'case "$*" in *-lto*) exec {real} "$@" -Xptxas=-O0;; esac\nexec {real} "$@"'
    python = with_script(tmp_path, linkers, "nvlink", script)
    expect(
        run(tmp_path, LTO, python, archs=["sm_90"]),
        {"lto_equal": REFUTED, "fallback": REFUTED, "plain_apart": CONFIRMED},
    )


def test_lto_of_a_linker_that_takes_mixed_flags(tmp_path: Path, linkers: str) -> None:
    script = 'case "$*" in *mixed.cubin*) exit 0;; esac\nexec {real} "$@"'
    python = with_script(tmp_path, linkers, "nvlink", script)
    expect(run(tmp_path, LTO, python, archs=["sm_90"]), {"mixed_refused": REFUTED})


@pytest.mark.parametrize("program", ["nvlink", "nvcc", "nvdisasm"])
def test_lto_with_a_tool_that_fails(tmp_path: Path, linkers: str, program: str) -> None:
    python = with_script(
        tmp_path, linkers, program, 'case "$*" in *--version*) exec {real} "$@";; esac\nexit 1'
    )
    found = run(tmp_path, LTO, python, archs=["sm_90"])
    assert REFUTED not in {found[each] for each in ("lto_equal", "plain_apart", "mixed_refused")}
    assert found["lto_equal"] is COULD_NOT_RUN


def test_lto_without_its_packages(tmp_path: Path) -> None:
    assert set(leg_without_package(LTO).values()) == {"import_failed"}


# ── torchneuron-backend ────────────────────────────────────────────────────────────────────────

NEURON = "torchneuron-backend"
REGISTRATION = "utils/backend_registration.py"
RENAME = "    _rename_privateuse1_backend(backend_name)\n"


@pytest.fixture(scope="module")
def torch() -> str:
    return python_of(NEURON)


def test_neuron_as_it_is(tmp_path: Path, torch: str) -> None:
    assert run(tmp_path, NEURON, torch) == {
        "round_trip": CONFIRMED,
        "accelerator": CONFIRMED,
        "rename_once": CONFIRMED,
        "graphs": CONFIRMED,
        "genuine": NOT_APPLICABLE,
        "trainium": NOT_APPLICABLE,
    }


def false_torch(tmp_path: Path, python: str, file: str, old: str, new: str) -> str:
    folder = tmp_path / "false"
    site = falsified.site_of(python)
    falsified.overlay(site / "torch", folder / "torch", {file: [(old, new)]})
    return falsified.interpreter(python, tmp_path / "venv", folder)


def test_neuron_in_a_torch_whose_device_is_not_registered(tmp_path: Path, torch: str) -> None:
    python = false_torch(tmp_path, torch, REGISTRATION, RENAME, "    pass\n")
    found = run(tmp_path, NEURON, python)
    assert found["round_trip"] is not CONFIRMED


def test_neuron_in_a_torch_that_may_be_renamed_again(tmp_path: Path, torch: str) -> None:
    again = f"    if _get_privateuse1_backend_name() == 'privateuseone':\n    {RENAME}"
    python = false_torch(tmp_path, torch, REGISTRATION, RENAME, again)
    expect(run(tmp_path, NEURON, python), {"rename_once": REFUTED, "round_trip": CONFIRMED})


def test_neuron_in_a_torch_that_swaps_the_factors(tmp_path: Path, torch: str) -> None:
    old = "        if not callable(fn):\n"
    swapped = (
        '        if dispatch_key == "PrivateUse1" and op_name == "mm":\n'
        "            fn = (lambda given: lambda a, b: given(b, a))(fn)\n"
    )
    python = false_torch(tmp_path, torch, "library.py", old, swapped + old)
    expect(run(tmp_path, NEURON, python), {"round_trip": REFUTED, "accelerator": CONFIRMED})


def test_neuron_without_its_package(tmp_path: Path) -> None:
    codes = leg_without_package(NEURON)
    assert set(codes.values()) == {"import_failed"}


# ── ptxas-acf ──────────────────────────────────────────────────────────────────────────────────

ACF = "ptxas-acf"
HELION = "_compiler/triton/backend.py"


@pytest.fixture(scope="module")
def controls() -> str:
    return python_of(ACF)


def test_acf_as_it_is(tmp_path: Path, controls: str) -> None:
    expect(
        run(tmp_path, ACF, controls),
        {"option_since": CONFIRMED, "canary": CONFIRMED, "helion_carries": CONFIRMED},
    )


def test_acf_of_a_ptxas_that_ignores_it(tmp_path: Path, controls: str) -> None:
    # What stands behind the option is dropped, as by a compiler that does not look at it.
    script = 'case "$*" in *--apply-controls*) exec {real} "$1" "$2" "$3" "$4" "$5" "$6";; esac\n'
    python = with_script(tmp_path, controls, "ptxas", script + 'exec {real} "$@"')
    expect(run(tmp_path, ACF, python), {"canary": REFUTED, "option_since": CONFIRMED})


def test_acf_in_a_helion_that_drops_it(tmp_path: Path, controls: str) -> None:
    folder, site = tmp_path / "false", falsified.site_of(controls)
    old = "advanced_controls_file = config.advanced_controls_file"
    falsified.overlay(
        site / "helion", folder / "helion", {HELION: [(old, 'advanced_controls_file = ""')]}
    )
    python = falsified.interpreter(controls, tmp_path / "venv", folder)
    expect(run(tmp_path, ACF, python), {"helion_carries": REFUTED, "canary": CONFIRMED})


def test_acf_without_its_packages(tmp_path: Path) -> None:
    found = leg_without_package(ACF)
    assert found["helion_carries"] == "import_failed"


# ── cutile-codegen ─────────────────────────────────────────────────────────────────────────────

TILES = "cutile-codegen"


@pytest.fixture(scope="module")
def tiles() -> str:
    return python_of(TILES)


def test_tiles_as_they_are(tmp_path: Path, tiles: str) -> None:
    assert run(tmp_path, TILES, tiles) == {
        "compiles": CONFIRMED,
        "tensor_cores": CONFIRMED,
        "copies": CONFIRMED,
        "no_local": REFUTED,  # one of fifteen spills a little
        "gpu_correct": COULD_NOT_RUN,
    }


def test_tiles_of_a_compiler_for_another_architecture(tmp_path: Path, tiles: str) -> None:
    script = 'for each; do shift; set -- "$@" "$(echo "$each" | sed s/sm_100/sm_90/)"; done\n'
    python = with_script(tmp_path, tiles, "tileiras", script + 'exec {real} "$@"')
    expect(run(tmp_path, TILES, python, archs=["sm_100"]), {"tensor_cores": REFUTED})


@pytest.mark.parametrize("program", ["tileiras", "nvdisasm"])
def test_tiles_with_a_tool_that_fails(tmp_path: Path, tiles: str, program: str) -> None:
    script = 'case "$*" in *--version*) exec {real} "$@";; esac\nexit 1'
    python = with_script(tmp_path, tiles, program, script)
    assert set(run(tmp_path, TILES, python, archs=["sm_90"]).values()) == {COULD_NOT_RUN}


def test_tiles_without_their_packages(tmp_path: Path) -> None:
    assert set(leg_without_package(TILES).values()) == {"import_failed"}
