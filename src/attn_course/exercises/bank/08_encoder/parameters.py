"""Predict, then measure. An encoder layer has width 512 and an inner width of 2,048,
biases in all its maps, and two layer norms with scale and bias. How many parameters has
it? Enter your guess, then write `parameters(model_dim, ff_dim)`.

1. Count by part: attention, network, norms.
2. Attention has four (D, D) maps, the network a (D, F) and an (F, D) map.
3. 4 * D * (D + 1), 2 * D * F + F + D, and 4 * D for the norms.
"""

title = "predict the number of parameters"
level, minutes = 1, 10
kind = "predict"
before = "06.parameters"
predict = "width 512, inner width 2,048"
ask = (512, 2048)


def cases(rng):
    sizes = [(int(D), int(F)) for D, F in rng.integers(2, 99, size=(4, 2))]
    cases = [Case("other sizes", size) for size in sizes]
    return [*cases, Case("width 1", (1, 3)), Case("width 768", (768, 3072))]


# %% solution
def parameters(model_dim, ff_dim):
    ...  # two numbers; return a number
    attention = 4 * model_dim * (model_dim + 1)
    network = 2 * model_dim * ff_dim + ff_dim + model_dim
    return attention + network + 4 * model_dim


# %% mistake: 4 * model_dim are missing: attention's biases, or the norms
return attention + network
# %% mistake: there are two norms, each with a scale and a bias
return attention + network + 2 * model_dim
# %% mistake: the network's biases are missing
network = 2 * model_dim * ff_dim
# %% mistake: the network's second bias is missing
network = 2 * model_dim * ff_dim + ff_dim
# %% mistake: the network's first bias is missing
network = 2 * model_dim * ff_dim + model_dim
# %% mistake: the network has two maps
network = model_dim * ff_dim + ff_dim + model_dim
# %% mistake: attention has four maps
attention = 3 * model_dim * (model_dim + 1)
# %% mistake: attention has 4 * model_dim biases, not one
attention = 4 * model_dim * model_dim + 1
# %% mistake: the norms have 4 * model_dim numbers, not 4
return attention + network + 4
# %% mistake: the norms are as wide as the model, not as the inner width
return attention + network + 2 * ff_dim
# %% mistake: the inner width is handed over; it isn't always 4 * model_dim
network = 2 * model_dim * 4 * model_dim + 4 * model_dim + model_dim
# %% mistake: each map has the whole width: heads share it out
return 8 * (attention + network + 4 * model_dim)
