"""What each construct of MyST becomes: for the tests of the converter."""

PAGES = "https://an-org.github.io/course/book"
OTHER = """\
(sec-other)=
# Another page

$$
a
$$ (eq-other)

```{exercise} Elsewhere
:label: ex-other
```
"""


INLINE = {
    "as {cite:t}`first2015` say": "as Bahdanau et al. (2015) say",
    "so {cite:p}`first2015,second2016`": "so (Bahdanau et al., 2015; Müller and Lee, 2016)",
    "so {cite}`second2016`": "so (Müller and Lee, 2016)",
    "{eq}`eq-other`": f"[(1) of Another page]({PAGES}/02_other.html#equation-eq-other)",
    "{ref}`sec-other`": f"[Another page]({PAGES}/02_other.html#sec-other)",
    "{ref}`there <sec-other>`": f"[there]({PAGES}/02_other.html#sec-other)",
    "{numref}`ex-other`": f"[Exercise 1]({PAGES}/02_other.html#ex-other)",
    "{numref}`no. %s <ex-other>`": f"[no. 1]({PAGES}/02_other.html#ex-other)",
    "{doc}`02_other`": f"[Another page]({PAGES}/02_other.html)",
    "{term}`keys <key>` {term}`query`": "keys query",
    "{abbr}`MHA (multi-head attention)`": "MHA (multi-head attention)",
    "H{sub}`2`O, x{sup}`n`, {kbd}`Ctrl`": "H<sub>2</sub>O, x<sup>n</sup>, <kbd>Ctrl</kbd>",
    "{math}`a_i`": "$a_i$",
    "{py:func}`~attn_course.masks.causal_mask`": "`causal_mask`",
    "{py:mod}`attn_course.masks`": "`attn_course.masks`",
    "[text](02_other.md)": f"[text]({PAGES}/02_other.html)",
    "[text](02_other.md#sec-other)": f"[text]({PAGES}/02_other.html#sec-other)",
    "[](02_other.md)": f"[Another page]({PAGES}/02_other.html)",
    "[](#sec-other)": f"[Another page]({PAGES}/02_other.html#sec-other)",
    "[a [b] `c`](02_other.md)": f"[a [b] `c`]({PAGES}/02_other.html)",
    "[file](../src/x.py)": "[file](https://github.com/an-org/course/blob/main/src/x.py)",
    "[how](../CONTRIBUTING.md#x)": "[how](https://github.com/an-org/course/blob/main/CONTRIBUTING.md#x)",
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
    "first line": ("```{tip} Text.\nMore.\n```", "> **Tip**\n>\n> Text.\n> More."),
    "seealso": (":::{seealso}\nText.\n:::", "> **See also**\n>\n> Text."),
    "admonition": ("```{admonition} A *b*\nText.\n```", "> **A *b***\n>\n> Text."),
    "folded": (
        ":::{admonition} Why `x`?\n:class: tip dropdown\n\nText.\n:::",
        "<details>\n<summary>Why <code>x</code>?</summary>\n\nText.\n\n</details>",
    ),
    "dropdown": (
        ":::{dropdown} Answer\n:open:\nText.\n:::",
        "<details>\n<summary>Answer</summary>\n\nText.\n\n</details>",
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
    "yaml options": ("```{note}\n---\nclass: x\n---\nText.\n```", "> **Note**\n>\n> Text."),
    "in a list": ("- a\n  ```{note}\n  b\n  ```\n- c", "- a\n\n  > **Note**\n  >\n  > b\n- c"),
    "in a quotation": ("> ```{note}\n> b\n> ```", "> > **Note**\n> >\n> > b"),
    "image": ("```{image} _static/x.png\n:alt: A: b.\n```", "![A: b.](_static/x.png)"),
    "figure": (
        "```{figure} _static/x.png\n:name: fig-x\n:alt: A.\nSee.\n```\n\n{numref}`fig-x`",
        "![A.](_static/x.png)\n\n**Fig. 1.** See.\n\nFig. 1",
    ),
    "formula": ("$$\na\n= b\n$$", "$$ a = b $$"),
    "numbered": (
        "$$\na\n$$ (one)\n\n```{math}\n:label: two\nb\n```\n\n{eq}`two`, {eq}`one`",
        "$$ a \\tag{1} $$\n\n$$ b \\tag{2} $$\n\n(2), (1)",
    ),
    "lines": ("$$\na &= b \\\\ % why\n&= c\n$$", "$$ \\begin{aligned} a &= b \\\\ &= c \\end{aligned} $$"),
    "environment": (
        "\\begin{align*}\na &= b\n\\end{align*}\nText",
        "$$ \\begin{aligned} a &= b \\end{aligned} $$\n\nText",
    ),
    "formula in a note": ("```{note}\n$$\na\n+ b\n$$\n```", "> **Note**\n>\n> $$ a + b $$"),
    "exercise": (
        "```{exercise} Do\n:label: e\nBody.\n```\n\n{ref}`e`",
        "**Exercise 1 (Do)**\n\nBody.\n\nExercise 1",
    ),
    "folded exercise": (
        "```{exercise}\n:class: dropdown\nBody.\n```",
        "<details>\n<summary>Exercise 1</summary>\n\nBody.\n\n</details>",
    ),
    "solution": (
        "```{exercise} Do\n:label: e\nA\n```\n\n```{solution} e\nB\n```",
        "**Exercise 1 (Do)**\n\nA\n\n<details>\n<summary>Solution to Exercise 1 (Do)</summary>\n\nB\n\n</details>",
    ),
    "gated": (
        "```{exercise-start} Do\n:label: e\n```\nA\n\n```{exercise-end}\n```\n\n"
        "```{solution-start} e\n:class: dropdown\n```\n\nB\n\n```{solution-end}\n```",
        "**Exercise 1 (Do)**\n\nA\n\n**Solution to Exercise 1 (Do)**\n\nB",
    ),
    "theorem": (
        "```{prf:theorem} Name\n:label: t\nA\n```\n\n```{prf:proof}\nB\n```\n\n{prf:ref}`t`",
        "**Theorem 1 (Name)**\n\nA\n\n**Proof.** B\n\nTheorem 1",
    ),
    "table": (
        "```{table} All\n:name: tab-x\n| a |\n| --- |\n| {term}`b` |\n```",
        "**Table 1.** All\n\n| a |\n| --- |\n| b |",
    ),
    "list-table": (
        "```{list-table}\n:header-rows: 1\n\n* - a\n  - b\n* - {term}`c`\n  - d | e\n```",
        "| a | b |\n| --- | --- |\n| c | d \\| e |",
    ),
    "cards": (
        "::::{grid} 1 2\n:gutter: 2\n\n:::{grid-item-card} First\n:link: 02_other\n:link-type: doc\nA\n+++\n"
        "B\n:::\n::::",
        f"- **[First]({PAGES}/02_other.html)**\n\n  A\n\n  B",
    ),
    "torch": (
        ":::{torch}\nSee {term}`x`.\n\n- a\n:::",
        "<!-- torch -->\n\n**PyTorch.** See x.\n\n- a\n\n<!-- end -->",
    ),
    "tf": (
        ":::{tf}\n1. a\n2. b\n:::\n\nText",
        "<!-- tf -->\n\n**TensorFlow.**\n\n1. a\n2. b\n\n<!-- end -->\n\nText",
    ),
    "tabs": (
        "````{tab-set}\n```{tab-item} One\n1\n```\n```{tab-item} Two\n2\n```\n````",
        "**One**\n\n1\n\n**Two**\n\n2",
    ),
    "definitions": (
        "A {term}`b`\n: C\n  d\n\nE\n\n: F\n: G\n\nText",
        "- **A b**: C\n  d\n- **E**: F\n\n  G\n\nText",
    ),
    "a block in a definition": ("A\n: ```python\n  x\n  ```", "- **A**\n\n  ```python\n  x\n  ```"),
    "formula in a list": ("1. a\n\n   $$\n   b\n   $$\n\n2. c", "1. a\n\n   $$ b $$\n\n2. c"),
    "tasks": ("- [ ] a\n- [x] b\n- {term}`c`", "- [ ] a\n- [x] b\n- c"),
    "removed": ("(lab)=\n## H\n\n% c\n% d\n\nText\n\n+++\n\nMore", "## H\n\nText\n\nMore"),
    "code-block": ("```{code-block} bash\n:caption: x\nmake {note}\n```", "```bash\nmake {note}\n```"),
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
