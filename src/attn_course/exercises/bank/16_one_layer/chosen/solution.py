import numpy as np


def chosen(score, count, sinks):
    kept = np.zeros(len(score), bool)
    best = sinks + np.argsort(-score[sinks:])[: count - sinks]
    kept[best] = True
    kept[:sinks] = True
    return kept
