def local_weights(score, center, half_width):
    distance = np.arange(score.shape[1]) - center[:, None]
    inside = np.abs(distance) <= half_width
    gaussian = np.exp(-(distance**2) / (2 * (half_width / 2) ** 2))
    return softmax(np.where(inside, score * gaussian, -np.inf))
