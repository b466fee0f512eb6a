"""The example at the head of each topic's page of the package, in PyTorch: a function each.

The page shows the body. `tools/api_sections.py` says how it reads in TensorFlow; `tests/models/test_topic_examples.py`
runs both.
"""


def dot_product():
    import torch

    from attn_course.pytorch import scaled_dot_product_attention

    query, key, value = torch.randn(3, 2, 4, 7, 16)  # (B, H, T, K) each
    output, weights = scaled_dot_product_attention(query, key, value, causal=True)
    print(tuple(output.shape), tuple(weights.shape))  # (2, 4, 7, 16) (2, 4, 7, 7)


def recurrent():
    import torch

    from attn_course.pytorch import EncoderDecoder, FixedContextDecoder, RecurrentEncoder

    encoder = RecurrentEncoder(vocab_size=11, embedding_dim=8, hidden_dim=16)
    decoder = FixedContextDecoder(11, 8, 16, memory_dim=32)  # both directions: 2 * 16
    model = EncoderDecoder(encoder, decoder)
    logits, _ = model(torch.tensor([[3, 4, 5]]), torch.tensor([[1, 6, 7, 8]]))
    print(tuple(logits.shape))  # (1, 4, 11)


def bahdanau():
    import torch

    from attn_course.pytorch import AdditiveAttention

    attention = AdditiveAttention(query_dim=16, memory_dim=32, hidden_dim=24)
    mask = torch.tensor([[True, True, True, False, False]])  # True: may attend
    query, memory = torch.randn(1, 1, 16), torch.randn(1, 5, 32)
    context, weights = attention(query, memory, mask)
    print(tuple(context.shape), int((weights > 0).sum()))  # (1, 1, 32) 3


def luong():
    import torch

    from attn_course.pytorch import LuongAttention

    attention = LuongAttention(query_dim=16, memory_dim=32, score="general")
    context, weights = attention(torch.randn(1, 4, 16), torch.randn(1, 5, 32))
    print(tuple(context.shape), tuple(weights.shape))  # (1, 4, 32) (1, 4, 5)


def self_attention():
    import torch

    from attn_course.pytorch import SelfAttention

    attention = SelfAttention(model_dim=16, key_dim=8, value_dim=8, project=True)
    output, weights = attention(torch.randn(2, 5, 16))
    print(tuple(output.shape), tuple(weights.shape))  # (2, 5, 16) (2, 5, 5)


def multi_head():
    import torch

    from attn_course.pytorch import MultiHeadAttention

    layer = MultiHeadAttention(model_dim=16, num_heads=4)
    x = torch.randn(2, 5, 16)
    output, weights = layer(x, causal=True)  # layer(x, memory): cross-attention
    print(tuple(output.shape), tuple(weights.shape))  # (2, 5, 16) (2, 4, 5, 5)


def gated():
    import torch

    from attn_course.pytorch import GroupedQueryAttention, QueryKeyNorm, SinkSoftmax

    norm, sinks = QueryKeyNorm(key_dim=4), SinkSoftmax(num_heads=4)
    layer = GroupedQueryAttention(16, 4, num_kv_heads=2, query_key_norm=norm, softmax=sinks)
    _, weights = layer(torch.randn(2, 5, 16), causal=True)
    print(bool((weights.sum(-1) < 1).all()))  # True


def positional():
    import torch

    from attn_course.pytorch import MultiHeadAttention, RotaryEncoding

    layer = MultiHeadAttention(16, 4, rotary=RotaryEncoding(key_dim=4))
    output, _ = layer(torch.randn(2, 5, 16), causal=True)
    print(tuple(output.shape))  # (2, 5, 16)


def relative():
    import torch

    from attn_course.pytorch import AlibiBias, MultiHeadAttention

    layer, alibi = MultiHeadAttention(16, 4), AlibiBias(num_heads=4)
    output, _ = layer(torch.randn(2, 5, 16), bias=alibi(5, 5), causal=True)
    print(tuple(alibi(5, 5).shape), tuple(output.shape))  # (1, 4, 5, 5) (2, 5, 16)


