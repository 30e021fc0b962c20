"""Does what else is in the batch change a row's result? Operation by operation, bit for bit."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

from readproof_harness import Check

CPU = ("depends", "matmuls", "reductions", "repeatable")
ON_GPU = ("gpu_matmuls", "gpu_reductions")
MATMULS = ("mm", "linear", "addmm", "bmm", "attention_decode", "attention_prefill")


def main() -> None:
    """Run the control, survey the CPU, then the user's function and a GPU where there are such."""
    with Check() as check:
        try:
            import torch
        except Exception as error:
            said = f"{type(error).__name__}: {error}"[:300]
            for claim in (*CPU, *ON_GPU, "users"):
                check.obstacle(claim, "import_failed", package="torch", said=said)
            return
        check.package("torch", str(torch.__version__))
        check.measure("threads", torch.get_num_threads())
        control(check)
        on_cpu(check)
        users(check)
        on_gpu(check)


def control(check: Check) -> None:
    """A function that does look at its neighbours has to be found, one that cannot must not be."""
    import torch
    from operations import FULL, WIDE, violations

    check.step("control")
    dice = torch.Generator().manual_seed(check.seed)
    x = torch.randn(FULL, WIDE, generator=dice)
    planted = (lambda x: x - x.mean(), lambda x: x * x.shape[0], lambda x: x + 1e-7 * x[-1])
    check.measure("planted", len(planted))
    check.measure("planted_found", sum(bool(violations(call, [x])) for call in planted))
    check.measure("innocent_found", len(violations(lambda x: x * 2 + 1, [x])))
    check.control_done()


def on_cpu(check: Check) -> None:
    """Survey with the threads that there are, then with one."""
    import torch
    from operations import survey

    rows = survey("cpu", check.seed, lambda n, of: check.step("measure", n, 2 * of, "depends"))
    report(check, rows, "", CPU)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        alone = survey("cpu", check.seed, lambda n, of: check.step("measure", of + n, 2 * of))
    finally:
        torch.set_num_threads(threads)
    check.measure("one_thread_violating", sum(bool(row.get("sizes")) for row in alone))
    changed = [
        f"{row['operation']} {row['dtype']}"
        for row, other in zip(rows, alone)
        if row.get("sizes") != other.get("sizes")
    ]
    check.measure("changed_by_threads", len(changed))
    for row in alone:
        if row.get("sizes"):
            told = ", ".join(map(str, row["sizes"]))
            check.case("repeatable", f"{row['operation']} {row['dtype']}, one thread", sizes=told)


def report(check: Check, rows: list[dict[str, Any]], prefix: str, claims: tuple[str, ...]) -> None:
    """Report a survey's rows and what they come to."""
    tried = [row for row in rows if "sizes" in row]
    for row in rows:
        name = f"{row['operation']} {row['dtype']}"
        told = ", ".join(map(str, row["sizes"])) if "sizes" in row else row.get("said", "")
        sometimes = ", ".join(map(str, row.get("unsteady", [])))
        check.case(
            claims[0],
            name,
            sizes=told or "none",
            sometimes=sometimes,
            violating=bool(row.get("sizes")),
        )
    if not tried:
        for claim in claims:
            check.obstacle(claim, "tool_failed", tool="torch", said=rows[0].get("said", ""))
        return
    matmuls = [row for row in tried if row["operation"] in MATMULS]
    others = [row for row in tried if row["operation"] not in MATMULS]
    violating = [row for row in tried if row["sizes"]]
    named = [f"{row['operation']} {row['dtype']}" for row in violating]
    for name, value in (
        ("tried", len(tried)),
        ("violating", len(violating)),
        ("violating_names", ", ".join(named) or "–"),
        ("matmuls", len(matmuls)),
        ("matmuls_violating", sum(bool(row["sizes"]) for row in matmuls)),
        ("reductions", len(others)),
        ("reductions_violating", sum(bool(row["sizes"]) for row in others)),
        ("unsteady", sum(bool(row.get("unsteady")) for row in tried)),
        ("repeats_differ", sum(row["repeats_differ"] for row in tried)),
    ):
        check.measure(prefix + name, value)


def users(check: Check) -> None:
    """Try the function that the user named; its file makes the inputs of a batch."""
    value = check.chosen.get("function", "")
    check.measure("users_given", int(bool(value)))
    if not value:
        return
    file, _colon, name = value.rpartition(":")
    try:
        from operations import FULL, repeats, violations

        spec = importlib.util.spec_from_file_location("users_own", file)
        if spec is None or spec.loader is None:
            raise ImportError(file)
        module = importlib.util.module_from_spec(spec)
        sys.path.append(str(Path(file).parent))
        spec.loader.exec_module(module)
        call, given = getattr(module, name), module.inputs(check.seed, FULL)
        sizes = violations(call, given)
        check.measure("users_repeats_differ", int(repeats(call, given)))
    except Exception as error:
        said = f"{type(error).__name__}: {error}"[-300:]
        check.obstacle("users", "tool_failed", tool=name, said=said)
        return
    check.measure("users_violating", len(sizes))
    check.measure("users_sizes", ", ".join(map(str, sizes)) or "–")


def on_gpu(check: Check) -> None:
    """The same operations on cuda."""
    if not any(check.wants(claim) for claim in ON_GPU):
        return
    try:
        rows = check.device.run("survey", gpu_survey, check.seed)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"[-300:]
        rows = None
        for claim in ON_GPU:
            check.obstacle(claim, "device_failed", said=said)
    if rows:
        report(check, rows, "gpu_", ON_GPU)


def gpu_survey(seed: int) -> list[dict[str, Any]]:
    """Return the survey's rows; raises where this PyTorch has no CUDA."""
    import torch
    from operations import survey

    if not torch.cuda.is_available():
        raise RuntimeError("this PyTorch sees no CUDA device")
    return survey("cuda", seed, lambda _n, _of: None)


if __name__ == "__main__":
    main()
