"""Layers of Hugging Face: one layer of a model, with its weights, as ours.

Public names, alike in ``pytorch`` and ``tf``:

    from_huggingface(module)
        -> an ``EncoderLayer``, or the attention alone where the module is one

    layer of BERT                 EncoderLayer(norm="post")
    block of GPT-2                EncoderLayer(norm="pre", activation="gelu_tanh")
    layer of Llama, Mistral,      EncoderLayer(norm="pre", normalization="rms",
    Qwen2, Qwen3                  activation="swiglu") around grouped queries, rotary
    layer of Gemma 2, Gemma 3     the same with norm="both", activation="geglu_tanh"
    attention of all these, and   GroupedQueryAttention, where its layer has a window
    of gpt-oss, OLMo 2 and 3,     SlidingWindowAttention; with Qwen3, Gemma 3, OLMo a
    Mixtral, Phi, Phi-3,          ``QueryKeyNorm``, with Gemma 2 a ``CappedSoftmax``,
    GLM, GLM-4, Gemma 3n          with gpt-oss a ``SinkSoftmax``; of Phi and GLM a part
                                  of the columns turns; Gemma 3n has a ``value_norm``
    attention of Qwen3-Next       GroupedQueryAttention with norm and ``OutputGate``
    attention of Llama 4          the same with rotary and a norm without a scale, or,
                                  where nothing turns, a ``LogLengthScale``
    GatedDeltaNet of Qwen3-Next,  a layer around ``delta_rule_attention``: short
    Qwen3.5; KimiLinear-          convolution, decay a head or a column, norm with a
    DeltaAttention                gate; always causal, decodes with a state
    layer or attention of         EncoderLayer(norm="pre") around
    DiffLlama                     ``DifferentialAttention``, of half as many heads
    layer of DeepSeek-V3, dense   EncoderLayer around ``LatentAttention``
    attention of DeepSeek-V3      ``LatentAttention``
    the same of DeepSeek-V3.2     ``IndexedAttention`` in its place
    attention of DeepSeek-V4      a layer of words in a window and pooled entries, all
                                  or those that an indexer chooses; without a mask
    attention of MiniMax-M3       GroupedQueryAttention, in sparse layers over blocks
                                  that small heads choose; there without a mask

The module is PyTorch's, from any of the model's layers (``model.layers[3]``), and is
only read: its class by name, its configuration, its ``state_dict``. So both frameworks
get their parameters from one dict, and neither needs ``transformers`` itself.

Call: all but BERT's are called with ``causal=True``. A mask has True where one may
attend: ``attention_mask.bool()[:, None, None]``. All decode with
``cache=layer.new_cache(batch, capacity)``. Rotary positions are computed inside,
from ``rope_parameters``: a type or a key of them that is not read is refused. Of
``dynamic`` and ``longrope`` the longest text of a call counts, as there. Keys in a
cache keep their turn: Phi-3's own ``generate`` reads its text anew where it becomes
longer than the short list is for; here that is the caller's.

Those layers of Llama 4 that turn see a chunk, by a mask, as there:
``document_mask([chunk, chunk, rest], size)``.

Differs: the layers of gpt-oss, Llama 4, Qwen3-Next and DeepSeek with experts are not
of our form: take the module's ``self_attn``, as of Gemma 3n; a layer that takes keys
and values of an earlier one is refused, and Gemma 4. Dropout is left behind. Norms of
Gemma 2 and 3 and Qwen3-Next keep what is added to 1, ours the sum.

Sources: ``transformers`` 5.23.0, the files ``modeling_*.py`` of these models.
"""
