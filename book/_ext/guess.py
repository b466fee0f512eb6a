"""`:::{guess} Question?` with three answers to click, or a number to type: the reader decides before the page tells.

Each answer is `- [ ] text` or, the right one, `- [x] text`, followed by what is said to those who choose it, indented.
With `:number: letters` (the unit) the reader types a number: `- [<] less`, `- [x] 15 to 17` and `- [>] more` have the
replies to a smaller one, to one within these bounds, and to a larger one. `:waits: width, length` names controls of the
figure above, and `:hides: fig-a, fig-b` beginnings of names of figures on the page, that wait for the answer.

Native fields and a button "Check"; `_static/guess.js` shows the reply in a live region. Without a script the answer is
a fold and nothing waits.
Nothing is stored. A notebook gets the question, the answers as a list and the reply in <details>.
"""

from __future__ import annotations

import os
import re
import textwrap
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

EPUB = os.environ.get("ATTN_COURSE_BUILDER") == "epub"
_ANSWER = re.compile(r"(?m)^- \[([ x<>])\] ")
_BOUNDS = re.compile(r"([\d.]+) to ([\d.]+)")


class Guess(nodes.General, nodes.Element):
    """The question; its children are GuessQuestion, the GuessAnswers, then the GuessReplies."""


class GuessQuestion(nodes.General, nodes.TextElement):
    """The line above the answers."""


class GuessAnswer(nodes.General, nodes.TextElement):
    """One radio button and its words."""


class GuessReplies(nodes.General, nodes.Element):
    """What the fold holds where no script runs."""


class GuessReply(nodes.General, nodes.Element):
    """What is said to those who choose an answer."""


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
        number = self.env.new_serialno("guess")
        guess = Guess("", GuessQuestion("", "", *self._inline(self.arguments[0])))
        guess["waits"], guess["hides"] = self.options.get("waits", ""), self.options.get("hides", "")
        if "number" in self.options:
            bounds = _BOUNDS.fullmatch(found[1][1])
            if _ANSWER.findall(body) != ["<", "x", ">"] or not bounds:
                raise self.error("a number has the answers - [<] less, - [x] 15 to 17 and - [>] more, in this order")
            guess["low"], guess["high"] = bounds.groups()
            unit = self._inline(self.options["number"])
            guess += GuessAnswer("", "", *unit, number=number, place=0, typed=True)
        replies = GuessReplies()
        for place, (right, line, reply) in enumerate(found):
            if "low" not in guess:
                guess += GuessAnswer("", "", *self._inline(line), number=number, place=place, typed=False)
            node = GuessReply("", right=right)
            self.state.nested_parse([reply], self.content_offset, node)
            replies += node
        guess += replies
        self.set_source_info(guess)
        return [guess]

    def _inline(self, text: str) -> list[nodes.Node]:
        return self.state.inline_text(text, self.lineno)[0]


def visit_guess(writer, node):
    told = "".join(f' data-{name}="{node[name]}"' for name in ("waits", "hides", "low", "high") if node.get(name))
    writer.body.append(f'<fieldset class="guess"{told}>')


def depart_guess(writer, node):
    button = '<button type="button" class="guess-check" hidden>Check</button>'
    if node["waits"] or node["hides"]:
        what = "The figure below" if node["hides"] else f"“{node['waits'].partition(',')[0]}” in the figure"
        skip = '<button type="button">Don\'t wait</button>'
        button += f'<span class="guess-waits" hidden>{what} waits for your answer. {skip}</span>'
    said = '<div class="guess-said" role="status" aria-live="polite"></div>'
    writer.body.append(f"{'' if EPUB else button + said}</fieldset>\n")


def visit_question(writer, node):
    writer.body.append("<legend><b>Guess.</b> ")


def depart_question(writer, node):
    writer.body.append("</legend>\n")


def visit_answer(writer, node):
    if node["typed"] and EPUB:
        raise nodes.SkipNode
    box = f'<input type="radio" name="guess-{node["number"]}" value="{node["place"]}" autocomplete="off">'
    if node["typed"]:
        box = '<input type="number" step="any" inputmode="decimal" aria-label="your guess" autocomplete="off">'
    writer.body.append(f'<label class="guess-answer">{"" if EPUB else box}<span>')


def depart_answer(writer, node):
    writer.body.append("</span></label>\n")


def visit_replies(writer, node):
    writer.body.append('<details class="guess-replies"><summary>Answer</summary>\n')


def depart_replies(writer, node):
    writer.body.append("</details>\n")


def visit_reply(writer, node):
    right = node["right"]
    word = "Right." if right else "Not quite."
    writer.body.append(f'<div class="guess-reply{" right" if right else ""}"><b>{word}</b>\n')


def depart_reply(writer, node):
    writer.body.append("</div>\n")


def nothing(writer, node):
    """Other kinds of output show everything."""


def setup(app: Sphinx):
    others = dict.fromkeys(("latex", "text", "man", "texinfo"), (nothing, nothing))
    app.add_node(Guess, html=(visit_guess, depart_guess), **others)
    app.add_node(GuessQuestion, html=(visit_question, depart_question), **others)
    app.add_node(GuessAnswer, html=(visit_answer, depart_answer), **others)
    app.add_node(GuessReplies, html=(visit_replies, depart_replies), **others)
    app.add_node(GuessReply, html=(visit_reply, depart_reply), **others)
    app.add_directive("guess", GuessDirective)
    if not EPUB:
        app.add_js_file("guess.js", loading_method="defer")
    app.add_css_file("learner.css")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
