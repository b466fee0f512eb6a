"""Find the bugs; there are two. A cache holds a text of S tokens and an entry for each
whole block of m of them. The last T of the text are queries: each reads the entries of
the blocks that are whole at its own place, and of the tokens the last w, its own among
them. In training, T = S, a model reached a loss that decoding, T = 1, did not keep.
Output (T, S // m + S), True where a query reads: the entries first, then the tokens.

1. Print the rows for T = S = 4, m = 2: which tokens are in the entry that query 2 sees?
2. With T = 1, which place of the text does the only query have?
3. place = np.arange(S - T, S)[:, None]; an entry is there when (entry + 1) * m tokens
   are.
"""

title = "find the bugs of entries seen too early"
level, minutes = 2, 15
kind = "bug"
before = "12.blocks"


def cases(rng):
    sizes = [
        ("a whole text", (11, 11, 3, 4)),
        ("one token at a time", (1, 13, 4, 5)),
        ("sizes of different primes", (5, 17, 2, 7)),
        ("a block that ends with the text", (2, 12, 4, 3)),
        ("a text shorter than a block", (2, 3, 5, 2)),
        ("a window longer than the text", (3, 7, 2, 50)),
        ("blocks of one token", (4, 9, 1, 2)),
        ("length 100", (100, 100, 8, 7)),
    ]
    return [Case(name, given) for name, given in sizes]


# %% solution
def entries(T, S, m, w):
    place = np.arange(S - T, S)[:, None]
    entry, token = np.arange(S // m), np.arange(S)
    whole = (entry + 1) * m <= place + 1
    near = (token <= place) & (token > place - w)
    return np.concatenate([whole, near], axis=1)


# %% starter
def entries(T, S, m, w):
    place = np.arange(T)[:, None]
    entry, token = np.arange(S // m), np.arange(S)
    whole = entry * m <= place
    near = (token <= place) & (token > place - w)
    return np.concatenate([whole, near], axis=1)


# %% mistake: an entry is seen when its block begins: it holds tokens that come later
whole = entry * m <= place
# %% mistake: the queries are the last tokens of the text, and here the first
place = np.arange(T)[:, None]
# %% mistake: the token that makes a block whole sees its entry; here the next one does
whole = (entry + 1) * m <= place
# %% mistake: the window holds w tokens, and here one more
near = (token <= place) & (token >= place - w)
# %% mistake: a query reads tokens that come after it
near = token > place - w
# %% mistake: a query reads its own token too
near = (token < place) & (token > place - w)
# %% mistake: a query reads its window alone, and no entry
whole = entry * m < 0 * place
# %% mistake: the entries stand first, then the tokens
return np.concatenate([near, whole], axis=1)
# %% mistake: the window is cut to whole blocks; it holds the last w tokens
near = (token <= place) & (token // m > (place - w) // m)
