"""What the window remembers between starts: sizes, and that the start page has been seen."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path


@dataclass(slots=True)
class Memory:
    """Kept in window.json beside the settings; a damaged or missing file gives the defaults."""

    sidebar: int = 216
    list: int = 464
    geometry: str = ""
    welcomed: bool = False

    @classmethod
    def load(cls, config: Path) -> Memory:
        """Read what was remembered."""
        try:
            held = json.loads(config.with_name("window.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return cls()
        if not isinstance(held, dict):
            return cls()
        good = {
            each.name: held[each.name]
            for each in fields(cls)
            if isinstance(held.get(each.name), type(getattr(cls(), each.name)))
        }
        return cls(**good)

    def copy(self) -> Memory:
        """Return these values for a worker to write."""
        return replace(self)

    def save(self, config: Path) -> None:
        """Write it, whole or not at all; that it cannot be written stops nothing."""
        file = config.with_name("window.json")
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            temporary = file.with_suffix(f".{os.urandom(4).hex()}.new")
            temporary.write_text(json.dumps(asdict(self)), encoding="utf-8")
            temporary.replace(file)
