"""Serving: many requests, one model, and blocks of memory that are never lost.

Public names, alike in ``pytorch`` and ``tf``:

    Engine(model, *, blocks, block_size, max_requests, token_budget=None,
           prefix_cache=True)
        add(prompt (T), *, max_tokens, temperature=1.0, top_k=None, top_p=None,
            seed=None, end=None, salt=None) -> request
        step() -> pairs (request, token), as they come
        run()                     steps until all have ended
        cancel(request)           at any time
        counts, log, waiting, running, blocks

    step     every running request reads the tokens that it has and the model has not
             read: one, or a piece of its prompt; all together at most token_budget
    block    P positions of all layers. The table of a request lists its blocks:
             position p stands in block table[p // P] at place p % P
    holders  of a block: the requests whose table has it, and the prefix cache, which is
             one holder more. A block without holders is free
    name     of a full block: hash(name of the block before, its tokens); before the
             first stands the hash of the salt

The tokens of a request are those of ``generate(model, prompt[None], ...)`` with the
same arguments, whatever else is served and in whatever order. That is a claim for
float64: in float32 a batch of another size may round a sum differently, and two tokens
that are equally likely up to rounding change places.

- Continuous batching: who has ended leaves, and who waits enters, at every step. The
  tokens of a step stand in one row, so that nothing is padded but in attention.
- Chunked prefill: a long prompt is read in pieces, and who writes gets a token in every
  step. token_budget is at least max_requests; None reads prompts at once.
- Prefix cache: a request begins behind the full blocks that are known under its names.
  Half-full blocks are not shared, so that nobody writes into what another reads; at
  least one token is read, for its logits. What nobody holds is given up when its room
  is wanted, the longest unused first, the end of a text before its beginning. Only
  requests of one salt share: a hit is faster, which tells what others have asked.
- Preemption: when a block is wanted and none is free, who came last gives its own back
  and returns to the head of the queue. It keeps what it wrote, and its generator, and
  reads again what its blocks held, from the prefix cache where it is still known.
- A request that could never be served, longer than all blocks, is refused by ``add``,
  before it has taken anything, and so is a token that the model does not have.

request: ``tokens``, ``written`` (those behind the prompt), ``state`` (waiting, running,
done, cancelled), ``read``, ``table``, ``counts``. ``counts``, of a request and of all:
tokens read and hit, steps waited, times preempted; of all also steps and requests.
``log`` has a dict for every step, in numbers of the requests: ``read``, ``hit``,
``written``, ``preempted``, ``waited``, ``tables`` (the blocks of who runs), ``free``.

A model must keep a key and a value of every position and nothing else, as
``MultiHeadAttention`` and ``GroupedQueryAttention`` do, and have no bias on its scores:
a window has given up blocks that another request would find, and a state has none.

There is no ``reference``: the specification is ``generate``.

Sources: Yu et al. 2022, "Orca", OSDI, section 3, a batch that changes at every step;
Kwon et al. 2023 (arXiv:2309.06180), sections 4.3 and 4.5, sharing and preemption;
Agrawal et al. 2024 (arXiv:2403.02310), section 4, prompts in pieces.
Differs: Kwon et al. also swap blocks out; here a preempted request reads again.
"""
