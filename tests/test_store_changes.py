"""What changed between two texts: readable, code intact, nothing lost, and never slow."""

from __future__ import annotations

import html
import time

from hypothesis import given
from hypothesis import strategies as st

from reader.store.changes import Block, Changed, Shape, Side, blocks, changes, words


def shown(found: list[Changed]) -> list[str]:
    marks = {Side.BOTH: "{}", Side.OLD: "[-{}-]", Side.NEW: "{{+{}+}}"}
    return [
        "".join(marks[each.side].format(each.text) for each in one.pieces) or f"({one.skipped})"
        for one in found
    ]


def between(old: str, new: str) -> list[str]:
    return shown(changes(blocks(old), blocks(new)))


def test_blocks_are_what_a_reader_sees() -> None:
    found = blocks(
        "<h2>Tiles</h2><div><p>One <b>bold</b>\n word<br>next</p></div>"
        "<ul><li>first<ul><li>inner</li></ul></li></ul>"
        "<table><tr><th>arch</th><td>sm_90</td></tr></table>"
        "<pre><code>\nif (a &lt; b)\n\n    <i>k&lt;&lt;&lt;g&gt;&gt;&gt;</i>();\n</code></pre>"
        '<p><img src="https://e.org/p.png" alt="plot"></p>tail'
    )
    assert found == [
        Block(Shape.HEAD, "Tiles"),
        Block(Shape.TEXT, "One bold word\nnext"),
        Block(Shape.LIST, "first"),
        Block(Shape.LIST, "inner"),
        Block(Shape.ROW, "arch\tsm_90"),
        Block(Shape.CODE, "if (a < b)\n\n    k<<<g>>>();"),
        Block(Shape.TEXT, "[plot]"),
        Block(Shape.TEXT, "tail"),
    ]


def test_words_change_and_the_rest_is_left_out() -> None:
    old = "<p>Same.</p><p>It takes 93 registers on sm_80.</p><p>Also same.</p><p>End.</p>"
    new = "<p>Same.</p><p>It takes 87 registers on sm_80.</p><p>Also same.</p><p>End.</p>"
    assert between(old, new) == ["(1)", "It takes [-93-]{+87+} registers on sm_80.", "(2)"]


def test_names_of_the_field_are_words() -> None:
    assert shown([Changed(Shape.TEXT, words("mov %tid.x to vec", "mov %ctaid.x to vec"))]) == [
        "mov [-%tid.x-]{+%ctaid.x+} to vec"
    ]
    assert shown([Changed(Shape.TEXT, words("寄存器改了两处", "寄存器改了三处"))]) == [
        "寄存器改了[-两-]{+三+}处"
    ]


def test_code_changes_by_whole_lines() -> None:
    code = "<pre>for (;;) {{\n    {0}\n}}</pre>"
    found = changes(blocks(code.format("a();")), blocks(code.format("a(b);")))
    assert [(each.side, each.text) for each in found[0].pieces] == [
        (Side.BOTH, "for (;;) {\n"),
        (Side.OLD, "    a();\n"),
        (Side.NEW, "    a(b);\n"),
        (Side.BOTH, "}"),
    ]


def test_what_came_and_what_went() -> None:
    assert between("<p>a b c</p><p>gone here</p>", "<p>a b c</p>") == ["(1)", "[-gone here-]"]
    assert between("<p>a b c</p>", "<p>new words</p><p>a b c</p>") == ["{+new words+}", "(1)"]
    assert between("<p>red green</p>", "<p>seven eight</p>") == ["{+seven eight+}", "[-red green-]"]


_html = st.lists(
    st.tuples(
        st.sampled_from(["p", "pre", "li", "h2"]),
        st.lists(st.sampled_from(["a", "b", "c", "寄", "\n", "  ", "%r1", "x<y"]), max_size=8),
    ),
    max_size=6,
)


def _written(parts: list[tuple[str, list[str]]]) -> str:
    return "".join(f"<{tag}>{html.escape(' '.join(said))}</{tag}>" for tag, said in parts)


@given(_html, _html)
def test_both_texts_can_be_read_out_of_the_changes(
    one: list[tuple[str, list[str]]], other: list[tuple[str, list[str]]]
) -> None:
    old, new = blocks(_written(one)), blocks(_written(other))
    found = changes(old, new)
    kept = iter(old)
    for side, wanted in ((Side.OLD, old), (Side.NEW, new)):
        texts = [
            "".join(p.text for p in each.pieces if p.side in (side, Side.BOTH)).strip()
            for each in found
            if each.pieces
        ]
        said = [each.text.strip() for each in wanted]
        left = [text for text in texts if text]
        assert "".join("".join(left).split()) == "".join(
            "".join(text for text in _without_skipped(said, found, side)).split()
        )
    assert list(kept) == old


def _without_skipped(said: list[str], found: list[Changed], side: Side) -> list[str]:
    """Return the blocks of one text that are not left out as unchanged."""
    rest, at = [], 0
    for each in found:
        if not each.pieces:
            at += each.skipped
        elif any(piece.side in (side, Side.BOTH) for piece in each.pieces):
            rest.append(said[at])
            at += 1
    return rest


def test_a_long_text_rewritten_whole_takes_little_time() -> None:
    old = "".join(f"<p>word{n} and {n % 7} more of it</p>" for n in range(3_000))
    new = "".join(f"<p>other{n} or {n % 5} less of it</p>" for n in range(3_000))
    long = "<p>" + "a b " * 60_000 + "</p>", "<p>" + "c b " * 60_000 + "</p>"
    begun = time.process_time()
    assert between(old, new)
    assert between(*long)
    assert time.process_time() - begun < 20
