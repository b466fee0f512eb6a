import numpy as np

from attn_course.exercises.engine.exercise import Case, behind, fixed_cases, strong


def cases(rng):
    def draw(G, group, T, extra, K, V):
        S = T + extra
        sizes = (G * group, T, K), (G, S, K), (G, S, V)
        return tuple(rng.normal(size=size) for size in sizes)

    def large(query, key, value):
        heads = len(query) // len(key)
        pairs = [strong(q, key[h // heads]) for h, q in enumerate(query)]
        return (
            np.stack([q for q, _ in pairs]),
            np.stack([k for _, k in pairs[::heads]]),
            value,
        )

    def blocked(query, key, value):
        key = np.stack([behind(key, each)[1] for each in key])  # the last key of each
        query[..., 0] = np.sqrt(query.shape[-1])
        return query, key, value

    def heads(query, key, value):
        return draw(2, 3, 5, 2, 3, 7)

    cases = fixed_cases(
        rng, draw, 6, equal=3, long=(2,), large=large, behind=blocked, heads=heads
    )
    cases.append(Case("as many key heads as heads", draw(5, 1, 3, 2, 7, 2)))
    cases.append(Case("one key head", draw(1, 5, 3, 2, 7, 2)))
    return [*cases, Case("no cache yet", draw(2, 3, 5, 0, 7, 2))]
