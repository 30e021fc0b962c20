"""Settings survive the file, refuse what is wrong by name, and resources are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from reader import settings
from reader.errors import Expected
from reader.settings import Settings


def test_no_file_is_the_defaults(tmp_path: Path) -> None:
    assert settings.load(tmp_path / "none.toml") == Settings()


def test_what_is_saved_is_read(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "settings.toml"
    mine = Settings(language="zh", zoom=120, cuda='C:\\cuda "13"\n', check_folders=("a", "检查"))
    settings.save(file, mine)
    assert settings.load(file) == mine
    assert [each.name for each in file.parent.iterdir()] == ["settings.toml"]


def test_an_unknown_name_is_kept_out_of_the_way(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('from_the_future = 1\ntheme = "dark"\n', encoding="utf-8")
    assert settings.load(file).theme == "dark"


@pytest.mark.parametrize("text", ["zoom = ", 'zoom = "big"', "zoom = true", "theme = 3"])
def test_a_wrong_file_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(Expected, match=r"settings\.toml"):
        settings.load(file)


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Expected, match=r"settings\.toml"):
        settings.load(file)


def test_resources_are_there() -> None:
    assert settings.resource("rules", "layers.toml").is_file()
    assert settings.resource_path("rules").is_dir()


def test_places_follow_the_platform(tmp_path: Path) -> None:
    assert settings.default_store().is_relative_to(tmp_path)
    assert settings.default_config().is_relative_to(tmp_path)
