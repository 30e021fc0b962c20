"""The user's settings, the places on disk, and the resources that ship with the app."""

from __future__ import annotations

import os
import tomllib
from dataclasses import asdict, dataclass, fields, replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from reader.errors import Expected

APP = "readproof"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user has chosen; everything has a default, so the file may be missing."""

    language: str = ""  # zh, en, or empty: follow the system
    theme: str = ""  # light, dark, or empty: follow the system
    zoom: int = 100  # per cent, 80 to 200
    cuda: str = ""  # the toolkit folder chosen last
    proxy: str = ""  # empty: the system's
    certificates: str = ""  # a file (PEM) of authorities to trust beside the system's
    check_folders: tuple[str, ...] = ()  # folders with checks of the user's own


def load(path: Path) -> Settings:
    """Read settings from a TOML file; a missing file gives the defaults.

    Raises Expected when the file is not TOML or a value has the wrong type.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return Settings()
    except OSError as error:
        raise Expected(f"{path}: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise Expected(f"{path}: {error}") from error
    known: dict[str, Any] = {}
    for field in fields(Settings):
        if field.name not in raw:
            continue
        value = raw[field.name]
        default = getattr(Settings(), field.name)
        if isinstance(default, tuple) and isinstance(value, list):
            value = tuple(str(each) for each in value)
        if type(value) is not type(default):
            raise Expected(f"{path}: {field.name}: {type(default).__name__} expected")
        known[field.name] = value
    return replace(Settings(), **known)


def save(path: Path, settings: Settings) -> None:
    """Write `settings` as TOML, whole or not at all."""
    lines = []
    for name, value in asdict(settings).items():
        if isinstance(value, tuple):
            text = "[" + ", ".join(quoted(each) for each in value) + "]"
        else:
            text = str(value) if isinstance(value, int) else quoted(value)
        lines.append(f"{name} = {text}\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    # A name of its own: window and command line may write at the same time.
    temporary = path.with_suffix(f".{os.urandom(4).hex()}.new")
    try:
        temporary.write_text("".join(lines), encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def quoted(text: str) -> str:
    """Return a text as TOML writes it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return (
        '"' + "".join(c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}" for c in escaped) + '"'
    )


def data_folder() -> Path:
    """Return the folder that keeps store, runs and environments (not created here)."""
    import platformdirs

    return Path(platformdirs.user_data_dir(APP, appauthor=False))


def cache_folder() -> Path:
    """Return the folder for what can be fetched or built again."""
    import platformdirs

    return Path(platformdirs.user_cache_dir(APP, appauthor=False))


def default_store() -> Path:
    """Return the store used when none is named."""
    return data_folder() / "readproof.db"


def default_config() -> Path:
    """Return the settings file used when none is named."""
    import platformdirs

    return Path(platformdirs.user_config_dir(APP, appauthor=False)) / "settings.toml"


def resource(*parts: str) -> Traversable:
    """Return a resource that ships with the app, from the wheel or from a checkout."""
    root = files("reader") / "resources"
    if not root.is_dir():
        root = Path(__file__).parent.parent / "resources"
    return root.joinpath(*parts)


def resource_path(*parts: str) -> Path:
    """Return a resource as a real path; wheels are installed unpacked, so one exists."""
    return Path(os.fspath(resource(*parts)))  # type: ignore[call-overload]
