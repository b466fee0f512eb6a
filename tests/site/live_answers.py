"""What PyTorch and TensorFlow answer to the inputs of the live figures' tests, with the weights that the pages load."""

import re
from functools import cache

import numpy as np

from attn_course import pytorch as attn_torch, tf as attn_tf
from attn_course.core.frameworks import tf, torch
from attn_course.course.labs.dates import task
from attn_course.course.labs.generate import pytorch as writer_torch, tf as writer_tf
from attn_course.course.labs.pronoun import pytorch as reader_torch, tf as reader_tf
from attn_course.course.labs.seq2seq import build
from attn_course.parity import set_parameters
from attn_course.tasks.dates import source_vocabulary
from attn_course.tasks.glassllm import load_book, load_tokenizer
from attn_course.tasks.live import load_weights
from attn_course.tasks.pronoun import WORDS
from attn_course.tasks.sentences import load_sentences, vocabulary
from attn_course.tasks.text import BEGIN, END

# Nothing, too much, other signs and scripts, markup: each gets an answer or a sentence.
ODD = (
    "", "   ", "x", "🎂🎂 2014", "猫は5月", "<b>5 mai 2014</b> & \"more\"", "٥ مايو ٢٠١٤", "!!! ... ???",
    "e\u0301te\u0301 4 \u200bjuillet", "5 mai 2014, der Hund sieht den Mann. " * 20,
)  # fmt: skip
DATES = (
    *ODD,
    "5 mai 2014", "monday march 7 1983", "Sonntag, 3. Oktober 2027", "1986年3月19日水曜日", "04/07/1999",
    "29 february 2023", "12 Ιανουαρίου 1988", "Lunedì 3 marzo 2008", "MAY 2ND 1999",
    "1955 m. balandžio 9 d., šeštadienis",
)  # fmt: skip
SENTENCES = (
    *ODD,
    "Den Hund hat das Mädchen am Abend gesucht.", "Der Hund sieht den Mann.", "Den Hund sieht der Mann.",
    "Ich weiß, dass die alte Frau gestern drei rote Blumen gekauft hat.", "DER HUND SIEHT",
    "Die Katze liebt den Staubsauger.",
    "hund", *load_sentences("test").sources[:3],
)  # fmt: skip
CATS = (
    *ODD,
    "The cat drank the milk because it was thirsty.", "the cat drank the milk because it was fresh",
    "The milk drank the cat because it was thirsty.", "It was sour.", "it", "THE GOAT",
    "The cat drank the beer because it was thirsty, and it was happy.", "no such words", "milk tea coffee",
    "the horse tasted the soup because it was salty " * 5,
)  # fmt: skip
BOOK = load_book()
PROMPTS = (
    *ODD,
    "Alice was beginning to", "“Off with her head!” said the Queen", "Ünknown 猫 letters\n\nand lines", "The", "\n\n\n",
    "CHAPTER I", "said the Hatter, ", BOOK[3000:3250], BOOK[5000:6000], "a  b   c",
)  # fmt: skip
assert len(DATES) == len(SENTENCES) == len(CATS) == len(PROMPTS) == 20
CACHES = {"everything": {}, "last 32": {"window": 32}, "last 28 and 4 sinks": {"window": 28, "sinks": 4}}
LONGEST = {"live_dates": 60, "live_translate": 40}  # pieces that the page reads
MOST = {"live_dates": 11, "live_translate": 40}  # tokens that it writes at most
INPUTS = {"live_dates": DATES, "live_translate": SENTENCES}


def pieces(kind, text):
    """What the page should read of a text."""
    found = list(text) if kind == "live_dates" else vocabulary().pieces(text)
    return found[: LONGEST[kind]]


def encoded(kind, text):
    """Its tokens (1, S)."""
    if kind == "live_dates":
        return source_vocabulary().encode(["".join(pieces(kind, text))])[0]
    return vocabulary().encode([" ".join(pieces(kind, text))])[0]


@cache
def model(kind, names):
    if kind == "live_dates":
        made = build(names, task(), attention=True)
    else:
        made = names.Transformer(len(vocabulary()), 1, 64, 4, 128, norm="pre")
    if names is attn_tf:
        made(tf.ones((1, 3), tf.int32), tf.ones((1, 2), tf.int32))
    weights = load_weights("dates" if kind == "live_dates" else "sentences")
    set_parameters(made, weights)
    return made


def as_array(names, x):
    return tf.constant(x, tf.int32) if names is attn_tf else torch.from_numpy(np.asarray(x, np.int64))


@torch.no_grad()
def answer(kind, names, text, tokens):
    """The logits (T, N) from which the page chose each token, and the weights (T, S) or (H, T, S)."""
    source, written = encoded(kind, text), [[BEGIN, *tokens[:-1]]]
    logits, weights = model(kind, names)(as_array(names, source), as_array(names, written))
    weights = weights[0] if kind == "live_dates" else weights[1][0][1][0]
    return logits.numpy()[0], weights.numpy()


def ended(kind, tokens):
    """Whether a text ends with its end alone, or is as long as the page lets it become."""
    return tokens.index(END) == len(tokens) - 1 if END in tokens else len(tokens) == MOST[kind]


def known(text):
    """The words of a text that the reader knows, as the page should read them: 24 at most."""
    return [word for word in re.findall(r"\w+", text.lower()) if word in WORDS][:24]


@cache
def reader(twin):
    made = twin.Reader(None)
    made(as_array(attn_tf if twin is reader_tf else attn_torch, [[0]]))
    set_parameters(made, load_weights("reader"))
    return made


@torch.no_grad()
def read(twin, words):
    """What each word copies (T, N), and the weights of both layers (2, T, T)."""
    ids = as_array(attn_tf if twin is reader_tf else attn_torch, [[WORDS.index(word) for word in words]])
    copied, weights = reader(twin)(ids)
    return copied.numpy()[0], np.array([layer.numpy()[0] for layer in weights])


@cache
def writer(twin, groups):
    whole = twin.load_glassllm()
    return whole if groups == 2 else twin.convert(whole, 1, "mean")


def read_of(prompt):
    """The tokens of a prompt that the page reads."""
    return load_tokenizer().encode(prompt)[:320].tolist()


@torch.no_grad()
def behind(twin, tokens, groups, cache, count):
    """The logits behind each of the last count tokens: of one pass where all is kept, else read one by one."""
    made = writer(twin, groups)
    rows = as_array(attn_tf if twin is writer_tf else attn_torch, [tokens])
    if cache == "everything":
        return twin.logits_of(made, rows).numpy()[0, -count:]
    kept = made.new_cache(1, len(tokens), **CACHES[cache])
    step = lambda new: twin.logits_of(made, new, kept)  # noqa: E731
    step = tf.function(step, input_signature=[tf.TensorSpec([1, 1], tf.int32)]) if twin is writer_tf else step
    return np.array([step(rows[:, n : n + 1])[0, -1].numpy() for n in range(len(tokens))])[-count:]


WRITERS = {"PyTorch": writer_torch, "TensorFlow": writer_tf}
FACES = {"PyTorch": attn_torch, "TensorFlow": attn_tf}
READERS = {"PyTorch": reader_torch, "TensorFlow": reader_tf}
