"""MyST to plain Markdown: each construct that a chapter may use, and the refusal of any other."""

import pytest
from converter_cases import BLOCKS, INLINE, UNTOUCHED
from mystmd import DIRECTIVES, ROLES, split_sections


@pytest.mark.parametrize("text", INLINE)
def test_inline(plain, text):
    assert plain(text).partition("\n\n## References")[0] == INLINE[text]


@pytest.mark.parametrize("name", BLOCKS)
def test_block(plain, name):
    text, wanted = BLOCKS[name]
    assert plain(text) == wanted


def test_untouched(plain):
    assert plain(UNTOUCHED) == UNTOUCHED


def test_references_are_added_when_the_text_has_no_place_for_them(plain):
    assert plain("{cite:t}`first2015`").endswith(
        "## References\n\n- Bahdanau, Dzmitry; Cho, Kyunghyun; Bengio, Yoshua (2015). *Neural Machine "
        "Translation by Jointly Learning to Align and Translate*. ICLR. <https://arxiv.org/abs/1409.0473>"
    )


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("```{margin}\nText\n```", "directive {margin}"),
        ("::::{note}\n:::{literalinclude} x.py\n:::\n::::", "directive {literalinclude}"),
        ("- a\n  ```{eval-rst}\n  x\n  ```", "directive {eval-rst}"),
        ("A\n: B", "a definition list"),
        ("\\begin{align*}\na\n\\end{align*}", "a formula without dollars"),
        ("::::{note}\n```{code-cell} ipython3\n1\n```\n::::", "directive {code-cell}"),
        (":::plain\nText\n:::", "fence ':::"),
        ("{download}`x`", "role {download}"),
        ("| a |\n| --- |\n| {guilabel}`x` |", "role {guilabel}"),
        ("Text[^1]", "footnote [^1]"),
        ("[^1]: Text", "footnote [^1]"),
        ("{{ name }}", "substitution {{ name }}"),
        ("<project:#x>", "link <project:#x>"),
        ("[x](03_none.md)", "link to 03_none.md"),
        ("[](https://example.org)", "link to https://example.org"),
    ],
)
def test_refused(plain, text, named):
    with pytest.raises(ValueError, match=r"^book/01_page\.md: .*docs/chapters\.md lists those allowed") as caught:
        plain(text)
    assert named in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (":::{note}\nText", "directive {note} is not closed"),
        ("```{note} A `b`\nText\n```", "with a backtick in its title"),
        ("- ```{note}\n  Text\n\nText", "directive {note} is not closed"),
        ("Text\n$$\na\n$$", "empty line before"),
        ("{ref}`nothing`", "label 'nothing'"),
        ("{eq}`nothing`", "label 'nothing'"),
        ("{cite:t}`nothing`", "'nothing' is not in references.bib"),
        ("{doc}`03_none`", "03_none.md leads to no page"),
    ],
)
def test_mistakes_are_named(plain, text, message):
    with pytest.raises(ValueError, match=r"^(book/)?01_page\.md: ") as caught:
        plain(text)
    assert message in str(caught.value)


def test_every_allowed_name_is_tried():
    """A directive or role that is added to the list must be added to the cases above."""
    texts = "\n".join([*INLINE, *(text for text, _ in BLOCKS.values())])
    assert [name for name in (*DIRECTIVES, *ROLES) if f"{{{name}}}" not in texts] == []


def test_sections():
    text = "# A\n\nb\n\n## C\n\n```\n## no\n```\n\n### D\n\n> ## no\n\n## E"
    assert split_sections(text) == ["# A\n\nb", "## C\n\n```\n## no\n```\n\n### D\n\n> ## no", "## E"]
    assert split_sections("a\n\n## B") == ["a", "## B"]
