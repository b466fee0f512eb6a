def chosen(score, count, sinks):
    kept = np.zeros(len(score), bool)
    best = np.argsort(-np.abs(score))[:count]
    kept[best] = True
    return kept
