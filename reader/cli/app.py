"""The root command: options of every command, and the window where no command is named."""

from __future__ import annotations

from pathlib import Path

import click

from reader import __version__, settings
from reader.cli import (
    check,
    data,
    doctor,
    environments,
    feeds,
    fetching,
    items,
    overnight,
    own_checks,
    queue,
    report,
    rules,
    runs,
    secret,
)
from reader.cli.session import Session
from reader.errors import Expected
from reader.language import LANGUAGES, _

PATH = click.Path(path_type=Path, dir_okay=False, readable=False)


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help=_("Read what changed in AI compilers and GPU kernels, then prove it on your own machine."),
    epilog=_(
        "Without a command the window opens. The first command that reads a store which has never "
        "held anything puts the starter digests into it (items, show, search, queue, check, report "
        "and the window do; add, import and sync do not)."
    ),
)
@click.option(
    "--store", type=PATH, metavar="FILE", help=_("The store to use; created on first use.")
)
@click.option("--config", type=PATH, metavar="FILE", help=_("The settings file to use."))
@click.option("--lang", type=click.Choice(LANGUAGES), help=_("The language of every message."))
@click.option("-v", "--verbose", is_flag=True, help=_("Show traces of what went wrong."))
@click.version_option(__version__, prog_name="readproof", help=_("Print the version."))
@click.pass_context
def root(
    ctx: click.Context, store: Path | None, config: Path | None, lang: str | None, verbose: bool
) -> int | None:
    """Make the session of this call; `ctx.obj` arrives as what opens the window."""
    window, config_path = ctx.obj, config or settings.default_config()
    ctx.obj = session = Session(
        store_path=(store or settings.default_store()).expanduser().absolute(),
        config_path=config_path,
        settings=_settings(config_path),
        language=lang,
        verbose=verbose,
    )
    return window(session) if ctx.invoked_subcommand is None else None


def _settings(path: Path) -> settings.Settings:
    try:
        return settings.load(path)
    except Expected as error:
        raise Expected(
            _(
                "The settings cannot be read: {detail}. "
                "Mend the file, or name another with {option}."
            ).format(detail=error, option="--config FILE")
        ) from error


for group in (
    feeds,
    items,
    fetching,
    queue,
    check,
    own_checks,
    overnight,
    environments,
    runs,
    report,
    rules,
    secret,
    doctor,
    data,
):
    for command in group.COMMANDS:
        root.add_command(command)
