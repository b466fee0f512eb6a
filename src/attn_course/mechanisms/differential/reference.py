"""Differential attention in NumPy, float64: the specification."""

import numpy as np

from attn_course.mechanisms.differential.shared import (
    EPSILON,
    INITIAL,
    check_differential,
)
from attn_course.mechanisms.dot_product.reference import scaled_dot_product_attention

__all__ = ["differential_attention"]


def differential_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray | None = None,
    *,
    lambda_query: np.ndarray,
    lambda_key: np.ndarray,
    lambda_init: float = INITIAL,
    epsilon: float = EPSILON,
    causal: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """One softmax minus a factor times another, and the root mean square of each head.

    factor  = exp(lambda_query[0] . lambda_key[0])
              - exp(lambda_query[1] . lambda_key[1]) + lambda_init
    weights = softmax(Q_1 K_1^T / sqrt(K / 2)) - factor softmax(Q_2 K_2^T / sqrt(K / 2))
    output  = (1 - lambda_init) rms_norm(weights V)

    Shapes:
        query: (..., T, K), key: (..., S, K), two halves of K / 2 columns each. value:
        (..., S, V). lambda_query, lambda_key: (2, K / 2).
        mask: as in ``scaled_dot_product_attention``.
        returns: output (..., T, V), weights (..., T, S), of either sign.

    Edge case: a row that may attend to nothing gives zeros.

    Raises:
        ValueError: a shape, dtype or mask is not as above, K is odd, lambda_init no
            share from 0 to below 1, or epsilon not above 0.

    Source: Ye et al. 2024 (arXiv:2410.05258), section 2.1, equations 1 to 3; epsilon
        as in ``transformers``, ``modeling_diffllama``.
    Differs: the authors' code gives the norm a gain of its own, which the linear map
        behind it can hold; that of ``transformers`` does not.
    """
    heads = query, key, value
    lambdas = {"lambda_query": lambda_query, "lambda_key": lambda_key}
    check_differential(heads, mask, lambdas, lambda_init, epsilon)
    first, second = np.exp(np.sum(lambda_query * lambda_key, axis=-1))
    factor = first - second + lambda_init
    one, other = (
        scaled_dot_product_attention(q, k, value, mask, causal=causal)[1]
        for q, k in zip(np.split(query, 2, -1), np.split(key, 2, -1), strict=True)
    )
    weights = one - factor * other
    context = weights @ value
    rms = np.sqrt(np.mean(context**2, axis=-1, keepdims=True) + epsilon)
    return (1 - lambda_init) * context / rms, weights
