"""What an address would bring, and what a person wants of a source: for add and source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from reader import classify
from reader.cli import render, voice
from reader.errors import Usage
from reader.language import _, language, ngettext
from reader.model import Feed, FeedKind, Wanted

if TYPE_CHECKING:
    from reader.sync import Preview, Sample

F = TypeVar("F", bound=Callable[..., Any])
SETTINGS = ("prereleases", "nightly", "cross", "replaced", "history")


def wanted_options(command: F) -> F:
    """Give a command the options that say what is wanted of a source."""
    for option in reversed(
        (
            click.option(
                "--prereleases/--no-prereleases",
                default=None,
                help=_("GitHub: also release candidates and betas."),
            ),
            click.option(
                "--nightly/--no-nightly",
                default=None,
                help=_("GitHub: also nightly builds and tags of machines."),
            ),
            click.option(
                "--cross/--no-cross",
                default=None,
                help=_("arXiv: also papers whose first category is another."),
            ),
            click.option(
                "--replaced/--no-replaced",
                default=None,
                help=_("arXiv: also new versions of older papers."),
            ),
            click.option(
                "--history/--no-history",
                default=None,
                help=_("Digest sites: fetch what was published before; without it, pause that."),
            ),
            click.option(
                "--topics",
                metavar="WORDS",
                help=_('Only what is about one of these: "kernels, compilers, GPU".'),
            ),
            click.option(
                "--zone", metavar="ZONE", help=_("Of times without one: Asia/Shanghai, +08:00.")
            ),
        )
    ):
        command = option(command)
    return command


def changed(wanted: Wanted, options: dict[str, Any]) -> Wanted | None:
    """Return what is wanted after options were given; None where none was."""
    from reader.sync.topics import split_topics

    given: dict[str, Any] = {
        name: options[name] for name in SETTINGS if options.get(name) is not None
    }
    if options.get("topics") is not None:
        given["topics"] = split_topics(options["topics"])
    if options.get("zone") is not None:
        from reader.parse.dates import zone_of

        given["zone"] = options["zone"].strip()
        if given["zone"] and zone_of(given["zone"]) is None:
            raise Usage(
                _("There is no zone {zone}. Write it like Asia/Shanghai or +08:00.").format(
                    zone=given["zone"]
                )
            )
    return replace(wanted, **given) if given else None


def wanted_lines(feed: Feed) -> list[str]:
    """Return what is wanted of a source, one setting a line."""
    wanted = feed.wanted
    lines = []
    if feed.kind is FeedKind.GITHUB_RELEASES:
        lines += [
            _("pre-releases: {said}").format(said=_yes(wanted.prereleases)),
            _("nightly builds: {said}").format(said=_yes(wanted.nightly)),
        ]
    if feed.kind is FeedKind.ARXIV:
        lines += [
            _("cross-listed papers: {said}").format(said=_yes(wanted.cross)),
            _("new versions of older papers: {said}").format(said=_yes(wanted.replaced)),
        ]
    if feed.kind is FeedKind.DIGEST_SITE:
        lines.append(_("history: {said}").format(said=_yes(wanted.history)))
    if feed.topic_filter:
        topics = ", ".join(wanted.topics) or _("compilers, kernels and their hardware")
        lines.append(_("only about: {topics}").format(topics=topics))
    if wanted.zone:
        lines.append(_("times without a zone: {zone}").format(zone=wanted.zone))
    return lines


def history_line(text: str) -> str:
    """Return how far a site's history has come, by what the store remembers of it."""
    from reader.sync.history import History

    past = History.load(text)
    return _("{taken} posts of its history taken, {left} to come").format(
        taken=len(past.taken), left=len(past.waiting)
    )


def _yes(value: bool) -> str:
    return _("yes") if value else _("no")


def preview_document(address: str, shown: Preview) -> dict[str, Any]:
    """Return a preview as JSON."""
    best = shown.best
    return {
        "address": address,
        "url": None if shown.is_list else best.url,
        "kind": "list" if shown.is_list else best.kind.value,
        "title": shown.title or None,
        "found": best.how,
        "subscribed": shown.subscribed,
        "count": shown.count,
        "entries": [
            {
                "title": each.title,
                "url": each.url,
                "published": render.when(each.published),
                "layers_ours": list(each.labels.layers),
                "hardware": list(each.labels.hardware),
                "evidence": each.labels.evidence.value,
                "categories": list(each.categories),
                "items": each.items,
            }
            for each in shown.samples
        ],
        "others": [
            {"url": each.url, "kind": each.kind.value, "title": each.title or None}
            for each in (shown.found if shown.is_list else shown.found[1:])
        ],
        "note": shown.note,
        "error": shown.error,
    }


def say_preview(shown: Preview) -> None:
    """Show a preview as text."""
    best = shown.best
    if shown.is_list:
        count = len(shown.found)
        head = ngettext(
            "A list of {count} subscription.", "A list of {count} subscriptions.", count
        )
        voice.say(head.format(count=count))
        voice.say(*(f"  {each.title or each.url}  {each.url}" for each in shown.found[:20]))
        if count > 20:
            voice.say(_("  … and {count} more").format(count=count - 20))
        return
    voice.say(f"{shown.title or best.url}", f"  {best.how} · {best.url}")
    if shown.subscribed:
        voice.say("  " + _("subscribed already: {id}").format(id=shown.subscribed))
    if shown.error:
        voice.note(shown.error)
    if shown.note:
        voice.note(shown.note)
    if not shown.samples and not shown.error:
        voice.say("  " + _("nothing in it now"))
    for each in shown.samples:
        voice.say(*sample_lines(each))
    if others := shown.found[1:]:
        voice.say(_("Also there:"))
        voice.say(*(f"  {each.title or each.url}  {each.url}" for each in others))


def sample_lines(sample: Sample) -> list[str]:
    """Return one entry of a preview: its day and title, then its labels."""
    day = sample.published.astimezone().strftime("%Y-%m-%d") if sample.published else "–" * 10
    labels = label_words(sample)
    return [f"  {day}  {sample.title}", *([f"              {labels}"] if labels else [])]


def label_words(sample: Sample) -> str:
    """Return an entry's labels in the language in use."""
    words = [classify.layer_name(each, language()) for each in sample.labels.layers]
    words += [classify.hardware_name(each, language()) for each in sample.labels.hardware]
    if sample.items:
        words.append(
            ngettext("{count} story", "{count} stories", sample.items).format(count=sample.items)
        )
    return " · ".join([*sample.categories[:4], *words])
