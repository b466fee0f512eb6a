"""The grammar: words, and the rules that put them into sentences of two languages."""

from typing import NamedTuple


class Noun(NamedTuple):
    singular: str
    plural: str
    gender: str
    english: str
    many: str
    kind: str


class Adjective(NamedTuple):
    stem: str
    alone: str  # as in "ist müde"
    english: str
    kinds: tuple


class Verb(NamedTuple):
    infinitive: str
    third: str  # "er sieht"
    participle: str
    english: str
    past: str
    actors: tuple
    objects: tuple


class Phrase(NamedTuple):
    """Who or what: its words in both languages; clear: its form tells its case."""

    german: list
    english: list
    plural: bool
    clear: bool
    person: str = "er"


def _rows(kind, table):
    rows = (line.split() for line in table.strip().splitlines())
    return [kind(*(word.replace("_", " ") for word in row)) for row in rows]


NOUNS = _rows(
    Noun,
    """
    Frau Frauen f woman women person
    Mann Männer m man men person
    Kind Kinder n child children person
    Lehrerin Lehrerinnen f teacher teachers person
    Arzt Ärzte m doctor doctors person
    Mädchen Mädchen n girl girls person
    Schwester Schwestern f sister sisters person
    Bruder Brüder m brother brothers person
    Freund Freunde m friend friends person
    Königin Königinnen f queen queens person
    Katze Katzen f cat cats animal
    Hund Hunde m dog dogs animal
    Pferd Pferde n horse horses animal
    Haus Häuser n house houses thing
    Buch Bücher n book books thing
    Brief Briefe m letter letters thing
    Apfel Äpfel m apple apples thing
    Blume Blumen f flower flowers thing
    Schiff Schiffe n ship ships thing
    Lampe Lampen f lamp lamps thing
    Tisch Tische m table tables thing
    Tür Türen f door doors thing
    """,
)
ALL, ALIVE = ("person", "animal", "thing"), ("person", "animal")
NOT_PERSON, PERSON = ("animal", "thing"), ("person",)
ADJECTIVES = [
    Adjective("alt", "alt", "old", ALL),
    Adjective("neu", "neu", "new", ALL),
    Adjective("klein", "klein", "small", ALL),
    Adjective("groß", "groß", "big", ALL),
    Adjective("schön", "schön", "beautiful", ALL),
    Adjective("rot", "rot", "red", NOT_PERSON),
    Adjective("weiß", "weiß", "white", NOT_PERSON),
    Adjective("jung", "jung", "young", ALIVE),
    Adjective("arm", "arm", "poor", ALIVE),
    Adjective("müd", "müde", "tired", ALIVE),
]
VERBS = [
    Verb("sehen", "sieht", "gesehen", "see", "saw", ALIVE, ALL),
    Verb("finden", "findet", "gefunden", "find", "found", ALIVE, ALL),
    Verb("suchen", "sucht", "gesucht", "look for", "looked for", ALIVE, ALL),
    Verb("lieben", "liebt", "geliebt", "love", "loved", ALIVE, ALL),
    Verb("brauchen", "braucht", "gebraucht", "need", "needed", PERSON, ALL),
    Verb("kaufen", "kauft", "gekauft", "buy", "bought", PERSON, NOT_PERSON),
    Verb("verlieren", "verliert", "verloren", "lose", "lost", PERSON, NOT_PERSON),
    Verb("malen", "malt", "gemalt", "paint", "painted", PERSON, ALL),
    Verb("zeichnen", "zeichnet", "gezeichnet", "draw", "drew", PERSON, ALL),
    Verb("waschen", "wäscht", "gewaschen", "wash", "washed", PERSON, ALIVE),
]
NUMBERS = [("zwei", "two"), ("drei", "three"), ("vier", "four"), ("fünf", "five")]
# German, English, the tense that it asks for.
TIMES = [
    ("gestern", "yesterday", "past"),
    ("heute", "today", ""),
    ("morgen", "tomorrow", "future"),
    ("jetzt", "now", "present"),
    ("am Abend", "in the evening", ""),
    ("am Montag", "on Monday", ""),
]
PRONOUNS = [
    Phrase(["ich"], ["I"], False, True, "ich"),
    Phrase(["wir"], ["we"], True, True, "wir"),
    Phrase(["sie"], ["she"], False, False),
    Phrase(["er"], ["he"], False, True),
]
# Of "have", "will" and "can": I, he, we.
AUXILIARIES = {
    "past": {"ich": "habe", "er": "hat", "wir": "haben"},
    "future": {"ich": "werde", "er": "wird", "wir": "werden"},
    "can": {"ich": "kann", "er": "kann", "wir": "können"},
}
ENGLISH = {"future": "will", "can": "can"}
# Of gender and case: the article, the adjective's ending.
ARTICLES = {
    "the": {
        "m nom": ("der", "e"),
        "m acc": ("den", "en"),
        "f": ("die", "e"),
        "n": ("das", "e"),
    },
    "a": {
        "m nom": ("ein", "er"),
        "m acc": ("einen", "en"),
        "f": ("eine", "e"),
        "n": ("ein", "es"),
    },
}
KINDS = ("plain", "time", "object", "question", "that", "which")


