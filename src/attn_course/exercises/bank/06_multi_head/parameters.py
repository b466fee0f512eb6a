"""Predict, then measure. A multi-head layer of width 512 without biases has 8 heads.
How many parameters does it have with 16 heads? Enter your guess, then write
`parameters(model_dim, num_heads, use_bias)`: the parameters of its four maps, heads of
width model_dim / num_heads, use_bias True or False.

1. H heads of width D / H: how wide are they together?
2. query, key, value and output are each a (D, D) matrix, whatever H is.
3. 4 * D * D, and 4 * D more where there are biases.
"""

title = "predict the number of parameters"
level, minutes = 1, 5
kind = "predict"
before = "06.two_heads"
predict = "width 512, 16 heads, no biases"
ask = (512, 16, False)


def cases(rng):
    cases = [
        Case("another number of heads", (heads * int(size), heads, bool(bias)))
        for heads, size, bias in (
            (2, rng.integers(2, 9), 0),
            (3, rng.integers(2, 9), 1),
        )
    ]
    cases.append(Case("one head", (7, 1, True)))
    cases.append(Case("heads of width 1", (5, 5, False)))
    return [*cases, Case("width 768", (768, 12, True))]


# %% solution
def parameters(model_dim, num_heads, use_bias):
    ...  # two numbers and a bool; return a number
    return 4 * model_dim * (model_dim + use_bias)


# %% mistake: the heads share the width: their number doesn't matter
return 4 * num_heads * model_dim * (model_dim + use_bias)
# %% mistake: each head was given the whole width for three maps
return (3 * num_heads + 1) * model_dim * (model_dim + use_bias)
# %% mistake: the output map is missing: there are four
return 3 * model_dim * (model_dim + use_bias)
# %% mistake: the biases are missing
return 4 * model_dim * (model_dim)
# %% mistake: the biases are counted though use_bias is False
return 4 * model_dim * (model_dim + 1)
# %% mistake: one bias is one number per column, model_dim of them
return 4 * model_dim * model_dim + 4 * use_bias
# %% mistake: one map has model_dim biases; four have four times as many
return 4 * model_dim * model_dim + model_dim * use_bias
# %% mistake: the maps are divided by the heads' number; together they are full
return 4 * model_dim * (model_dim + use_bias) // num_heads
# %% mistake: only the output map has a bias here; all four have
return 3 * model_dim * model_dim + model_dim * (model_dim + 2 * use_bias)
# %% mistake: all maps together have one bias; each has model_dim
return 4 * model_dim * model_dim + use_bias
# %% mistake: each map has its biases once, not four times
return 4 * model_dim * (model_dim + 4 * use_bias)
# %% mistake: the biases don't depend on the number of heads
return 4 * model_dim * (model_dim + num_heads * use_bias)
# %% mistake: the width is a constant; it is handed over
return 4 * model_dim * (512 + use_bias)
# %% mistake: queries and keys alone have heads of this width; all four maps are full
return 4 * model_dim * model_dim // num_heads * (num_heads // 2 + 1)
