"""Serving: many requests, one model, and blocks of memory that are never lost.

Public names, alike in ``pytorch`` and ``tf``:

    Engine(model, *, blocks, block_size, max_requests, token_budget=None,
           prefix_cache=True)
        add(prompt (T), *, max_tokens, temperature=1.0, top_k=None, top_p=None,
            seed=None, end=None, salt=None) -> request
        step() -> pairs (request, token), as they come
        run()                     steps until all requests have ended
        cancel(request)           at any time
        counts, log, waiting, running, blocks

    step     every running request reads (computes) those of its tokens that the model
             has not read: one, or a piece of its prompt; at most token_budget in all
    block    P positions of all layers. A request's table (block table) lists its
             blocks: position p is in block table[p // P] at place p % P
    holders  (reference count) of a block: the requests whose table has it, and the
             prefix cache, which is one holder more. A block without holders is free
    name     (block hash) of a full block: hash(name of the block before, its tokens);
             the first block follows the hash of the salt

The tokens of a request are those of ``generate(model, prompt[None], ...)`` with the
same arguments, whatever else is served and in whatever order. That is a claim for
float64: in float32 a batch of another size may round a sum differently, and two tokens
that are equally likely up to rounding may change places.

- Continuous batching: at every step, finished requests leave and waiting ones enter.
  The tokens of a step form one row, so that only attention needs padding.
- Chunked prefill: a long prompt is read (prefilled) in pieces, and a request that
  writes (decodes) gets a token in every step. token_budget is at least max_requests;
  None reads prompts at once.
- Prefix cache: a request begins after the full blocks that are known under its names.
  Half-full blocks are not shared, so no request writes into what another reads; at
  least one token is read, for its logits. A block that nobody else holds is given up
  (evicted) when its room is needed: the least recently used first, the end of a text
  before its beginning. Only requests with the same salt share blocks: a hit is faster,
  which tells what others have asked.
- Preemption: when a block is needed and none is free, the newest request gives all its
  blocks back (is preempted) and returns to the head of the queue. It keeps what it
  wrote, and its generator, and reads again what its blocks held, except what the
  prefix cache still has.
- ``add`` refuses, before it takes anything, a request that could never be served
  (longer than all blocks) and a token that the model does not have.

request: ``tokens``, ``written`` (those after the prompt), ``state`` (waiting, running,
done, cancelled), ``read``, ``table``, ``counts``. ``counts``, of a request and of all:
tokens read and hit, steps waited, times preempted; of all also steps and requests.
``log`` has a dict for every step, by request number: ``read``, ``hit``, ``written``,
``preempted``, ``waited``, ``tables`` (the blocks of running requests), ``free``.

A model must keep a key and a value of every position and nothing else, as
``MultiHeadAttention`` and ``GroupedQueryAttention`` do, and have no bias on its scores:
a window has dropped blocks that another request would look for, and a state has none.

There is no ``reference``: the specification is ``generate``.

Sources: Yu et al. 2022, "Orca", OSDI, section 3, a batch that changes at every step;
Kwon et al. 2023 (arXiv:2309.06180), sections 4.3 and 4.5, sharing and preemption;
Agrawal et al. 2024 (arXiv:2403.02310), section 4, prompts in pieces.
Differs: Kwon et al. also swap blocks out; a preempted request here reads again.
"""
