"""Figures whose model computes in the page: the reader types, and it answers.

On the book's site the weights are loaded on a click, from a script beside the page's
own; elsewhere the output is the static picture. ``inline=True`` puts code and weights
into the output: the figure works in a notebook, at the price of its size. What is typed
stays in the page.

Every function takes ``alt``, what the picture shows, in words.
"""

from attn_course.course.plots.explore.pictures import one_grid, svg, text
from attn_course.course.plots.explore.widget import Widget, thousandths
from attn_course.course.plots.live.weights import MODELS, packed, script, size, version
from attn_course.tasks.glassllm import load_book
from attn_course.tasks.live import trained

__all__ = [
    "MODELS",
    "live_dates",
    "live_reader",
    "live_translate",
    "live_writer",
    "script",
]

DATES = (
    "5 mai 2014",
    "monday march 7 1983",
    "Sonntag, 3. Oktober 2027",
    "1986年3月19日水曜日",
    "the 2nd of may 1999",
)
CATS = (
    "The cat drank the milk because it was thirsty.",
    "The cat drank the milk because it was fresh.",
    "The milk drank the cat because it was thirsty.",
    "The goat tasted the soup because it was salty.",
    "The cat, the dog and the cow drank milk because it was sick.",
)
GERMAN = (
    "Den Hund hat das Mädchen am Abend gesucht.",
    "Der Hund sieht den Mann.",
    "Den Hund sieht der Mann.",
    "Ich weiß, dass die alte Frau gestern drei rote Blumen gekauft hat.",
    "Der Brief, den meine Schwester gestern gefunden hat, ist alt.",
)


def live_dates(*, alt, inline=False, label="Type a date, see the attention"):
    """Type a date: Bahdanau's decoder of chapter 2 writes it, attending step by step.

    inline: code and weights stand in the output, 1.6 MB.
    """
    read, written, weights = trained("dates")["shown"]
    rows = [*written, "■"]
    picture = one_grid(thousandths(weights), rows, read, "written ↓  read →")
    data = {"prompt": "A date in one of 19 languages", "examples": DATES}
    return _live("live_dates", label, data, picture, alt, inline)


def live_reader(*, alt, inline=False, label="Type a sentence, see what “it” means"):
    """Type a sentence: the two layers of chapter 5 read it, and "it" copies a word.

    inline: code and weights stand in the output, 0.1 MB.
    """
    sentence, _, weights = trained("reader")["shown"]
    words = sentence.split()
    picture = one_grid(thousandths(weights), words, words, "looks ↓  looked at →")
    data = {"prompt": "A sentence with “it” in it", "examples": CATS}
    return _live("live_reader", label, data, picture, alt, inline)


def live_translate(*, alt, inline=False, label="Type German, see the attention"):
    """Type German: the Transformer of chapter 9 translates; cross-attention per head.

    inline: code and weights stand in the output, 0.3 MB.
    """
    german, english, weights = trained("sentences")["shown"]
    rows = [*english.split(), "■"]
    heading = "head 1: written ↓  read →"
    picture = one_grid(thousandths(weights[0]), rows, german.split(), heading)
    data = {"prompt": "A German sentence", "examples": GERMAN}
    return _live("live_translate", label, data, picture, alt, inline)


def live_writer(*, alt, inline=False, label="Let the model write on"):
    """A prompt: the language model of chapter 13 writes on, and its cache fills.

    Everything is kept, or a window, or a window and sinks; two key heads or one.

    inline: code and weights stand in the output, 2.1 MB.
    """
    book = load_book()
    start = book.index("Alice was beginning")
    prompts = {
        "Alice": "Alice was beginning to",
        "the Queen": "“Off with her head!” said the Queen",
        "a page of the book": book[start : start + 950],
    }
    data = {"prompt": "The beginning of a text", "prompts": list(prompts.items())}
    return _live("live_writer", label, data, _text(trained("glassllm")), alt, inline)


def _text(row):
    """What the language model wrote, in lines, and the size of its cache."""
    prompt, written, count = row["shown"]
    lines = [""]
    for word in (prompt + written).split():
        if len(lines[-1]) + len(word) > 58:
            lines.append("")
        lines[-1] += f"{word} "
    count += row["read"]
    lines += ["", f"{count} tokens, 2,048 bytes each: {2 * count} KiB of cache"]
    body = [text(8, 20 + 20 * place, line) for place, line in enumerate(lines)]
    return svg(500, 20 * len(lines) + 12, body)


def _live(kind, label, data, picture, alt, inline):
    """The figure, with its weights in it or with the name of their file."""
    data = {"kind": kind, "label": label, "size": size(kind), **data}
    where = {"file": packed(kind)} if inline else {"weights": version(kind)}
    return Widget(data | where, picture, alt, alone=inline)