def lengthening():
    import torch

    from attn_course.pytorch import MultiHeadAttention, RotaryEncoding, rotary_frequencies

    yarn = {"method": "yarn", "factor": 4.0, "trained_length": 128}
    frequencies, scale = rotary_frequencies(16, **yarn)
    rotary = RotaryEncoding(16, frequencies=frequencies, scale=scale)
    layer = MultiHeadAttention(64, 4, rotary=rotary)
    output, _ = layer(torch.randn(1, 500, 64), causal=True)
    print(tuple(output.shape), round(scale, 3))  # (1, 500, 64) 1.139


def feed_forward():
    import torch

    from attn_course.pytorch import FeedForward

    layer = FeedForward(model_dim=16, ff_dim=64, activation="swiglu")
    print(tuple(layer(torch.randn(2, 5, 16)).shape))  # (2, 5, 16)


def encoder():
    import torch

    from attn_course.masks import padding_mask
    from attn_course.pytorch import Encoder

    model = Encoder(num_layers=2, model_dim=16, num_heads=4, ff_dim=64, norm="pre")
    mask = torch.tensor(padding_mask([5, 3], 5))[:, None, None]  # 5 and 3 are there
    output, weights = model(torch.randn(2, 5, 16), mask)
    print(tuple(output.shape), len(weights))  # (2, 5, 16) 2


def decoder():
    import torch

    from attn_course.pytorch import Decoder

    model = Decoder(num_layers=2, model_dim=16, num_heads=4, ff_dim=64)
    x, memory = torch.randn(2, 3, 16), torch.randn(2, 5, 16)
    _, weights = model(x, memory)  # causal without being asked
    own, cross = weights[0]  # of the first layer
    print(tuple(own.shape), tuple(cross.shape))  # (2, 4, 3, 3) (2, 4, 3, 5)


def transformer():
    import torch

    from attn_course.pytorch import Transformer

    model = Transformer(vocab_size=11, num_layers=2, model_dim=16, num_heads=4, ff_dim=64)
    source, target = torch.tensor([[3, 4, 5, 2]]), torch.tensor([[1, 6, 7]])
    logits, _ = model(source, target)
    print(tuple(logits.shape))  # (1, 3, 11)


def language_model():
    import torch

    from attn_course.pytorch import GroupedQueryAttention, LanguageModel, RotaryEncoding

    def attention(number):  # of layer 0, 1, ...; without it, multi-head attention
        return GroupedQueryAttention(16, 4, num_kv_heads=2, rotary=RotaryEncoding(4))

    model = LanguageModel(11, 2, 16, 4, 64, positions=None, attention=attention)
    logits, _ = model(torch.tensor([[1, 6, 7]]))
    print(tuple(logits.shape))  # (1, 3, 11)


def huggingface():
    import torch
    from transformers import BertConfig, BertModel  # pip install transformers

    from attn_course.pytorch import from_huggingface

    bert = BertModel(BertConfig())  # or BertModel.from_pretrained(...)
    layer = from_huggingface(bert.encoder.layer[0])
    _, weights = layer(torch.randn(2, 5, bert.config.hidden_size))
    print(tuple(weights.shape) == (2, bert.config.num_attention_heads, 5, 5))  # True


def decoding():
    import torch

    from attn_course.pytorch import LanguageModel, generate

    model = LanguageModel(11, 2, 16, num_heads=4, ff_dim=64)
    prompt = torch.tensor([[1, 6, 7]])
    tokens = generate(model, prompt, max_tokens=5, temperature=0.8, seed=0)
    print(len([int(token[0]) for token in tokens]))  # 5


