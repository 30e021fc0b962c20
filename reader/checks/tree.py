"""All the processes of one leg: what they use, and their end, however they forked."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import psutil

MARKER = "READPROOF_LEG"  # every process of a leg inherits this variable


class Tree:
    """The leg's process and everything that descends from it."""

    def __init__(self, process: subprocess.Popen[bytes], marker: str) -> None:
        self._process = process
        self._marker = marker
        self._began = time.time()
        self._seen: dict[int, psutil.Process] = {}

    def memory(self) -> int:
        """Return the resident bytes of all processes together."""
        self._look()
        total = 0
        for process in self._seen.values():
            try:
                total += process.memory_info().rss
            except psutil.Error:
                continue
        return total

    def end(self, grace: float = 2.0) -> int:
        """Ask every process to stop, then stop it; return how many outlived the leg's own."""
        left = self._alive()
        self._send(left, signal.SIGTERM)
        deadline = time.monotonic() + grace
        while left and time.monotonic() < deadline:
            self._process.poll()
            time.sleep(0.02)
            left = [process for process in left if _runs(process)]
        left = self._alive()  # what was started meanwhile, too
        outlived = len([process for process in left if process.pid != self._process.pid])
        for _attempt in range(5):
            if not left:
                break
            self._send(left, signal.SIGKILL)
            self._process.poll()
            time.sleep(0.05)
            left = self._alive()
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(10)
        return outlived

    def _look(self) -> None:
        try:
            leader = psutil.Process(self._process.pid)
            found = [leader, *leader.children(recursive=True)]
        except psutil.Error:
            return
        for process in found:
            self._seen.setdefault(process.pid, process)

    def _alive(self) -> list[psutil.Process]:
        self._look()
        for process in marked(self._marker, self._began):
            self._seen.setdefault(process.pid, process)
        return [process for process in self._seen.values() if _runs(process)]

    def _send(self, processes: list[psutil.Process], number: signal.Signals) -> None:
        if processes and self._process.poll() is None:
            with contextlib.suppress(OSError, AttributeError):
                os.killpg(self._process.pid, number)  # its number is ours while it is not reaped
        for process in processes:
            try:
                process.send_signal(number)
            except psutil.Error:
                continue


def marked(marker: str, since: float = 0.0) -> list[psutil.Process]:
    """Return the living processes that carry the marker, wherever they hang in the tree."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.create_time() >= since - 2 and process.environ().get(MARKER) == marker:
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def kill_marked(marker: str) -> None:
    """End what a leg left behind when its own app was killed."""
    for process in marked(marker):
        try:
            process.kill()
        except psutil.Error:
            continue


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def disk_use(folder: Path) -> int:
    """Return the bytes that the files under a folder take, links not followed."""
    total = 0
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    about = entry.stat(follow_symlinks=False)
                    total += getattr(about, "st_blocks", about.st_size // 512) * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue
    return total
