"""`make costs`: book/complexity.md, from the catalog and from what was measured.

Nobody edits the page. A test compares it with what this file writes.
"""

import math
import re
from statistics import median

from cost_figure import figure, panel
from publisher import ROOT
from tables import table

from attn_course.catalog import CATALOG
from attn_course.core.declaration import BASE, OWN, Row
from attn_course.core.kv_cache import cache_bytes
from attn_course.course.labs import gpu, load_record
from attn_course.course.labs.caches import CHOSEN, MODELS, NUMBER, PEAKS, layers_of, read_table, values_of
from attn_course.files import write_text
from experiments import costs
from experiments.bench.cases import BLOCK, SUMMARY, WIDTH
from experiments.bench.measure import slope
from experiments.costs import CASES, DENSE, FRAMEWORKS, chosen, crossovers, growth, lengths_of

PAGE = ROOT / "book" / "complexity.md"
TEXT = (ROOT / "tools" / "templates" / "complexity.md.txt").read_text(encoding="utf-8")
MISSING = "not measured yet"
# The layers before attention, for the same table; a convolution's kernel is its window.
KERNEL = "O(n / w), dilated O(log_w n)"
BESIDE = tuple(
    Row(name, "", "", "", None, *given, BASE, "no attention")
    for name, *given in (
        ("recurrent", "O(n d^2)", "O(n d)", "O(n)", "O(n)"),
        ("convolutional", "O(w n d^2)", "O(n d)", "O(1)", KERNEL),
        ("separable convolutional", "O(w n d + n d^2)", "O(n d)", "O(1)", KERNEL),
    )
)


def page(record=None) -> str:
    """The page's text; what the record doesn't have is marked."""
    record = record or load_record("costs")
    rows, counts = record["rows"], record["operations"]
    lengths = lengths_of(DENSE)
    far = [row.name for row in CATALOG if row.name in CASES and lengths_of(row.name) == lengths]
    known = {name for name in counts if all(chosen(rows, each, name) for each in FRAMEWORKS)}

    def lines(names, width, cells):
        """A row per mechanism, which says so where nothing is known of it."""
        missing = (MISSING, *[""] * (width - 1))
        return ((*titled(name), *(cells(name) if name in known else missing)) for name in names)

    def longest(name):
        return keyed(f"{CASES[name].longest:,}", CASES[name].longest)

    numbers = {"heads": costs.HEADS, "width": WIDTH, "window": costs.WINDOW, "block": BLOCK, "summary": SUMMARY}
    numbers |= {"rank": costs.RANK, "last": costs.LAST, "runs": len(growth(rows, "pytorch", DENSE, "mib"))}
    numbers |= {"shortest": lengths[0], "longest": lengths[-1]}
    numbers |= {"gpu_window": gpu.WINDOW, "gpu_heads": gpu.HEADS, "gpu_width": gpu.WIDTH}
    return TEXT.format(
        figure=drawn(record["grown"]),
        checkpoints=len(MODELS),
        sources=" ".join(f"{key}: {words}." for key, words in printed().items()),
        caches=sortable(
            ("Checkpoint", "Attention", "Per token", "At 131,072 tokens", "Read on an H100", "Ops per byte"),
            map(cached, MODELS),
        ),
        orders=sortable(("Layer", "Time", "Memory", "Steps", "Path"), map(orders, (*CATALOG, *BESIDE))),
        bandwidth=f"{PEAKS['H100'][1] / 1e12:.2f}",
        ridges=", ".join(f"{name}: {done / read:.0f}" for name, (done, read) in PEAKS.items()),
        sizes=", ".join(f"${letter} = {number:,}$".replace(",", "{,}") for letter, number in SIZES.items()),
        times=sortable(
            ("Mechanism", "Ops", "Time, PyTorch", "Time, TensorFlow", "Lengths"),
            lines(CASES, 4, lambda name: (counted(counts[name]), *exponents(rows, name, "milliseconds"), span(name))),
        ),
        memory=sortable(
            ("Mechanism", "PyTorch", "TensorFlow", "MiB at most", "At length"),
            lines(CASES, 4, lambda name: (*exponents(rows, name, "mib"), most(rows, name), longest(name))),
        ),
        crossings=sortable(
            ("Mechanism", "PyTorch", "TensorFlow"),
            lines(far, 2, lambda name: [crossing(rows, each, name) for each in FRAMEWORKS]),
        ),
        **numbers,
        on_gpu=sortable(
            ("In ms", "16,384 positions", "with gradients", "65,536 positions", "with gradients"), map(on_gpu, ON_GPU)
        ),
        gpu_date=load_record("gpu_14")["date"],
        anew=measured_anew(rows),
        **{key: record[key] for key in ("date", "processor", "load", "seconds", "command")},
        **{name: record["versions"][name] for name in ("torch", "tensorflow")},
    )


