"""Read real code: Qwen3-Next's gated delta rule. The comments are its loop in
transformers (`torch_recurrent_gated_delta_rule`), shortened, for one head: query, key
(T, K), value (T, V), g and beta (T). Return the same by one call of
`delta_rule_attention`, whose keys have length 1, whose decay is a share from 0 to 1,
and which does not scale.

1. Three things differ: what comes before the call to query and key, and what g is.
2. g is the logarithm of the decay: the loop keeps exp(g) of the state.
3. delta_rule_attention(query / K**0.5, key, value, beta, decay=np.exp(g))[0], with both
   divided by their lengths.
"""

title = "read real code: Qwen3-Next's gated delta rule"
level, minutes = 2, 15
before = "11.recurrent"


def cases(rng):
    def draw(T, K, V):
        query, key = rng.normal(size=(2, T, K))
        g, beta = -rng.uniform(0.05, 0.9, T), rng.uniform(0.2, 0.95, T)
        return query, key, rng.normal(size=(T, V)), g, beta

    cases = fixed_cases(rng, draw, 3, long=(0,))
    query, key, value, g, beta = draw(7, 3, 2)
    cases.append(Case("nothing fades", (query, key, value, 0 * g, beta)))
    return [*cases, Case("long vectors", (5 * query, 3 * key, value, g, beta))]


# %% solution
def translated(query, key, value, g, beta):
    from attn_course.reference import delta_rule_attention

    # query, key = l2norm(query) / query.shape[-1] ** 0.5, l2norm(key)
    # last_state = last_state * g_t.exp()
    # kv_mem = (last_state * k_t.unsqueeze(-1)).sum(dim=-2)
    # delta = (v_t - kv_mem) * beta_t
    # last_state = last_state + k_t.unsqueeze(-1) * delta.unsqueeze(-2)
    # out[i] = (last_state * q_t.unsqueeze(-1)).sum(dim=-2)
    ...  # (T, K), (T, K), (T, V), (T), (T); return (T, V)
    lengths = [np.linalg.norm(x, axis=1, keepdims=True) for x in (query, key)]
    query, key = query / lengths[0], key / lengths[1]
    query = query / query.shape[1] ** 0.5
    return delta_rule_attention(query, key, value, beta, decay=np.exp(g))[0]


# %% mistake: g is the logarithm of the decay, and this is its negative
return delta_rule_attention(query, key, value, beta, decay=-g)[0]
# %% mistake: the decay is missing
return delta_rule_attention(query, key, value, beta)[0]
# %% mistake: 1 - exp(g) is what is lost; the decay is what stays
return delta_rule_attention(query, key, value, beta, decay=1 - np.exp(g))[0]
# %% mistake: beta and the decay are exchanged
return delta_rule_attention(query, key, value, np.exp(g), decay=beta)[0]
# %% mistake: the query is not divided by the root of K
query = query / 1
# %% mistake: the query is divided by K, not by its root
query = query / query.shape[1]
# %% mistake: the key is not brought to length 1
query, key = query / lengths[0], key
# %% mistake: the query is not brought to length 1
query, key = query, key / lengths[1]
# %% mistake: query and key have each other's lengths
query, key = query / lengths[1], key / lengths[0]
# %% mistake: the lengths are those of the columns, not of the rows
lengths = [np.linalg.norm(x, axis=0, keepdims=True) for x in (query, key)]
# %% mistake: query and key are exchanged
return delta_rule_attention(key, query, value, beta, decay=np.exp(g))[0]
