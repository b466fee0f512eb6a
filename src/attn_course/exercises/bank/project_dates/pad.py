"""Write `pad(texts, characters)`: a batch of texts as numbers. The token of a character
is its place in `characters`, counted from 4; one that is not there is 3. Texts are
filled up with 0 to the longest. Returns tokens (B, S), whole numbers, and mask (B, S)
bool, True where a character is.

1. Two steps: a dictionary from characters to numbers, and an array of zeros that is as
   wide as the longest text.
2. Fill the first len(text) places of each row; what stays 0 is padding, so the mask can
   be read off the tokens.
3. place = {each: n for n, each in enumerate(characters, start=4)}; row[: len(text)] =
   [place.get(each, 3) for each in text]; the mask is tokens != 0.
"""

title = "pad texts to one batch, with a mask"
level, minutes = 1, 10
before = "01.padding_mask"


def cases(rng):
    letters = np.array(list("abcdefghij 0123456789"))

    def draw(*lengths):
        alphabet = rng.permutation(letters)[: int(rng.integers(9, 15))]
        texts = tuple("".join(rng.choice(alphabet, n)) for n in lengths)
        return texts, "".join(alphabet)

    def named(name, *lengths):
        return Case(name, draw(*lengths))

    texts, characters = draw(5, 7, 3)
    return [
        named("texts of different lengths", *rng.permutation([2, 3, 5, 7, 11])),
        named("texts of one length", 5, 5, 5),
        named("one text", 7),
        named("texts of one character", 1, 1),
        named("an empty text", 3, 0, 5),
        Case("an unknown character", (("#" + texts[0], *texts[1:]), characters)),
        Case("a blank at the beginning", ((" " + texts[1], *texts[1:]), characters)),
    ]


# %% solution
def pad(texts, characters):
    ...  # list of B texts, text; return (B, S), (B, S) bool
    place = {each: number for number, each in enumerate(characters, start=4)}
    tokens = np.zeros((len(texts), max(len(text) for text in texts)), int)
    for row, text in zip(tokens, texts, strict=True):
        row[: len(text)] = [place.get(each, 3) for each in text]
    return tokens, tokens != 0


# %% mistake: the numbers begin at 4: 0 to 3 are padding, begin, end, unknown
place = {each: number for number, each in enumerate(characters)}
# %% mistake: the numbers begin at 4, not at 1
place = {each: number for number, each in enumerate(characters, start=1)}
# %% mistake: the numbers begin at 4, not at 3, which is an unknown character
place = {each: number for number, each in enumerate(characters, start=3)}
# %% mistake: the mask is inverted: True is a character
return tokens, tokens == 0
# %% mistake: an unknown character is 3, not 0, which is padding
row[: len(text)] = [place.get(each, 0) for each in text]
# %% mistake: an unknown character is masked too; it is there, only padding isn't
return tokens, tokens > 3
# %% mistake: padding stands at the end, not at the beginning
row[len(row) - len(text) :] = [place.get(each, 3) for each in text]
# %% mistake: a position is always left free at the end
tokens = np.zeros((len(texts), max(len(text) for text in texts) + 1), int)
# %% mistake: the texts are read backwards
row[: len(text)] = [place.get(each, 3) for each in text[::-1]]
