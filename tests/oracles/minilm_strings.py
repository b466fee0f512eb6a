"""Twenty strings for the pretrained encoder of sentences: plain, marked, accented, broken, empty, too long."""

STRINGS = [
    "That is a happy person",
    "That is a happy dog",
    "Today is a sunny day",
    "In the beginning, God created the heavens and the earth.",
    "Attention is all you need!",
    "  spaces,\ttabs\nand   lines  ",
    "don't stop; it's 3.14 (or 22/7) -- e.g. a_b @ 50% of $1,000 ~ #1 ^2",
    "naïve café, Él dijo: «mañana» ¿no?",
    "İstanbul, ÅNGSTRÖM, Straße, œuvre",
    "注意力 is attention in 中文",
    "λόγος καὶ φῶς",
    "a zero\u200bwidth, a soft\u00adhyphen, a bell\x07, a broken \ufffd mark",
    "unaffable pseudopseudohypoparathyroidism",
    "x" * 101 + " " + "x" * 100,
    "👍 good 🤷 shrug",
    "Привет, мир",
    "[citation needed] is in brackets",
    "",
    "“quotes” — and … dots",
    "many words " * 200,
]
