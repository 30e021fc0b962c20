"""The report on a run, an item or the queue."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from reader.cli import voice
from reader.cli.session import Session, pass_session
from reader.errors import Usage
from reader.language import _, language
from reader.report import written


@click.command(help=_("Report verdicts with their evidence: on a run, an item, or the queue."))
@click.option("--item", metavar="ID", help=_("All runs for this item."))
@click.option("--run", "run", metavar="ID", help=_("This run."))
@click.option("--queue", is_flag=True, help=_("Everything in the queue (the default)."))
@click.option(
    "--format",
    "format_",
    type=click.Choice(["md", "html", "json", "junit"]),
    help=_("Markdown by default."),
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=_("Write this file, not stdout."),
)
@click.option("--json", "as_json", is_flag=True, help=_("The same as --format json."))
@pass_session
def report(
    session: Session,
    item: str | None,
    run: str | None,
    queue: bool,
    format_: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Write the report; the format follows the file's name where none is asked for."""
    from reader import report as room
    from reader.cli.check import known_checks
    from reader.cli.surroundings import freshness

    if sum((item is not None, run is not None, queue)) > 1:
        raise Usage(_("Report on one of --item, --run, --queue."))
    chosen = "json" if as_json else format_ or _by_name(output)
    checks = known_checks(session)
    with session.store(starter=True) as store:
        gathered = room.report(
            store,
            item=item,
            run=run,
            queue=item is None and run is None,
            checks=checks,
            fresh=freshness(session, checks),
        )
    text = room.render(gathered, chosen, language())
    if output is None or str(output) == "-":
        sys.stdout.write(text)
    else:
        written.write(output, text)
        voice.note(_("Written: {path}").format(path=output))


def _by_name(output: Path | None) -> str:
    ending = output.suffix.lower().lstrip(".") if output is not None else ""
    return {"htm": "html", "html": "html", "json": "json", "xml": "junit"}.get(ending, "md")


COMMANDS = (report,)
