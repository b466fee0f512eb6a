from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(G, group, S, K, V):
        sizes = (G * group, K), (G, K), (G, V), (G, S, K), (G, S, V)
        return tuple(rng.normal(size=size) for size in sizes)

    def heads(*given):
        return draw(2, 3, 5, 3, 7)

    def large(query, *rest):
        return 800 * query, *rest

    cases = fixed_cases(rng, draw, 5, equal=3, long=(2,), heads=heads, large=large)
    cases.append(Case("nothing in the cache yet", draw(2, 3, 0, 5, 7)))
    cases.append(Case("as many key heads as heads", draw(5, 1, 3, 7, 2)))
    return [*cases, Case("one key head", draw(1, 5, 3, 7, 2))]