def pick(rng, items):
    """One of them, each as likely as the others."""
    return items[int(rng.random() * len(items))]


def phrase(rng, kinds, case):
    """An article or a number, perhaps an adjective, a noun: a ``Phrase``."""
    noun = pick(rng, [noun for noun in NOUNS if noun.kind in kinds])
    fitting = [each for each in ADJECTIVES if noun.kind in each.kinds]
    adjective = pick(rng, fitting) if rng.random() < 0.6 else None
    said = [adjective.english] if adjective else []
    article = pick(rng, ("the", "a", "my", "number", "many"))
    if article in ("number", "many"):
        number = pick(rng, NUMBERS) if article == "number" else ("die", "the")
        ending = "e" if article == "number" else "en"
        middle = [adjective.stem + ending] if adjective else []
        english = [number[1], *said, noun.many]
        return Phrase([number[0], *middle, noun.plural], english, True, False, "wir")
    key = f"m {case}" if noun.gender == "m" else noun.gender
    word, ending = ARTICLES["the" if article == "the" else "a"][key]
    word = f"m{word}" if article == "my" else word
    middle = [adjective.stem + ending] if adjective else []
    english = [*said, noun.english]
    if article == "a" and english[0][0] in "aeiou":
        article = "an"
    german = [word, *middle, noun.singular]
    return Phrase(german, [article, *english], False, noun.gender == "m")


def present(verb, person):
    """The verb's form now: ich sehe, er sieht, wir sehen."""
    return {
        "ich": verb.infinitive.removesuffix("n"),
        "er": verb.third,
        "wir": verb.infinitive,
    }[person]


def he(english):
    """ "look for" becomes "looks for"."""
    first, *rest = english.split()
    return " ".join([first + ("es" if first.endswith("sh") else "s"), *rest])


def predicate(verb, tense, who, negated):
    """English: the statement's words, and those of a question, before and after."""
    base, no = verb.english.split(), ["not"] * negated
    if tense in ENGLISH:
        return [ENGLISH[tense], *no, *base], [ENGLISH[tense]], [*no, *base]
    alone = who.person == "er"
    does = "did" if tense == "past" else "does" if alone else "do"
    if negated:
        told = [does, "not", *base]
    elif tense == "past":
        told = verb.past.split()
    else:
        told = (he(verb.english) if alone else verb.english).split()
    return told, [does], [*no, *base]


def sentence(rng):
    """A sentence in German and in English, words and signs apart by spaces."""
    verb = pick(rng, VERBS)
    kind = pick(rng, (*KINDS, *KINDS[:2], *KINDS[-2:]))
    time = pick(rng, TIMES) if kind == "time" or rng.random() < 0.6 else ("", "", "")
    tense = time[2] or pick(rng, ("past", "past", "future", "present", "can"))
    if rng.random() < 0.25:
        who = pick(rng, PRONOUNS)
    else:
        who = phrase(rng, verb.actors, "nom")
    what = phrase(rng, verb.objects, "acc")
    clear = who.clear or what.clear or who.plural != what.plural
    if kind == "which":
        return _which(rng, verb, time, who, what, clear)
    if kind == "object" and not clear:
        kind = "plain"
    no = kind != "object" and what.english[0] not in ("a", "an") and rng.random() < 0.15
    if tense == "present":
        front, last = present(verb, who.person), []
    else:
        front = AUXILIARIES[tense][who.person]
        last = [verb.participle if tense == "past" else verb.infinitive]
    when, end = time[0].split(), [*what.german, *["nicht"] * no, *last]
    german = {
        "plain": [*who.german, front, *when, *end],
        "time": [*when, front, *who.german, *end],
        "object": [*what.german, front, *who.german, *when, *last],
        "question": [front, *who.german, *when, *end],
        "that": ["ich", "weiß", ",", "dass", *who.german, *when, *end, front],
    }[kind]
    told, before, after = predicate(verb, tense, who, no)
    english = [*who.english, *told]
    if kind == "question":
        english = [*before, *who.english, *after]
    english = ["I", "know", "that", *english] if kind == "that" else english
    english += [*what.english, *time[1].split()]
    sign = "?" if kind == "question" else "."
    return " ".join([*german, sign]), " ".join([*english, sign])


def _which(rng, verb, time, who, what, clear):
    """The book that I bought is old: past, and the object is one."""
    time = time if time[2] in ("", "past") else ("", "", "")
    names = {name: noun for noun in NOUNS for name in noun[:2]}
    noun = names[what.german[-1]]
    if noun.gender != "m" and not (who.clear or who.plural):
        who = PRONOUNS[0]  # or "die Frau, die das Kind gesehen hat" would be unclear
    fitting = [each for each in ADJECTIVES if noun.kind in each.kinds]
    adjective = pick(rng, fitting)
    article, other = {"m": ("der", "den"), "f": ("die", "die"), "n": ("das", "das")}[
        noun.gender
    ]
    german = [article, noun.singular, ",", other, *who.german, *time[0].split()]
    german += [verb.participle, AUXILIARIES["past"][who.person], ","]
    german += ["ist", adjective.alone, "."]
    english = ["the", noun.english, "that", *who.english, *verb.past.split()]
    english += [*time[1].split(), "is", adjective.english, "."]
    return " ".join(german), " ".join(english)