# Of a record of an H200: the chapter, and the way there.
ON_GPU = {
    "all weights": ("14", "weights"),
    "FlashAttention-2": ("14", "flash"),
    "cuDNN's kernel": ("14", "cudnn"),
    "our Triton kernel": ("14", "kernel"),
    "sliding_window_attention": ("10", "window"),
    "strided_attention": ("10", "strided"),
    "linear_attention": ("11", "linear"),
}


def on_gpu(name):
    """A row of what was measured on a GPU with heads of one width; where there was no room, a dash."""
    chapter, way = ON_GPU[name]
    rows = [row for row in load_record(f"gpu_{chapter}")["rows"] if row.get("width", gpu.WIDTH) == gpu.WIDTH]
    found = {row["positions"]: row for row in rows if row["way"] == way}
    times = [found.get(n, {}).get(f"{what}_ms") for n in (16_384, 65_536) for what in ("forward", "gradients")]
    return (*titled(name), *(keyed(f"{time:#.3g}" if time else "—", time) for time in times))


def measured_anew(rows) -> str:
    """A sentence for each command that measured some rows later than the others."""
    told = sorted({(row["date"], row["load"], row["command"]) for row in rows if "date" in row})
    return "".join(f"\nSome rows anew on {date}, at a load of {load}: `{command}`." for date, load, command in told)


def sortable(header, rows) -> str:
    """A table that `_static/tables.js` sorts by the values of its cells, and filters by the families of its rows."""
    return f":::{{table}}\n:class: sortable\n\n{table(header, rows)}\n:::"


def keyed(words, value=None) -> str:
    """A cell with the number by which it is sorted; None: it stands last."""
    return words if value is None else f'<data value="{value:.6g}">{words}</data>'


def orders(row):
    """A row of the catalog."""
    time, *others = (keyed(formula(order), worth(order)) for order in (row.time, row.memory, row.steps, row.path))
    source = "" if row.orders == OWN else f" {key_of(row.orders)}"
    return (*titled(row.name), time + source, *others)


# Orders are sorted by what they come to at these sizes.
SIZES = {"n": 65_536, "d": 1024, "h": 16, "m": 256, "k": 128, "c": 64, "w": 64, "g": 2, "r": 3}
BLOCKS = 3  # of each row of blocks, where a layout says which


def worth(order):
    """What an order comes to at SIZES; None where it is no number."""
    if found := re.match(r"\d+", order):
        return int(found[0])
    if not (found := re.match(r"O\(((?:[^()]|\([^()]*\))*)\)", order)):
        return None
    text = found[1].replace("log n", "log(n)").replace("^", "**")
    text = re.sub(r"(?<=[\w)]) (?=[\w(])", " * ", text)
    blocks = BLOCKS * SIZES["n"] / SIZES["c"]
    known = {"log": math.log2, "sqrt": math.sqrt, "blocks": blocks, "__builtins__": {}}
    return eval(text, known | SIZES)  # text of the catalog


def key_of(source):
    """V17 for Vaswani et al. 2017."""
    return f"{source[0]}{re.search(r'20([0-9][0-9])', source)[1]}"


def printed():
    """key -> where orders are printed."""
    found = {}
    for row in (*CATALOG, *BESIDE):
        if row.orders != OWN:
            found.setdefault(key_of(row.orders), row.orders.removesuffix(", restricted"))
    return found


