"""Runs of a small decoder, healthy or with one planted fault: an exercise of chapter 8.

python -m experiments.ailing --seeds 0 1 2

Two blocks with two heads each learn to say HALF drawn tokens a second time. A row is a
run: ``cause``, ``seed`` and what a reader may see of it (``readings`` of
``ailing.pytorch`` and ``ailing.tf``).
"""

HEALTHY = "healthy"
CAUSES = (
    HEALTHY,
    "leaking mask",
    "dead head",
    "shift by one",
    "norm misplaced",
    "cache off by one",
    "scale missing",
)
TOKENS, HALF, WIDTH, HEADS, STEPS, ROWS = 12, 6, 32, 2, 400, 64
T = 2 * HALF