def speculative():
    import torch

    from attn_course.pytorch import LanguageModel, speculative_generate

    model = LanguageModel(11, 4, 16, num_heads=4, ff_dim=64)
    draft = LanguageModel(11, 1, 16, num_heads=4, ff_dim=64)  # one layer in place of four
    prompt = torch.tensor([[1, 6, 7]])
    passes = speculative_generate(model, prompt, draft=draft, max_tokens=8, seed=0)
    print(sum(len(one.tokens) for one in passes))  # 8


def linear():
    import torch

    from attn_course.pytorch import LinearAttention

    layer, x = LinearAttention(model_dim=16, num_heads=4), torch.randn(2, 500, 16)
    output, _ = layer(x, causal=True)
    first, _ = layer.step(x[:, :1], layer.new_state(batch=2))  # a token at a time
    print(bool((first - output[:, :1]).abs().max() < 1e-5))  # True


def delta_rule():
    import torch

    from attn_course.pytorch import DeltaRuleAttention

    layer, x = DeltaRuleAttention(model_dim=16, num_heads=4), torch.randn(2, 50, 16)
    output, _ = layer(x)  # always causal
    first, _ = layer.step(x[:, :1], layer.new_state(batch=2))
    print(tuple(output.shape), tuple(first.shape))  # (2, 50, 16) (2, 1, 16)


def random_features():
    import torch

    from attn_course.pytorch import performer_attention, scaled_dot_product_attention

    query, key, value = torch.randn(3, 1, 1, 50, 16) / 4
    estimate, _ = performer_attention(query, key, value, num_features=4096)
    exact, _ = scaled_dot_product_attention(query, key, value)
    print(bool((estimate - exact).abs().max() < 0.01))  # True


def low_rank():
    import torch

    from attn_course.pytorch import LinformerAttention

    layer = LinformerAttention(model_dim=16, num_heads=4, length=50, rank=8)
    output, weights = layer(torch.randn(2, 50, 16))
    print(tuple(output.shape), tuple(weights.shape))  # (2, 50, 16) (2, 4, 50, 8)


def hashing():
    import torch

    from attn_course.pytorch import LSHAttention

    layer = LSHAttention(model_dim=16, num_heads=4, num_buckets=8, num_rounds=4)
    output, _ = layer(torch.randn(2, 100, 16), causal=True)
    print(tuple(output.shape))  # (2, 100, 16)


def grouped_query():
    import torch

    from attn_course.pytorch import GroupedQueryAttention, MultiHeadAttention, to_grouped

    layer = GroupedQueryAttention(model_dim=16, num_heads=4, num_kv_heads=2)
    _, weights = layer(torch.randn(2, 5, 16), causal=True)
    shared = to_grouped(MultiHeadAttention(16, 4), num_kv_heads=1)  # heads averaged
    print(tuple(weights.shape), shared.num_kv_heads)  # (2, 4, 5, 5) 1


def kv_cache():
    import torch

    from attn_course.pytorch import MultiHeadAttention

    layer, x = MultiHeadAttention(16, 4).requires_grad_(False), torch.randn(1, 6, 16)
    cache = layer.new_cache(batch=1, capacity=100)
    layer(x[:, :5], causal=True, cache=cache)  # the prompt
    _, weights = layer(x[:, 5:], causal=True, cache=cache)  # one token more
    print(int(cache.length), tuple(weights.shape))  # 6 (1, 4, 1, 6)


def paged():
    import torch

    from attn_course.pytorch import BlockPool, paged_attention

    pool = BlockPool(blocks=8, num_kv_heads=2, key_dim=16, block_size=4)
    cache = pool.new_cache(capacity=32)
    key, value = torch.randn(2, 1, 2, 5, 16)
    cache.append(key, value)  # 5 positions take 2 blocks
    output = paged_attention(torch.randn(1, 4, 1, 16), [cache])
    print(int(pool.num_free), tuple(output.shape))  # 6 (1, 4, 1, 16)


