def weights(score):
    exponential = np.exp(score)
    return exponential / exponential.sum(axis=0, keepdims=True)
