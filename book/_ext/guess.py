"""`:::{guess} Question?` with three answers to click, or a number to type: the reader decides before the page tells.

Each answer is `- [ ] text` or, the right one, `- [x] text`, followed by what is said to those who choose it, indented.
With `:number: letters` (the unit) the reader types a number: `- [<] less`, `- [x] 15 to 17` and `- [>] more` have the
replies to a smaller one, to one within these bounds, and to a larger one. `:waits: width, length` names controls of the
figure above, and `:hides: fig-a, what-b` beginnings of names of figures or sections on it, that wait for the answer.

Native fields and a button "Check"; `_static/guess.js` shows the reply in a live region. Without a script the answer is
a fold and nothing waits.
Nothing is stored. A notebook gets the question, the answers as a list and the reply in <details>.
"""

import re
import textwrap
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from html_nodes import EPUB, Html, HtmlLine
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

_ANSWER = re.compile(r"(?m)^- \[([ x<>])\] ")
_BOUNDS = re.compile(r"([\d.]+) to ([\d.]+)")


def answers(body: str) -> list[tuple[bool, str, str]]:
    """(right, the answer's line, the reply) of every answer."""
    parts = _ANSWER.split(body)[1:]
    found = []
    for mark, text in zip(parts[::2], parts[1::2], strict=True):
        line, _, reply = text.partition("\n\n")
        found.append((mark == "x", " ".join(line.split()), textwrap.dedent(reply).strip()))
    return found


class GuessDirective(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar = dict.fromkeys(("number", "waits", "hides"), directives.unchanged_required)

    def run(self) -> list[nodes.Node]:
        body = "\n".join(self.content)
        found = answers(body)
        if len(found) != 3 or sum(right for right, _, _ in found) != 1 or not all(reply for _, _, reply in found):
            raise self.error("a guess has three answers, one of them right (- [x]), and a reply to each")
        serial, options = self.env.new_serialno("guess"), self.options
        waits, hides, typed = (options.get(name, "") for name in ("waits", "hides", "number"))
        told = {"waits": waits, "hides": hides}
        if typed:
            bounds = _BOUNDS.fullmatch(found[1][1])
            if _ANSWER.findall(body) != ["<", "x", ">"] or not bounds:
                raise self.error("a number has the answers - [<] less, - [x] 15 to 17 and - [>] more, in this order")
            told["low"], told["high"] = bounds.groups()
        data = "".join(f' data-{name}="{value}"' for name, value in told.items() if value)
        guess = Html(
            before=f'<fieldset class="guess"{data}>', after=f"{'' if EPUB else ending(waits, hides)}</fieldset>\n"
        )
        guess += self._line("<legend><b>Guess.</b> ", self.arguments[0], "</legend>\n")
        if typed:
            box = '<input type="number" step="any" inputmode="decimal" aria-label="your guess" autocomplete="off">'
            guess += [] if EPUB else [self._answer(box, typed)]
        replies = Html(before='<details class="guess-replies"><summary>Answer</summary>\n', after="</details>\n")
        for place, (right, line, reply) in enumerate(found):
            if not typed:
                box = f'<input type="radio" name="guess-{serial}" value="{place}" autocomplete="off">'
                guess += self._answer("" if EPUB else box, line)
            kind, word = (" right", "Right.") if right else ("", "Not quite.")
            node = Html(before=f'<div class="guess-reply{kind}"><b>{word}</b>\n', after="</div>\n")
            self.state.nested_parse([reply], self.content_offset, node)
            replies += node
        guess += replies
        self.set_source_info(guess)
        return [guess]

    def _line(self, before: str, text: str, after: str) -> HtmlLine:
        return HtmlLine("", "", *self.state.inline_text(text, self.lineno)[0], before=before, after=after)

    def _answer(self, box: str, text: str) -> HtmlLine:
        return self._line(f'<label class="guess-answer">{box}<span>', text, "</span></label>\n")


def ending(waits: str, hides: str) -> str:
    """The button, the note that something waits, and the place of the reply."""
    button = '<button type="button" class="guess-check" hidden>Check</button>'
    if waits or hides:
        what = "The next part is hidden" if hides else f"“{waits.partition(',')[0]}” in the figure is locked"
        skip = f'<button type="button">{"Show" if hides else "Unlock"} it now</button>'
        button += f'<span class="guess-waits" hidden>{what} until you answer. {skip}</span>'
    return f'{button}<div class="guess-said" role="status" aria-live="polite"></div>'


def setup(app: Sphinx):
    app.setup_extension("html_nodes")
    app.add_directive("guess", GuessDirective)
    if not EPUB:
        app.add_js_file("guess.js", loading_method="defer")
    app.add_css_file("learner.css")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
