"""Which request is served when, in which blocks: an engine without its pass."""

import math
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attn_course.core.paged.shared import Blocks, blocks_of
from attn_course.models.decoding.shared import Sampler
from attn_course.models.serving.blocks import Batch, PrefixCache, batch_of, name_of
from attn_course.models.serving.checks import check_sizes, checked_prompt, reach_of
from attn_course.models.serving.log import Journal


@dataclass(eq=False)
class Request:
    """What is asked, and how far it is.

    tokens: the prompt and what was written after it; length: of the prompt; read: how
    many of them the model has read (computed): their keys and values are in the blocks
    of table.
    state: waiting, running, done or cancelled. counts: what it took: tokens read, hit
    (found in the prefix cache), steps waited, times preempted.
    """

    number: int
    tokens: list[int]
    length: int
    max_tokens: int
    sampler: Sampler
    end: int | None
    names: list[bytes]  # of the salt, then of the full blocks
    state: str = "waiting"
    read: int = 0
    table: list[int] = field(default_factory=list)
    counts: Counter = field(default_factory=Counter)

    @property
    def written(self) -> list[int]:
        """The tokens after the prompt."""
        return self.tokens[self.length :]

    @property
    def unread(self) -> int:
        """How many tokens must be read before the next can be sampled."""
        return len(self.tokens) - self.read

    def name(self, number: int, size: int) -> bytes:
        """The name (block hash) of its full block with this number."""
        for n in range(len(self.names) - 1, number + 1):
            tokens = self.tokens[n * size : (n + 1) * size]
            self.names.append(name_of(tokens, self.names[-1]))
        return self.names[number + 1]


class Scheduler:
    """An engine without its pass: queues, blocks, and each request's part of a step."""

    def __init__(
        self,
        model: Any,
        *,
        blocks: int,
        block_size: int,
        max_requests: int,
        token_budget: int | None = None,
        prefix_cache: bool = True,
    ) -> None:
        check_sizes(blocks, block_size, max_requests, token_budget)
        self.model, self.block_size, self.max_requests = model, block_size, max_requests
        self.token_budget = min(token_budget or math.inf, reach_of(model))
        self.blocks, self.prefix_cache = Blocks(blocks), prefix_cache
        self.prefixes = PrefixCache(self.blocks)
        self.waiting: deque[Request] = deque()
        self.running: list[Request] = []
        self.journal = Journal()
        self.counts, self.log = self.journal.counts, self.journal.log
        self.memory = self.take_memory(model, blocks * block_size)

    def take_memory(self, model: Any, positions: int) -> tuple:
        """The memory (KV cache) that the passes write to."""
        return ()

    def add(
        self,
        prompt: Any,
        *,
        max_tokens: int,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        seed: int | None = None,
        end: int | None = None,
        salt: Any = None,
    ) -> Request:
        """Put a request in the queue, or refuse it before it touches anything.

        prompt: tokens (T). The rest as in ``generate``: the request will write what
        that gives for this prompt alone. salt: only requests of one salt share blocks.

        Raises:
            ValueError: an argument is wrong, or the request could never be served.
        """
        choice = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
        text = checked_prompt(self, prompt, max_tokens=max_tokens, end=end, **choice)
        sampler = Sampler(1, *choice.values(), seed)
        number = self.counts["requests"]
        root = [name_of(salt)]
        request = Request(number, text, len(text), max_tokens, sampler, end, root)
        self.counts["requests"] += 1
        self.waiting.append(request)
        return request

    def cancel(self, request: Request) -> None:
        """Forget a request at any time; one that has ended stays as it is."""
        if request in self.waiting or request in self.running:
            self.leave(request, "cancelled")

    def run(self) -> None:
        """Step until nobody waits or writes."""
        while self.waiting or self.running:
            self.step()

    def step(self) -> list[tuple[Request, int]]:
        """Run one pass of the model; return each request with the token that it got."""
        spans = self.schedule()
        logits = self.read(batch_of(spans, self.block_size)) if spans else ()
        given = []
        for (request, count), row in zip(spans, logits, strict=True):
            self.advance(request, count)
            if request.unread:
                continue  # a prompt that is not read to its end
            token = int(request.sampler(row[None])[0])
            request.tokens.append(token)
            given.append((request, token))
            if token == request.end or len(request.written) == request.max_tokens:
                self.leave(request, "done")
        self.log[-1]["written"] = {request.number: token for request, token in given}
        return given

    def read(self, batch: Batch) -> np.ndarray:
        """The logits (R, N) after the last token of every request."""
        raise NotImplementedError

    def schedule(self):
        """Pairs (request, how many of its tokens are read now): the whole policy.

        Running requests go first, in the order of arrival; when blocks are needed, the
        newest gives its own back. Waiting ones follow, unless blocks were needed.
        """
        left, spans, full = self.token_budget, [], False
        self.journal.begin()
        for request in [*self.running]:
            count = min(request.unread, left)
            while request in self.running and count and not self.grow(request, count):
                self.preempt(self.running[-1])  # perhaps itself
                full = True
            if request in self.running and count:
                spans.append((request, count))
                left -= count
        room = self.max_requests - len(self.running)
        for request in [*self.waiting][: 0 if full else room]:
            self.look_up(request)
            count = min(request.unread, left)
            if not count or not self.grow(request, count):
                self.give_back(request)
                break
            self.admit(request)
            spans.append((request, count))
            left -= count
        self.journal.note(self, spans)
        return spans

    def look_up(self, request):
        """Begin after the full blocks that are known, but leave one token to read."""
        if self.prefix_cache:
            full = (len(request.tokens) - 1) // self.block_size
            names = [request.name(n, self.block_size) for n in range(full)]
            request.table = self.prefixes.find(names)
            request.read = len(request.table) * self.block_size

    def admit(self, request):
        """Move it from the head of the queue to the running requests."""
        self.running.append(self.waiting.popleft())
        request.state = "running"
        self.journal.tell(request, "hit", request.read)

    def grow(self, request, count):
        """Take blocks for so many more tokens, or change nothing and return False."""
        wanted = blocks_of(request.read + count, self.block_size) - len(request.table)
        self.prefixes.make_room(wanted)
        if wanted > len(self.blocks.free):
            return False
        request.table += self.blocks.take(wanted)
        return True

    def advance(self, request, count):
        """Count so many more tokens as read; blocks that are now full get names."""
        before, request.read = request.read, request.read + count
        if self.prefix_cache:
            for n in range(before // self.block_size, request.read // self.block_size):
                self.prefixes.add(request.name(n, self.block_size), request.table[n])

    def preempt(self, request):
        """Send it to the head of the queue, without blocks; it keeps what it wrote."""
        self.running.remove(request)
        self.give_back(request)
        request.state = "waiting"
        self.journal.tell(request, "preempted", 1)
        self.waiting.appendleft(request)

    def leave(self, request, state):
        """Let it go for good."""
        (self.waiting if request.state == "waiting" else self.running).remove(request)
        self.give_back(request)
        request.state = state

    def give_back(self, request):
        """Release its blocks; those with a name stay until their room is needed."""
        self.prefixes.touch(request.names[1:])
        self.blocks.release(request.table)
        request.table, request.read = [], 0
