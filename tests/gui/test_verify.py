"""What the verify panel says of an environment: all that has to be built, its size and its time."""

from __future__ import annotations

from pathlib import Path

from reader import settings
from reader.checks import builds, environment, manifest, standing
from reader.checks.builds import Built
from reader.gui.verify import environment_line
from reader.gui.workbench import Bench, Offer
from reader.model import Machine


def test_each_environment_of_a_check_with_legs_is_counted(tmp_path: Path) -> None:
    folder = settings.resource_path("checks") / "triton-39-atomics"
    check = manifest.load(folder)
    machine = Machine(system="", cpu="", cores=1, memory_mb=1, load=0.0, gpus=())
    bench = Bench((check,), machine, (), (), (), 1)
    build = bench.build(check)
    assert build is not None
    said = environment_line(Offer(check, "", (), build))
    old, new = environment.wanted(check)
    assert build.size_mb == old.size_mb + new.size_mb
    for name in (*old.requires, *new.requires):
        assert name in said
    assert f"{build.size_mb:,} MB" in said
    assert said.startswith("≈ 3 min · ")
    root = standing.root_of(None)
    root.mkdir(parents=True)
    for packages in (old, new):
        key = environment.install_key(packages, check.folder)
        builds.record(root, Built(key, packages.size_mb, 40.0))
    again = bench.build(check)
    assert again is not None
    assert environment_line(Offer(check, "", (), again)).startswith("≈ 80 s · ")
    assert "no network needed" in environment_line(Offer(check, "", (), None))
