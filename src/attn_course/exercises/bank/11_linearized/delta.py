"""Write the gated delta rule, `delta(query, key, value, beta, decay)`: query and key
(T, K), keys of length 1, value (T, V), beta and decay (T). Each step: the state fades
by decay; beta times what the key does not read yet is written; the query reads. Output
(T, V), no scale.

1. Forget, read with the key, write the difference, read with the query.
2. missing = value[t] - key[t] @ state, after the state has faded.
3. state = state + beta[t] * np.outer(key[t], missing); output[t] = query[t] @ state.
"""

title = "the gated delta rule"
level, minutes = 2, 15
before = "11.recurrent"


def cases(rng):
    def draw(T, K, V):
        query, key = rng.normal(size=(2, T, K))
        key = key / np.linalg.norm(key, axis=1, keepdims=True)
        beta, decay = rng.uniform(0.2, 0.95, size=(2, T))
        return query, key, rng.normal(size=(T, V)), beta, decay

    cases = fixed_cases(rng, draw, 3, long=(0,))
    query, key, value, beta, decay = draw(7, 3, 2)
    same = np.tile(key[:1], (7, 1))
    cases.append(
        Case("one key, written again and again", (same, same, value, beta, decay))
    )
    ones = np.ones(7)
    cases.append(Case("nothing fades", (query, key, value, beta, ones)))
    return [*cases, Case("everything is written", (query, key, value, ones, decay))]


# %% solution
def delta(query, key, value, beta, decay):
    ...  # (T, K), (T, K), (T, V), (T), (T); return (T, V)
    state = np.zeros((key.shape[1], value.shape[1]))
    output = np.zeros((len(query), value.shape[1]))
    for t in range(len(query)):
        state = decay[t] * state
        missing = value[t] - key[t] @ state
        state = state + beta[t] * np.outer(key[t], missing)
        output[t] = query[t] @ state
    return output


# %% mistake: the value is added; only what the key does not read yet is written
missing = value[t]
# %% mistake: the key reads before the state has faded
missing = value[t] - key[t] @ state / decay[t]
# %% mistake: beta is missing
state = state + np.outer(key[t], missing)
# %% mistake: the decay is missing
state = state
# %% mistake: beta and decay are exchanged
state = beta[t] * state
state = state + decay[t] * np.outer(key[t], missing)
# %% mistake: beta belongs to the whole correction, not to the value alone
missing = beta[t] * value[t] - key[t] @ state
state = state + np.outer(key[t], missing)
# %% mistake: the output is read before the write
output[t] = query[t] @ (state - beta[t] * np.outer(key[t], missing))
# %% mistake: the sign of the correction is wrong: what is wanted minus what is read
missing = key[t] @ state - value[t]
# %% mistake: the query reads what is missing, not the key
missing = value[t] - query[t] @ state
# %% mistake: the query is divided by the root of K; here it is not
output[t] = query[t] @ state / np.sqrt(key.shape[1])
# %% mistake: 1 - decay is kept; decay is the share that stays
state = (1 - decay[t]) * state
# %% mistake: what the key reads is added; it should be taken away
missing = value[t] + key[t] @ state
# %% mistake: the key reads the output; it should be the query
output[t] = key[t] @ state
# %% mistake: decay stands in beta's place too
state = state + decay[t] * np.outer(key[t], missing)
# %% mistake: the earlier state is lost
state = beta[t] * np.outer(key[t], missing)
# %% mistake: every step has the first one's beta
state = state + beta[0] * np.outer(key[t], missing)
# %% mistake: every step has the first one's decay
state = decay[0] * state
