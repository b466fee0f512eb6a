"""Makes ``minilm.npz``: what Hugging Face's BertModel and tokenizer say to twenty strings.

Not a test, and not run by them: the library is not installed where the tests run. To repeat it, in an environment of
its own with this package: ``pip install torch numpy transformers==5.23.0``, then ``python -m
attn_course.tasks.minilm fetch``, then this file. The weights are those of the fetched file, computed in float64.
"""

from pathlib import Path

import numpy as np
import torch
from minilm_strings import STRINGS
from transformers import BertConfig, BertModel, BertTokenizer

from attn_course.tasks.minilm import LONGEST, folder, read_safetensors

CONFIG = {
    "hidden_size": 384,
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
    "attn_implementation": "eager",
}


@torch.no_grad()
def main():
    words = (folder() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    tokenizer = BertTokenizer(vocab={word: i for i, word in enumerate(words)}, do_lower_case=True)
    model = BertModel(BertConfig(**CONFIG)).eval()
    weights = read_safetensors(folder() / "model.safetensors")
    left = model.load_state_dict({k: torch.from_numpy(x.copy()) for k, x in weights.items()}, strict=False)
    assert not left.unexpected_keys and set(left.missing_keys) <= {"embeddings.position_ids"}, left
    model, found = model.double(), {}
    for number, text in enumerate(STRINGS):
        given = tokenizer(text, truncation=True, max_length=LONGEST, return_tensors="pt", return_token_type_ids=False)
        x = model(**given).last_hidden_state[0].mean(dim=0)
        found[f"{number}/ids"] = given["input_ids"][0].numpy().astype(np.int32)
        found[f"{number}/vector"] = (x / x.norm()).numpy().astype(np.float32)
    path = Path(__file__).with_name("minilm.npz")
    np.savez_compressed(path, **found)
    print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
