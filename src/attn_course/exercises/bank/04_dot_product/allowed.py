"""Write `allowed(padding, T)`: one mask from two. padding (B, S) bool, True where a
token stands; T queries, the last of the S positions; output (B, T, S) bool: a query
sees tokens, not after itself. A sentence without tokens gives False alone.

1. A pair is allowed if the key is a token and not after the query.
2. Query i stands at position i + S - T. Make one mask (T, S) and join it with the
   padding.
3. padding[:, None] & (np.arange(S) <= np.arange(T)[:, None] + S - T)
"""

title = "one mask from two"
level, minutes = 2, 10
before = "01.padding_mask"


def cases(rng):
    def draw(B, T, extra):
        S = T + extra
        return lengths_mask(rng, B, S), T

    cases = fixed_cases(
        rng, draw, 3, long=(1, 2), full={0: np.ones_like}, empty={0: cleared(0)}
    )
    return [*cases, Case("as many queries as keys", draw(3, 7, 0))]


# %% solution
def allowed(padding, T):
    ...  # (B, S) bool, a number; return (B, T, S) bool
    S = padding.shape[1]
    causal = np.arange(S) <= np.arange(T)[:, None] + S - T
    return padding[:, None] & causal


# %% mistake: queries and keys are aligned at the start
causal = np.arange(S) <= np.arange(T)[:, None]
# %% mistake: either is enough here; both are needed
return padding[:, None] | causal
# %% mistake: nothing is causal
return np.repeat(padding[:, None], T, axis=1)
# %% mistake: the padding is not used
return np.ones_like(padding)[:, None] & causal
# %% mistake: the padding is inverted: True is a token
return ~padding[:, None] & causal
# %% mistake: a query does not see itself
causal = np.arange(S) < np.arange(T)[:, None] + S - T
# %% mistake: a query sees the key after itself
causal = np.arange(S) - 1 <= np.arange(T)[:, None] + S - T
# %% mistake: a query sees only what comes after it
causal = np.arange(S) >= np.arange(T)[:, None] + S - T
# %% mistake: the sign is wrong: query i stands at i + S - T
causal = np.arange(S) <= np.arange(T)[:, None] - S + T
# %% mistake: the mask is transposed: queries come before keys
return (padding[:, None] & causal).swapaxes(1, 2)
# %% mistake: numbers come out; a mask is boolean
return (padding[:, None] & causal).astype(float)
# %% mistake: everything is inverted: True should mean may attend
return ~(padding[:, None] & causal)
# %% mistake: every sentence gets the first one's padding
return padding[:1, None] & causal
# %% mistake: query i stands at i + S - T, not at i + T - 1
causal = np.arange(S) <= np.arange(T)[:, None] + T - 1
# %% mistake: there is one mask for all sentences: padding is not used
return causal
