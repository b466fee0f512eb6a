"""Predict, then measure. A multi-head layer of width 512 without biases has 8 heads,
each 64 wide. It gets 16 heads, each as wide as before. How many parameters has it then?
Enter your guess, then write `parameters(model_dim, num_heads, head_dim, use_bias)`: the
parameters of its four maps, use_bias True or False.

1. How wide are all heads together, and which matrices have that width?
2. query, key and value lead from model_dim to num_heads * head_dim, the output back.
3. A map of n to m columns has n * m parameters, and m more with a bias.
"""

title = "predict the parameters of wider heads"
level, minutes = 1, 5
kind = "predict"
before = "06.two_heads"
predict = "width 512, 16 heads of width 64, no biases"
ask = (512, 16, 64, False)


def cases(rng):
    cases = [
        Case("another number of heads", (int(width), heads, int(size), bias))
        for heads, width, size, bias in zip(
            (2, 3), rng.integers(11, 20, 2), rng.integers(4, 9, 2), (False, True)
        )
    ]
    cases.append(Case("one head", (7, 1, 5, True)))
    cases.append(Case("heads of width 1", (5, 3, 1, False)))
    return [*cases, Case("width 768", (768, 12, 64, True))]


# %% solution
def parameters(model_dim, num_heads, head_dim, use_bias):
    ...  # three numbers and a bool; return a number
    width = num_heads * head_dim
    into = 3 * (model_dim + use_bias) * width
    return into + (width + use_bias) * model_dim


# %% mistake: the heads don't share the layer's width: each is head_dim wide
width = model_dim
# %% mistake: one head was counted, of num_heads
width = head_dim
# %% mistake: the output map is missing: there are four
return into
# %% mistake: the biases are missing
into = 3 * model_dim * width
return into + width * model_dim
# %% mistake: the biases are counted though use_bias is False
into = 3 * (model_dim + 1) * width
return into + (width + 1) * model_dim
# %% mistake: the output map has a bias, too: model_dim numbers
return into + width * model_dim
# %% mistake: query, key and value have a bias each, as wide as all heads
into = 3 * model_dim * width
# %% mistake: query, key and value are three maps
into = (model_dim + use_bias) * width
# %% mistake: a bias has a number per column that comes out, not per column that goes in
into = 3 * model_dim * (width + use_bias)
# %% mistake: the output map's bias is model_dim wide, not as wide as the heads
return into + width * (model_dim + use_bias)
# %% mistake: there is one output map, for all heads together
return into + num_heads * (width + use_bias) * model_dim
# %% mistake: a bias is a vector, not a number
return 4 * model_dim * width + 4 * use_bias
# %% mistake: the width is a constant; it is handed over
into = 3 * (512 + use_bias) * width
return into + (width + use_bias) * 512
