"""Ask a program one short question: its output within a time, its whole group killed after it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence

MAX_BYTES = 4 * 1024 * 1024


def ask(
    argv: Sequence[str], seconds: float, *, environment: Mapping[str, str] | None = None
) -> tuple[int, str, str]:
    """Return exit status, standard output and standard error.

    Raises TimeoutError when it takes longer, OSError when it cannot be started.
    """
    process = subprocess.Popen(
        list(argv),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=None if environment is None else dict(environment),
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as error:
        # a wrapper's child would hold the pipes open: the group goes before they are drained
        with contextlib.suppress(OSError, AttributeError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.communicate()
        raise TimeoutError(argv[0]) from error
    return (
        process.returncode,
        out[:MAX_BYTES].decode("utf-8", "replace"),
        err[:MAX_BYTES].decode("utf-8", "replace"),
    )
