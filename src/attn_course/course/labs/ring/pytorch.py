"""Attention over several processes in PyTorch; see ``attn_course.course.labs.ring``.

Forward only. Each function runs in every process, on its own share.
"""

import os
import tempfile
from datetime import timedelta

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.core.split_keys.pytorch import merge, of_parts
from attn_course.course.labs.ring import Sizes, alone, draw, in_order, ring_step, zigzag
from attn_course.mechanisms.flash.pytorch import LOG2_E, apart, first, renew

dist, processes = torch.distributed, torch.multiprocessing
FAILED = processes.ProcessRaisedException, processes.ProcessExitedException
WAIT = 10  # seconds for a process that says nothing
STOPS = 3  # seconds for the others to end by themselves


class Team:
    """This process among R, and the bytes that it has sent to others."""

    def __init__(self):
        self.rank, self.size, self.sent = dist.get_rank(), dist.get_world_size(), 0

    def hand_on(self, share):
        """Send to the next process, get from the one before, both under way."""
        coming = [torch.empty_like(x) for x in share]
        ahead, behind = (self.rank + 1) % self.size, (self.rank - 1) % self.size
        ops = [dist.P2POp(dist.isend, x, ahead, tag=n) for n, x in enumerate(share)]
        ops += [dist.P2POp(dist.irecv, x, behind, tag=n) for n, x in enumerate(coming)]
        self.sent += sum(x.nbytes for x in share)
        return coming, dist.batch_isend_irecv(ops)

    def gather(self, x):
        """What every process has, a list of R."""
        found = [torch.empty_like(x) for _ in range(self.size)]
        dist.all_gather(found, x)
        self.sent += (self.size - 1) * x.nbytes
        return found

    def swap(self, x, cut, join):
        """A part to each process, cut along an axis; what comes is joined along one."""
        parts = [part.contiguous() for part in x.chunk(self.size, cut)]
        found = [torch.empty_like(part) for part in parts]
        dist.all_to_all(found, parts)
        self.sent += x.nbytes - parts[self.rank].nbytes
        return torch.cat(found, join)


@torch.no_grad()
def ring_attention(query, key, value, places, team, causal=True):
    """This process's queries (..., T, K) attend to the keys of all: (..., T, V)."""
    context = query.new_zeros(*query.shape[:-1], value.shape[-1])
    state = (*first(context[..., :1]), context)
    share = [key.contiguous(), value.contiguous()]
    for step in range(team.size):
        owner = (team.rank - step) % team.size
        coming, under_way = share, ()
        if step + 1 < team.size:  # the last share is needed by nobody else
            coming, under_way = team.hand_on(share)
        seen = places[team.rank], places[owner], causal
        ring_step(state, query, *share, *seen, renew, LOG2_E)  # powers of 2
        for work in under_way:
            work.wait()
        share = coming
    return context / apart(state[1])


def gathered_attention(query, key, value, mine, places, team, causal=True):
    """All keys to every process, then attention as on one."""
    key, value = (torch.cat(team.gather(x), dim=-2) for x in (key, value))
    seen = (np.concatenate(places) <= mine[:, None]) | (not causal)
    return attend(query, key, value, torch.from_numpy(seen))


def attend(query, key, value, seen=None):
    """Attention as the package has it for one part of the keys."""
    _, total, context = of_parts(query * query.shape[-1] ** -0.5, key, value, seen)
    return context / apart(total)


def swapped_attention(query, key, value, places, team, causal=True):
    """All positions of 1 / R of the heads, which are axis 1, and back again."""
    query, key, value = (team.swap(x, 1, -2) for x in (query, key, value))
    where = np.concatenate(places)
    seen = (where <= where[:, None]) | (not causal)
    output = attend(query, key, value, torch.from_numpy(seen))
    return team.swap(output, -2, 1)


def shared_decode(query, key, value, team):
    """One query, this process's part of the cache: the whole output, on all."""
    own = torch.cat(of_parts(query * query.shape[-1] ** -0.5, key, value), dim=-1)
    found = torch.stack(team.gather(own))
    return merge(*found.split([1, 1, value.shape[-1]], dim=-1), axis=0)


def compare(sizes):
    """Every way against attention on one process: name -> (error, bytes sent)."""
    team, found = Team(), {}
    heads = draw(sizes)
    whole = alone(*heads)
    query, key, value = (torch.from_numpy(x) for x in heads)

    def note(name, output, rows):
        error = float(np.abs(output.numpy() - whole[..., rows, :]).max())
        found[name], team.sent = (error, team.sent), 0

    for name, cut in (("in order", in_order), ("zigzag", zigzag)):
        places = cut(sizes.S, team.size)
        mine = places[team.rank]
        own = [x[..., mine, :] for x in (query, key, value)]
        note(f"ring, {name}", ring_attention(*own, places, team), mine)
    note("gather", gathered_attention(*own, mine, places, team), mine)
    if sizes.G % team.size == 0:
        note("swap", swapped_attention(*own, places, team), mine)
    cache = (x[..., team.rank :: team.size, :] for x in (key, value))
    note("decode", shared_decode(query[..., -1:, :], *cache, team), slice(-1, None))
    return found