# Checkpoints of the figure, one per way to keep less.
SHOWN = {
    "Llama 2 7B": "MHA",
    "Llama 3 8B": "GQA",
    "Gemma 3 27B": "window mix",
    "DeepSeek-V3": "MLA",
    "Kimi Linear 48B": "MLA, states",
    "Mistral 7B v0.1": "window",
}
CONTEXTS = tuple(2**power for power in range(10, 19))


def drawn(grown):
    """Operations by length, and the cache by length, as one figure."""
    lengths = {1024: "1k", 4096: "4k", 16384: "16k", 65536: "64k"}
    counts = ("10 M", "100 M", "1 bn", "10 bn", "100 bn", "1 tn", "10 tn")
    left = panel(
        "Operations of one layer",
        {words: (costs.LENGTHS, grown[name]) for name, words in costs.DRAWN.items()},
        lengths,
        {10 ** (7 + power): words for power, words in enumerate(counts)},
        "Lines on log axes. All pairs rise with slope 2, from 1 billion operations at 1k tokens to 4.4 trillion at "
        "64k. LSH and strided attention lie below, window and linear attention at the bottom with slope 1.",
    )
    caches = {kind: [cache_bytes(MODELS[name].parts, n) / 2**20 for n in CONTEXTS] for name, kind in SHOWN.items()}
    right = panel(
        "Cache of one sequence",
        {kind: (CONTEXTS, values) for kind, values in caches.items()},
        lengths | {262144: "256k"},
        {16: "16 MiB", 256: "256 MiB", 4096: "4 GiB", 65536: "64 GiB", 2**18: "256 GiB"},
        "Lines on log axes. Multi-head attention rises with slope 1 to 128 GiB at 256k tokens; grouped queries, "
        "windows in most layers and latents end 4 to 8 times lower, states in most layers 60 times. With windows "
        "alone the line is flat.",
    )
    shown = "; ".join(f"{kind}: {name}" for name, kind in SHOWN.items())
    return figure(
        [left, right],
        "Operations are the multiplications and additions of all matrix products, counted (M, bn, tn: million, "
        "billion, trillion). At 64k tokens linear attention is 1,000 times below all pairs. The cache holds keys and "
        f"values in 16 bits, of models of different sizes ({shown}). Only a window alone makes a flat line.",
    )


def cached(name):
    """A checkpoint: what a token adds far from the beginning, and all of it."""
    parts = MODELS[name].parts
    far = cache_bytes(parts, 131_072)
    each = far - cache_bytes(parts, 131_071)
    per_token = f"{each / 1024:,.0f} KiB" if each >= 10 * 1024 else f"{each / 1024:.1f} KiB" if each else "nothing"
    done, read = work(CONFIGS[name], 131_072)
    took = 1e3 * read / PEAKS["H100"][1]
    return (
        *(name, MODELS[name].kind, keyed(per_token, each), keyed(f"{far / 2**30:.1f} GiB", far)),
        *(keyed(f"{took:.1f} ms", took), keyed(f"{done / read:.0f}", done / read)),
    )


CONFIGS = {row["name"]: row["config"] for row in read_table()}


def work(config, context):
    """Operations and bytes for one new token: scores and averages of the layers that keep keys.

    Of a key and a value each query head needs a product and a sum per number. A latent is key and value in one:
    all of it is scored, and all but its rotary part is averaged. An indexer scores every key of its own, and the
    latents that it chooses alone are read.
    """
    heads = config["num_attention_heads"]
    if "compress_rates" in config:  # one head of keys, which are the values too: the window's and the entries'
        done = read = 0
        for kind, rate in config["compress_rates"].items():
            layers, entries, index = config["layer_types"].count(kind), context // rate, 0
            if kind == CHOSEN:
                index, entries = entries * config["index_head_dim"], min(entries, config["index_topk"])
            seen = (entries + min(context, config["sliding_window"])) * config["head_dim"]
            done += layers * (4 * heads * seen + 2 * index * config["index_n_heads"])
            read += layers * (seen + index)
        return done, read * NUMBER
    if "kv_lora_rank" in config:
        chosen = min(context, config.get("index_topk", context))
        latent = config["kv_lora_rank"] + config["qk_rope_head_dim"]
        done = 2 * chosen * heads * (latent + config["kv_lora_rank"])
        read = chosen * latent
        if "index_topk" in config:
            done += 2 * context * config["index_n_heads"] * config["index_head_dim"]
            read += context * config["index_head_dim"]
        layers = layers_of(config)[0]
        return layers * done, layers * read * NUMBER
    near, far = values_of(config)
    whole, windowed, _ = layers_of(config)
    shared = config["num_key_value_heads"]
    done = read = 0
    for layers, values, positions, groups in (
        (whole, far, context, config.get("num_global_key_value_heads", shared)),
        (windowed, near, min(context, config.get("sliding_window", context)), shared),
    ):
        read += layers * values * positions
        done += 2 * layers * values * positions * heads / groups
    return done, read * NUMBER


