"""Who holds a lease: a process is its number and the moment it started."""

from __future__ import annotations

import os

_SAME_START = 2.0  # seconds; the kernel's idea of its own start may be corrected a little


def myself() -> tuple[int, float]:
    """Return this process's number and start (seconds since 1970)."""
    import psutil

    return os.getpid(), float(psutil.Process().create_time())


def alive(pid: int | None, started: float | None) -> bool:
    """Return whether that process still runs; another one under the same number is not it."""
    import psutil

    if pid is None or started is None:
        return False
    try:
        process = psutil.Process(pid)
        same = abs(process.create_time() - started) <= _SAME_START
        return same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True