def cut_heads(layer, mesh):
    """Give each process of a mesh its heads of a layer, by PyTorch's DTensor.

    Queries, keys and values are cut by columns, the output by rows: its sum over the
    processes is the only thing that is sent.
    """
    from torch.distributed.tensor import parallel

    plan = {name: parallel.ColwiseParallel() for name in ("query", "key", "value")}
    plan["output"] = parallel.RowwiseParallel()
    parallel.parallelize_module(layer, mesh, plan)


@torch.no_grad()
def compare_heads():
    """A layer whose heads are cut against the whole one: error, and what was called."""
    from torch.distributed.tensor.debug import CommDebugMode

    from attn_course.pytorch import GroupedQueryAttention

    torch.manual_seed(1)
    layer = GroupedQueryAttention(16, 8, num_kv_heads=4, dtype=torch.float64)
    x = torch.randn(2, 5, 16, dtype=torch.float64)
    whole, _ = layer(x, causal=True, need_weights=False)
    cut_heads(layer, dist.init_device_mesh("cpu", (dist.get_world_size(),)))
    with CommDebugMode() as calls:
        found, _ = layer(x, causal=True, need_weights=False)
    names = {str(op): count for op, count in calls.get_comm_counts().items()}
    return float((found - whole).abs().max()), names


def ask_context_parallel():
    """PyTorch's own ``context_parallel``, with gloo: backend -> what it answers."""
    from torch.distributed.tensor.experimental import context_parallel
    from torch.nn.attention import SDPBackend, sdpa_kernel

    mesh, found = dist.init_device_mesh("cpu", (dist.get_world_size(),)), {}
    for name in ("FLASH_ATTENTION", "EFFICIENT_ATTENTION", "MATH"):
        heads = [torch.randn(1, 2, 32, 8) for _ in range(3)]
        cut = context_parallel(mesh, buffers=heads, buffer_seq_dims=[2] * 3)
        try:
            with sdpa_kernel(getattr(SDPBackend, name)), torch.no_grad(), cut:
                torch.nn.functional.scaled_dot_product_attention(*heads, is_causal=True)
            found[name] = "runs"
        except Exception as error:  # whatever it says is the answer
            found[name] = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return found


def ask_library():
    """What PyTorch does by itself: heads by DTensor, and ``context_parallel``."""
    return compare_heads(), ask_context_parallel()


def end_in_the_ring(signal):
    """Process 1 gets a signal in the middle of a ring that would go on for long."""
    sizes, team = Sizes(), Team()
    places = zigzag(sizes.S, team.size)
    own = [torch.from_numpy(x[..., places[team.rank], :]) for x in draw(sizes)]
    for turn in range(100_000):
        if (team.rank, turn) == (1, 3):
            os.kill(os.getpid(), signal)
        ring_attention(*own, places, team)


def start(size, work, *arguments, wait=WAIT):
    """Run ``work(*arguments)`` in so many processes: what each returned, in order.

    Raises:
        RuntimeError: a process failed, was killed, or said nothing for ``wait`` seconds
            while another waited for it. Then all are ended.
    """
    server = processes.get_context("forkserver")
    server.set_forkserver_preload([__name__])  # imported once, not by each process
    with tempfile.TemporaryDirectory() as folder:
        answers = server.SimpleQueue()
        options = size, f"{folder}/meet", wait, answers, work, arguments
        how = {"nprocs": size, "join": False, "start_method": "forkserver"}
        team = processes.start_processes(member, options, **how)
        try:
            # A stopped process does not hear SIGTERM; after the grace it is killed.
            while not team.join(timeout=1, grace_period=STOPS):
                pass
        except FAILED as error:
            said = str(error).strip().splitlines()[-1]
            message = f"process {error.error_index} failed, all are ended: {said}"
            raise RuntimeError(message) from error
        found = dict(answers.get() for _ in range(size))
    return [found[rank] for rank in range(size)]


def member(rank, size, meet, wait, answers, work, arguments):
    """One process: meet the others in a file, work, answer."""
    torch.set_num_threads(1)
    place = {"init_method": f"file://{meet}", "rank": rank, "world_size": size}
    dist.init_process_group("gloo", timeout=timedelta(seconds=wait), **place)
    answers.put((rank, work(*arguments)))
    dist.destroy_process_group()


def join(work, *arguments):
    """Work as one of those that ``torchrun`` started: rank, and what each returned."""
    dist.init_process_group("gloo", timeout=timedelta(seconds=WAIT))
    found = [None] * dist.get_world_size()
    dist.all_gather_object(found, work(*arguments))
    rank = dist.get_rank()
    dist.destroy_process_group()
    return rank, found
