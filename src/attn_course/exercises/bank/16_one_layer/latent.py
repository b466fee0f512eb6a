"""MLA comes back, at its point. The cache holds one latent per token, from which every
head's keys and values could be made; a step of decoding makes none. Write
`latent(query, latents, key_map, value_map)`: query (H, K), latents (S, C), key_map
(H, K, C), value_map (H, V, C); a head's key is its key_map times a latent, its value
likewise; scores are divided by the root of K; output (H, V). With 4,096 tokens 2 MB may
be held at a time, and the keys of all heads take 4 or more. `softmax(score)` is given.

1. query · (key_map · latent) is a sum over K and C. Which of the two may be done first?
2. query times key_map is (H, C): it asks the latents themselves. The weights average
   latents, too.
3. np.einsum("hk,hkc->hc", query, key_map) @ latents.T, and at the end value_map.
"""

title = "MLA's step from its latents alone"
level, minutes = 2, 15
before = "13.decode"
usual = "overflow unscaled width"


def cases(rng):
    def draw(H, K, V, S, C):
        return normals(rng, (H, K), (S, C), (H, K, C), (H, V, C))

    query, *rest = draw(5, 7, 3, 11, 2)
    return [
        *fixed_cases(rng, draw, 5, equal=3, long=(3,)),
        Case("scores of several hundred", (1000 * query, *rest)),
        Case("4,096 tokens, and no head's keys", draw(8, 32, 32, 4096, 8), most=2**21),
    ]


# %% solution
def latent(query, latents, key_map, value_map):
    ...  # (H, K), (S, C), (H, K, C), (H, V, C); return (H, V)
    asks = np.einsum("hk,hkc->hc", query, key_map)
    score = asks @ latents.T / np.sqrt(query.shape[1])
    context = softmax(score) @ latents
    return np.einsum("hc,hvc->hv", context, value_map)


# %% mistake: the root is that of the latents' width; it is K's
score = asks @ latents.T / np.sqrt(latents.shape[1])
# %% mistake: the root is that of the value's width
score = asks @ latents.T / np.sqrt(value_map.shape[1])
# %% mistake: the softmax runs over the heads
context = softmax(score, axis=0) @ latents
# %% mistake: the scores are not turned into weights
context = score @ latents
# %% mistake: every head asks with the first one's query
asks = np.einsum("k,hkc->hc", query[0], key_map)
# %% mistake: every head asks with the first one's map
asks = np.einsum("hk,kc->hc", query, key_map[0])
# %% mistake: all heads' queries are added up
asks = np.einsum("hk,gkc->gc", query, key_map)
# %% mistake: each head has a map of values of its own
return np.einsum("hc,vc->hv", context, value_map[0])
# %% mistake: all heads' contexts are added up
return np.einsum("hc,gvc->gv", context, value_map)
# %% mistake: the latents are averaged without the weights
context = softmax(0 * score) @ latents


# %% mistake: it is the value of the newest token alone
def instead(query, latents, key_map, value_map):
    return value_map @ latents[-1]


# %% mistake: the width is that of the maps, (H, V): this is the latent's
def instead(query, latents, key_map, value_map):
    asks = np.einsum("hk,hkc->hc", query, key_map)
    return softmax(asks @ latents.T / np.sqrt(query.shape[1])) @ latents