# How the words of a name are written on a page.
WORDS = {"dot product": "dot-product", "luong": "Luong's", "self att": "self-att", "multi head": "multi-head"}
WORDS |= {"delta rule": "delta-rule", "performer": "Performer's", "random feature": "random-feature", "lsh": "LSH"}
WORDS |= {"linformer": "Linformer's", "grouped query": "grouped-query", "sliding window": "sliding-window"}
WORDS |= {"dilated window": "dilated-window", "longformer": "Longformer's", "block sparse": "block-sparse"}
WORDS |= {"big bird": "BigBird's", "fixed context": "fixed-context"}


def family(name):
    """The family by which a row is filtered."""
    families = {row.name: row.family for row in (*CATALOG, *BESIDE)}
    return families.get(name, Row._field_defaults["family"])  # dense attention, as it is compared with


def titled(name):
    """A mechanism's name, with a link to its chapter where it has one, and its family; alone in a list."""
    chapters = {row.name: row.chapter for row in CATALOG}
    words = name.replace("_", " ")
    for plain, written in WORDS.items():
        words = words.replace(plain, written)
    words = f"{{doc}}`{words} <{chapters[name]}>`" if name in chapters else words
    return [f'<span data-family="{family(name)}">{words}</span>']


def formula(text: str) -> str:
    """Each O(...) of an order as a formula."""
    found = re.sub(r"O\((?:[^()]|\([^()]*\))*\)", lambda match: f"${match[0]}$", text)
    return re.sub(r"sqrt\((\w+)\)", r"\\sqrt{\1}", found).replace("log", r"\log").replace("blocks", r"\text{blocks}\,")


def counted(pair) -> str:
    """The exponent; a part that multiplies no matrices has none."""
    if not all(pair[1]):
        return "none"
    found = slope(*pair)
    return keyed(f"{found:.2f}", found)


def exponents(rows, name, what):
    for framework in FRAMEWORKS:
        found = [round(one, 2) + 0.0 for one in growth(rows, framework, name, what)]  # no -0.00
        yield keyed(f"{median(found):.2f} ({found[0]:.2f} to {found[-1]:.2f})", median(found))


def most(rows, name) -> str:
    """MiB at the longest length, in both frameworks."""
    both = [
        median(row["mib"][-1] for row in rows if (row["framework"], row["name"]) == (framework, name))
        for framework in FRAMEWORKS
    ]
    return keyed(" and ".join(f"{found:,.0f}" if found >= 10 else f"{found:.1f}" for found in both), max(both))


def span(name) -> str:
    lengths = lengths_of(name)[-costs.LAST :]
    return keyed(f"{lengths[0]:,} to {lengths[-1]:,}", lengths[-1])


def crossing(rows, framework, name) -> str:
    """From which length on; two digits are what the measurement carries."""
    found = crossovers(rows, framework, name)
    lengths = lengths_of(name)
    middle = median(found)
    if math.isinf(middle):
        return f"not up to {lengths[-1]:,}"
    if middle <= lengths[0]:
        return keyed(f"at {lengths[0]:,} already", lengths[0])
    low, mid, high = (
        rounded(each, lengths[0]) if math.isfinite(each) else "none" for each in (found[0], middle, found[-1])
    )
    return keyed(mid if low == mid == high else f"{mid} ({low} to {high})", middle)


def rounded(length: float, least: int) -> str:
    """No crossing lies below the shortest length that was measured."""
    return f"{max(least, round(length, 1 - math.floor(math.log10(length)))):,.0f}"


def main() -> None:
    write_text(PAGE, page())
    print(f"written to {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
