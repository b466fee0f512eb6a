"""What each construct of MyST becomes: for the tests of the converter."""

PAGES = "https://an-org.github.io/course/book"
OTHER = """\
(sec-other)=
# Another page

$$
a
$$ (eq-other)

```{code-cell} ipython3
---
mystnb:
  figure:
    name: fig-other
    caption: Elsewhere.
---
```
"""


INLINE = {
    "as {cite:t}`first2015` say": "as Bahdanau et al. (2015) say",
    "so {cite:p}`first2015,second2016`": "so (Bahdanau et al., 2015; Müller and Lee, 2016)",
    "{eq}`eq-other`": f"[(1) of Another page]({PAGES}/02_other.html#equation-eq-other)",
    "{ref}`sec-other`": f"[Another page]({PAGES}/02_other.html#sec-other)",
    "{ref}`there <sec-other>`": f"[there]({PAGES}/02_other.html#sec-other)",
    "{numref}`fig-other`": f"[Fig. 1]({PAGES}/02_other.html#fig-other)",
    "{doc}`02_other`": f"[Another page]({PAGES}/02_other.html)",
    "{term}`keys <key>` {term}`query`": "keys query",
    "[out](https://example.org/a.md)": "[out](https://example.org/a.md)",
    "<https://example.org>": "<https://example.org>",
    # what only looks like MyST
    "`{note}` and ``{cite}`x` ``": "`{note}` and ``{cite}`x` ``",
    r"\{note}`x`": r"\{note}`x`",
    "$a_{i}$`b` and $\\{x\\}$": "$a_{i}$`b` and $\\{x\\}$",
    "`[](02_other.md)` `{{ x }}` `[^1]`": "`[](02_other.md)` `{{ x }}` `[^1]`",
    "$x^{{a}}$": "$x^{{a}}$",
}


BLOCKS = {
    "note": ("```{note}\nText.\n```", "> **Note**\n>\n> Text."),
    "dropdown": (
        ":::{dropdown} Why `x`?\n:open:\nText.\n:::",
        "<details>\n<summary>Why <code>x</code>?</summary>\n\nText.\n\n</details>",
    ),
    "guess": (
        ":::{guess} How *many*?\n- [ ] One\n  more.\n\n  No.\n- [x] Two.\n\n  Yes: $1 + 1$.\n- [ ] Three.\n\n"
        "  No.\n:::",
        "**Guess.** How *many*?\n\n- One more.\n- Two.\n- Three.\n\n"
        "<details>\n<summary>Answer</summary>\n\n**Two.** Yes: $1 + 1$.\n\n</details>",
    ),
    "guess a number": (
        ":::{guess} How many?\n:number: letters\n:waits: width\n\n- [<] Less.\n\n  No.\n- [x] 15 to 17\n\n  Yes.\n"
        "- [>] More.\n\n  No.\n:::",
        "**Guess.** How many?\n\n<details>\n<summary>Answer</summary>\n\n**15 to 17 letters** Yes.\n\n</details>",
    ),
    "nested": (
        "::::{note}\nA\n:::{warning}\nB\n```{tip}\nC\n```\n:::\n::::",
        "> **Note**\n>\n> A\n>\n> > **Warning**\n> >\n> > B\n> >\n> > > **Tip**\n> > >\n> > > C",
    ),
    "in a list": ("- a\n  ```{note}\n  b\n  ```\n- c", "- a\n\n  > **Note**\n  >\n  > b\n- c"),
    "in a quotation": ("> ```{note}\n> b\n> ```", "> > **Note**\n> >\n> > b"),
    "formula": ("$$\na\n= b\n$$", "$$ a = b $$"),
    "numbered": (
        "$$\na\n$$ (one)\n\n$$\nb\n$$ (two)\n\n{eq}`two`, {eq}`one`",
        "$$ a \\tag{1} $$\n\n$$ b \\tag{2} $$\n\n(2), (1)",
    ),
    "lines": ("$$\na &= b \\\\ % why\n&= c\n$$", "$$ \\begin{aligned} a &= b \\\\ &= c \\end{aligned} $$"),
    "formula in a note": ("```{note}\n$$\na\n+ b\n$$\n```", "> **Note**\n>\n> $$ a + b $$"),
    "torch": (":::{torch}\nSee {term}`x`.\n\n- a\n:::", "<!-- torch -->\n\n**PyTorch.** See x.\n\n- a\n\n<!-- end -->"),
    "tf": (":::{tf}\n1. a\n2. b\n:::\n\nText", "<!-- tf -->\n\n**TensorFlow.**\n\n1. a\n2. b\n\n<!-- end -->\n\nText"),
    "formula in a list": ("1. a\n\n   $$\n   b\n   $$\n\n2. c", "1. a\n\n   $$ b $$\n\n2. c"),
    "tasks": ("- [ ] a\n- [x] b\n- {term}`c`", "- [ ] a\n- [x] b\n- c"),
    "removed": ("(lab)=\n## H\n\n% c\n% d\n\nText\n\n+++\n\nMore", "## H\n\nText\n\nMore"),
    "references": (
        "{cite:t}`second2016`\n\n```{bibliography}\n:filter: docname in docnames\n```\n\nEnd",
        "Müller and Lee (2016)\n\n- Müller, Anna; Lee, Bo (2016). *A Second Work*. A Journal. "
        "<https://doi.org/10.0/example>\n\nEnd",
    ),
}


UNTOUCHED = """\
# Title with `{code}`

````markdown
```{unknown}
:label: x
```
{role}`x` (label)=
$$ a $$ (b)


% no comment
````

    ```{indented}

- a list

  ```python
  x = {"a": 1}  # {note}`x`
  ```

| a | b |
| --- | --- |
| `|` | $x$ |

<!-- a remark -->"""
