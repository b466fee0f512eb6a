"""Predict, then measure. A decoder layer has width 512 and an inner width of 2,048,
biases in all its maps, and a layer norm with scale and bias behind each of its parts.
How many parameters has it? Enter your guess, then write `decoder_parameters(model_dim,
ff_dim)`.

1. An encoder layer has one attention, a network and two norms.
2. A decoder layer has a second attention, to the memory, and a third norm.
3. 2 * 4 * D * (D + 1), 2 * D * F + F + D, and 6 * D for the norms.
"""

title = "predict the parameters of a decoder layer"
level, minutes = 1, 10
kind = "predict"
before = "the parameters of an encoder layer"
predict = "width 512, inner width 2,048"
ask = (512, 2048)


def cases(rng):
    sizes = [(int(D), int(F)) for D, F in rng.integers(2, 99, size=(4, 2))]
    cases = [Case("other sizes", size) for size in sizes]
    return [*cases, Case("width 1", (1, 3)), Case("width 1024", (1024, 4096))]


# %% solution
def decoder_parameters(model_dim, ff_dim):
    ...  # two numbers; return a number
    attention = 4 * model_dim * (model_dim + 1)
    network = 2 * model_dim * ff_dim + ff_dim + model_dim
    return 2 * attention + network + 6 * model_dim


# %% mistake: there are two attentions: to itself and across
return attention + network + 6 * model_dim
# %% mistake: there are three norms, each with a scale and a bias
return 2 * attention + network + 4 * model_dim
# %% mistake: each of the three norms has a scale and a bias
return 2 * attention + network + 3 * model_dim
# %% mistake: the norms are missing
return 2 * attention + network
# %% mistake: attention's biases are missing
attention = 4 * model_dim * model_dim
# %% mistake: the network's biases are missing
network = 2 * model_dim * ff_dim
# %% mistake: the network has two maps
network = model_dim * ff_dim + ff_dim + model_dim
# %% mistake: attention has four maps
attention = 3 * model_dim * (model_dim + 1)
# %% mistake: the network's second bias is missing
network = 2 * model_dim * ff_dim + ff_dim
# %% mistake: the network's first bias is missing
network = 2 * model_dim * ff_dim + model_dim
# %% mistake: there is one network, not two
return 2 * (attention + network) + 6 * model_dim
# %% mistake: there are two attentions, not three
return 3 * attention + network + 6 * model_dim
# %% mistake: the norms have 6 * model_dim numbers, not 6
return 2 * attention + network + 6
# %% mistake: the norms are as wide as the model, not as the inner width
return 2 * attention + network + 6 * ff_dim
# %% mistake: the inner width is handed over; it isn't always 4 * model_dim
network = 2 * model_dim * 4 * model_dim + 4 * model_dim + model_dim
# %% mistake: the network's second map is missing
network = model_dim * ff_dim + ff_dim
