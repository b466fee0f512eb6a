"""A BERT of Hugging Face whose every layer sees a window only: ours in its place, with its own weights."""

from attn_course.frameworks import torch  # says what to install where it is missing
from attn_course.parity import get_parameters, set_parameters
from attn_course.pytorch import SlidingWindowAttention, from_huggingface


class Windowed(torch.nn.Module):
    def __init__(self, theirs, window):
        super().__init__()
        self.layer = from_huggingface(theirs)
        old = self.layer.attention
        self.layer.attention = SlidingWindowAttention(old.config["model_dim"], old.num_heads, window=window)
        set_parameters(self.layer.attention, get_parameters(old))

    def forward(self, hidden_states, attention_mask=None, *others, **options):
        if attention_mask is not None:  # (B, 1, T, T), boolean or added to the scores; of padding all rows are alike
            attention_mask = (attention_mask if attention_mask.dtype == torch.bool else attention_mask == 0)[:, :, :1]
        return self.layer(hidden_states, attention_mask, need_weights=False)[0]


if __name__ == "__main__":
    try:
        import transformers  # BertModel.from_pretrained("bert-base-uncased") is the trained one
    except ModuleNotFoundError:
        raise SystemExit("this program needs transformers: pip install transformers") from None
    torch.manual_seed(0)
    model = transformers.BertModel(transformers.BertConfig(hidden_size=96, intermediate_size=192)).eval()
    tokens, layers = torch.randint(1000, (2, 300)), model.encoder.layer
    with torch.no_grad():
        expected = model(tokens).last_hidden_state
        for window in (300, 16):
            model.encoder.layer = torch.nn.ModuleList(Windowed(layer, window) for layer in layers)
            away = (model(tokens).last_hidden_state - expected).abs().max()
            print(f"window of {window}: at most {away:.0e} from BERT's own")
