"""Luong's decoder in NumPy, float64: the specification."""

import numpy as np

from attn_course.bahdanau.encoder_decoder.checks import check_decoder
from attn_course.bahdanau.reference import gru_step
from attn_course.luong.attention.reference import local_attention, luong_attention


def luong_decoder(
    targets,
    memory,
    initial_state,
    parameters,
    mask=None,
    *,
    score,
    half_width=None,
    alignment=None,
    input_feeding=True,
):
    """Read the targets one by one; after each step, look at the memory.

    h[t]           = gru_step([embedding(y[t-1]); attentional[t-1]], h[t-1]), without
                     the second part if not input_feeding; attentional[-1] = 0
    context[t]     = attention(h[t], memory), local if half_width is given
    attentional[t] = tanh([context[t]; h[t]] @ combine)
    logits[t]      = output_layer(attentional[t])

    Shapes:
        targets: (B, T), the tokens before each output (teacher forcing).
        memory: (B, S, E). initial_state: (B, H). mask: (B, S).
        returns: logits (B, T, N), weights (B, T, S).

    Source: Luong et al. 2015 (arXiv:1508.04025), section 3, equations 5 and 6, and
        section 3.3 (input feeding).
    """
    combine = parameters["combine.weight"]
    sizes = {"H": combine.shape[1], "E": combine.shape[0] - combine.shape[1]}
    check_decoder(
        sizes,
        mask,
        targets=(targets, "BT"),
        memory=(memory, "BSE"),
        initial_state=(initial_state, "BH"),
    )
    learned = {
        name.removeprefix("attention."): array
        for name, array in parameters.items()
        if name.startswith("attention.")
    }
    options = {"score": score}
    if half_width is not None:
        options |= {"half_width": half_width, "alignment": alignment}
    embedded, hidden = parameters["embedding.weight"][targets], initial_state
    attentional, logits, weights = np.zeros_like(initial_state), [], []
    for t in range(targets.shape[1]):
        fed = [embedded[:, t], attentional] if input_feeding else [embedded[:, t]]
        hidden = gru_step(np.concatenate(fed, axis=-1), hidden, parameters, "cell")
        attend = luong_attention if half_width is None else local_attention
        place = {} if half_width is None else {"first_position": t}
        context, weight = attend(
            hidden[:, None], memory, learned, mask, **options, **place
        )
        seen = np.concatenate([context[:, 0], hidden], axis=-1)
        attentional = np.tanh(seen @ combine)
        output = parameters["output_layer.weight"], parameters["output_layer.bias"]
        logits.append(attentional @ output[0] + output[1])
        weights.append(weight[:, 0])
    return np.stack(logits, axis=1), np.stack(weights, axis=1)