def quantized():
    import torch

    from attn_course.pytorch import QuantizedKVCache, dequantize, quantize

    x = torch.randn(1, 2, 5, 64)
    codes, scale, low = quantize(x, kind="int8")
    off = dequantize(codes, scale, low, kind="int8") - x
    cache = QuantizedKVCache(1, 2, 100, 64, kind="int4")  # cache= of a layer's call
    print(bool(off.abs().max() < 0.03), cache.nbytes)  # True 14400


def latent():
    import torch

    from attn_course.pytorch import LatentAttention

    sizes = {"latent_dim": 24, "rope_dim": 8, "key_dim": 16, "value_dim": 16}
    layer = LatentAttention(model_dim=64, num_heads=4, **sizes)
    x = torch.randn(2, 5, 64)
    output, _ = layer(x)  # causal without being asked
    same, _ = layer(x, absorbed=True)  # reads latents alone, as in decoding
    print(bool(torch.allclose(output, same, atol=1e-5)))  # True


def indexed():
    import torch

    from attn_course.pytorch import IndexedAttention

    index = {"query_latent_dim": 32, "index_heads": 2, "index_dim": 16, "top_k": 8}
    sizes = {"latent_dim": 24, "rope_dim": 8, "key_dim": 16, "value_dim": 16}
    layer = IndexedAttention(model_dim=64, num_heads=4, **index, **sizes)
    _, weights = layer(torch.randn(1, 20, 64))
    print(int((weights[0, 0, -1] > 0).sum()))  # 8


def chosen_blocks():
    import torch

    from attn_course.pytorch import ChosenBlocksAttention

    layer = ChosenBlocksAttention(model_dim=16, num_heads=4, block_size=4, top_k=2)
    _, weights = layer(torch.randn(1, 20, 16))
    print(int((weights[0, 0, -1] > 0).sum()))  # 8


def differential():
    import torch

    from attn_course.pytorch import DifferentialAttention

    layer = DifferentialAttention(model_dim=16, num_heads=2, lambda_init=0.8)
    output, weights = layer(torch.randn(2, 5, 16), causal=True)
    print(tuple(output.shape), tuple(weights.shape))  # (2, 5, 16) (2, 2, 5, 5)


def window():
    import torch

    from attn_course.pytorch import SlidingWindowAttention

    layer = SlidingWindowAttention(model_dim=16, num_heads=4, window=8)
    x = torch.randn(2, 100, 16)
    output, _ = layer(x, causal=True)  # itself and the 7 before
    print(tuple(output.shape))  # (2, 100, 16)


def strided():
    import torch

    from attn_course.pytorch import StridedAttention

    layer = StridedAttention(model_dim=16, num_heads=4, stride=10)
    output, _ = layer(torch.randn(2, 100, 16))  # causal without being asked
    print(tuple(output.shape))  # (2, 100, 16)


def block_sparse():
    import torch

    from attn_course.pytorch import BigBirdAttention

    layer = BigBirdAttention(model_dim=16, num_heads=4, block_size=8, num_random=1, seed=0)
    output, _ = layer(torch.randn(2, 100, 16))
    print(tuple(output.shape))  # (2, 100, 16)


def flash():
    import torch

    from attn_course.pytorch import flash_attention, scaled_dot_product_attention

    query, key, value = torch.randn(3, 1, 4, 300, 16)
    output, _ = flash_attention(query, key, value, causal=True, block_size=128)
    exact, _ = scaled_dot_product_attention(query, key, value, causal=True)
    print(bool(torch.allclose(output, exact, atol=1e-5)))  # True


def serving():
    import torch

    from attn_course.pytorch import Engine, LanguageModel

    model = LanguageModel(11, 2, 16, num_heads=4, ff_dim=64).eval()
    engine = Engine(model, blocks=16, block_size=4, max_requests=2)
    first = engine.add(torch.tensor([1, 6, 7]), max_tokens=5, temperature=0)
    second = engine.add(torch.tensor([1, 6, 7, 8, 9]), max_tokens=3, seed=0)
    engine.run()
    print(len(first.written), len(second.written))  # 5 3
