"""Building, training and resuming a translation model in PyTorch.

On one device, or on several with ``torchrun`` (DistributedDataParallel).
"""

import os
import time
from pathlib import Path

from attn_course import pytorch as names
from attn_course.core.frameworks import torch
from attn_course.course.labs.translate import (
    CLIP,
    SMOOTHING,
    batches_from,
    chunks,
    is_best,
    model_of,
    part_of,
    rate_of,
    real_tokens,
    run_name,
    written,
)
from attn_course.course.training import progress
from attn_course.files import replacing
from attn_course.tasks.text import PAD


def build(setting):
    """One of the four models, drawn with the setting's seed."""
    torch.manual_seed(setting.seed)
    model = model_of(names, setting)
    if setting.model == "transformer":
        return model
    return with_dropout(model, setting.dropout)


def with_dropout(model, rate):
    """A recurrent model with dropout where the Transformer has it outside its layers.

    On the embeddings of source and target, and on what the output layer is given.
    """

    def drop(x):
        return torch.nn.functional.dropout(x, rate, model.training)

    for part in (model.encoder, model.decoder):
        part.embedding.register_forward_hook(lambda layer, given, x: drop(x))
    output = model.decoder.output_layer
    output.register_forward_pre_hook(lambda layer, given: drop(*given))
    return model


class Caller(torch.nn.Module):
    """A model that is called with a batch: (source, mask, target_in) -> logits."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, source, mask, target_in):
        if isinstance(self.model, names.Transformer):
            mask, options = mask[:, None, None], {"need_weights": False}
        else:
            options = {}
        return self.model(source, target_in, mask, **options)[0]


def summed_loss(model, batch, smoothing):
    """The sum of the losses of all tokens that are not padding."""
    source, mask, target_in, target_out = batch
    logits = model(source, mask, target_in)
    each = names.label_smoothing(logits, target_out, smoothing=smoothing)
    return (each * (target_out != PAD)).sum()


def train(model, data, setting, *, folder=None, stop=None):
    """Train up to ``setting.steps``; returns the log: a dict of lists.

    At the end the model has the parameters of the lowest loss on dev.

    folder: where the checkpoint is kept, and gone on from if there is one. stop: the
    step to stop at before the end. With ``torchrun`` every process gets its part of
    each batch, and the loss is that of the whole.
    """
    rank, count = place()
    device = next(model.parameters()).device
    caller = Caller(model)
    if count > 1:
        ids = [device] if device.type == "cuda" else None
        caller = torch.nn.parallel.DistributedDataParallel(caller, device_ids=ids)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    log, best = load(folder, setting, model, optimizer)
    step, started = len(log["train"]), time.monotonic() - log["seconds"]
    stream = batches_from(data, setting, step)
    last = min(setting.steps, stop or setting.steps)
    for _, whole in zip(progress(last - step, setting.model), stream, strict=False):
        step += 1
        optimizer.param_groups[0]["lr"] = rate_of(step, setting)
        own = to(device, part_of(whole, rank, count))
        # DistributedDataParallel takes the mean of the gradients, hence the count.
        loss = summed_loss(caller, own, SMOOTHING) / real_tokens(whole) * count
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        log["train"].append(mean_over_all(loss.detach()))
        if step % setting.every == 0 or step == setting.steps:
            log["dev"].append((step, dev_loss(model, data.dev)))
            log["seconds"] = round(time.monotonic() - started, 1)
            if is_best(log):
                best = {name: x.clone() for name, x in model.state_dict().items()}
            if rank == 0:
                save(folder, setting, model, optimizer, best, log)
    if step == setting.steps:
        model.load_state_dict(best)
    return log


def run(setting, data, folder=None):
    """Build and train where there is a GPU, or not; returns the model and its log."""
    device = join()
    model = build(setting).to(device)
    return model, train(model, data, setting, folder=folder)


@torch.no_grad()
def dev_loss(model, examples):
    """The mean cross-entropy of a token, without label smoothing and dropout."""
    device, total = next(model.parameters()).device, 0.0
    caller, before = Caller(model), model.training
    model.eval()
    for chunk in chunks(examples, 128):
        total += summed_loss(caller, to(device, chunk), 0.0).item()
    model.train(before)
    return round(total / real_tokens(examples), 4)


@torch.no_grad()
def translate(model, source, mask, **options):
    """``written`` of arrays; an array."""
    device = next(model.parameters()).device
    model.eval()
    given = to(device, (source, mask))
    return written(names, model, *given, **options).cpu().numpy()


def to(device, arrays):
    """Arrays of NumPy as tensors on a device."""
    return [torch.from_numpy(array).to(device) for array in arrays]


def place():
    """This process's number and how many there are: (0, 1) without ``torchrun``."""
    if not torch.distributed.is_initialized():
        return 0, 1
    return torch.distributed.get_rank(), torch.distributed.get_world_size()


def join():
    """Join the other processes if ``torchrun`` started this one; returns a device."""
    has_gpu = torch.cuda.is_available()
    local = int(os.environ.get("LOCAL_RANK", "0"))
    if "WORLD_SIZE" in os.environ and not torch.distributed.is_initialized():
        torch.distributed.init_process_group("nccl" if has_gpu else "gloo")
    return torch.device("cuda", local) if has_gpu else torch.device("cpu")


def mean_over_all(loss):
    """The mean of a loss over all processes, a number."""
    count = place()[1]
    if count > 1:
        torch.distributed.all_reduce(loss)
    return round(loss.item() / count, 6)


def save(folder, setting, model, optimizer, best, log):
    """Write the checkpoint, whole or not at all."""
    if folder is None:
        return
    path = checkpoint(folder, setting)
    path.parent.mkdir(parents=True, exist_ok=True)
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    state |= {"random": torch.get_rng_state(), "best": best, "log": log}
    with replacing(path) as new:
        torch.save(state, new)


def load(folder, setting, model, optimizer):
    """Go on from the checkpoint; returns its log and the best parameters so far."""
    path = None if folder is None else checkpoint(folder, setting)
    if path is None or not path.exists():
        return {"train": [], "dev": [], "seconds": 0}, None
    device = next(model.parameters()).device
    state = torch.load(path, map_location=device, weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["random"].cpu())
    return state["log"], state["best"]


def checkpoint(folder, setting):
    """Where a run's checkpoint is."""
    return Path(folder) / f"{run_name(setting)}.pt"
