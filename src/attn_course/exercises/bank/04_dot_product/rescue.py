"""Without a scale the model that looks people up learned slowly, and was below one
half at step 400. Write `rescue(query, key)`, which gets the two random tables of
`start`, (64, 256) each, and returns two tables of the same shapes with which the model
learns **without a scale**: at least 95% right, on average, in steps 160 to 200 of the
page's training. The check trains it; values, readout, Adam and its rate are those of
the page.

1. What is the variance of a score at the start, and who sets it?
2. It is the variance of a query's entry, times that of a key's, times 256.
3. Divide one table by the root of the width, or both by its fourth root.
"""

from itertools import islice

from attn_course.tasks.look_up import look_ups

title = "rescue the model without a scale"
level, minutes = 3, 20
kind = "open"
before = "the section on what the scale does to learning"

STEPS, BATCH, RATE = 200, 64, 0.003


def cases(rng):
    tables = rng.normal(size=(3, 2, 64, 256)).astype(np.float32)
    return [Case("a training of 200 steps", tuple(each)) for each in tables]


def train(query, key):
    """The share of right answers per step, without a scale: gradients by hand, Adam."""
    draw = np.random.default_rng(0)
    net = {"query": query, "key": key, "value": draw.normal(size=(10, 32))}
    net["output"] = draw.normal(size=(32, 10)) / np.sqrt(32)
    net = {name: x.astype(np.float32) for name, x in net.items()}
    first, second = (dict.fromkeys(net, 0.0) for _ in range(2))
    floor, name_of = np.eye(10, dtype=np.float32), np.eye(64, dtype=np.float32)
    right = []
    for step, batch in enumerate(islice(look_ups(BATCH), STEPS), start=1):
        names, floors, asked, truth = batch
        query, key = net["query"][asked], net["key"][names]
        weights = softmax(np.einsum("bd,bsd->bs", query, key))
        value = net["value"][floors]
        found = np.einsum("bs,bsv->bv", weights, value)
        logits = found @ net["output"]
        right.append((logits.argmax(axis=1) == truth).mean())

        slope = (softmax(logits) - floor[truth]) / BATCH  # of the cross-entropy
        back = slope @ net["output"].T
        in_weights = np.einsum("bv,bsv->bs", back, value)
        mean = (weights * in_weights).sum(axis=1, keepdims=True)
        in_score = np.zeros((BATCH, 64), np.float32)
        np.put_along_axis(in_score, names, weights * (in_weights - mean), axis=1)
        shares = np.einsum("bs,bsf->bf", weights, floor[floors])
        slopes = {
            "query": name_of[asked].T @ (in_score @ net["key"]),
            "key": in_score.T @ query,
            "value": shares.T @ back,
            "output": found.T @ slope,
        }
        for name, x in slopes.items():
            first[name] += 0.1 * (x - first[name])
            second[name] += 0.001 * (x**2 - second[name])
            size = np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8
            net[name] -= RATE * first[name] / (1 - 0.9**step) / size
    return np.array(right)


def measure(results, query, key):
    """True; tables with which the model doesn't learn are refused."""
    if [each.shape for each in results] != [(64, 256)] * 2:
        raise Refused("return two tables, query and key, (64, 256) each")
    if not all(np.isfinite(each).all() for each in results):
        raise Refused("the tables are not finite")
    right = train(*results)[-40:].mean()
    if right < 0.95:
        variance = float((results[0] @ results[1].T).var())
        if variance > 1:
            raise Refused(
                f"the scores begin too large, with a variance of {variance:.3g}; "
                f"{right:.0%} are right after {STEPS} steps"
            )
        raise Refused(f"the model does not learn: {right:.0%} are right at the end")
    return np.array(True)


# %% solution
def rescue(query, key):
    ...  # (64, 256) twice; return two tables of these shapes
    query = query / np.sqrt(query.shape[1])
    return query, key


# %% mistake: the scores begin too large: half is not enough, their variance is still 64
query = query / 2
# %% mistake: the scores begin too large: this divides by the fourth root of the width,
# once
query = query / query.shape[1] ** 0.25
# %% mistake: the scores begin too large: multiplied, they are larger still
query = query * np.sqrt(query.shape[1])
# %% mistake: the scores begin too large: the length of a table doesn't change by its
# order
query = query[::-1]
# %% mistake: the model does not learn: from two tables of zeros no slope leads away
query, key = 0 * query, 0 * key
