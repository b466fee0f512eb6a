"""What an engine reports of its steps: counts, and a log that figures draw on."""

from collections import Counter
from typing import Any

TOLD = "read", "hit", "written", "preempted", "waited"  # of each step, by request


class Journal:
    """counts: of all requests together; log: a dict for every step."""

    def __init__(self) -> None:
        self.counts: Counter = Counter()
        self.log: list[dict[str, Any]] = []

    def begin(self) -> None:
        """Open the log of a step."""
        self.log.append({name: {} for name in TOLD})

    def tell(self, request: Any, what: str, count: int) -> None:
        """Count for the request, for all requests, and in the log of this step."""
        request.counts[what] += count
        self.counts[what] += count
        self.log[-1][what][request.number] = count

    def note(self, engine: Any, spans: list[tuple[Any, int]]) -> None:
        """Who waits, what is read and which blocks hold it, by request number."""
        self.counts["steps"] += 1
        for request in engine.waiting:
            self.tell(request, "waited", 1)
        for request, count in spans:
            self.tell(request, "read", count)
        self.log[-1]["tables"] = {r.number: [*r.table] for r in engine.running}
        self.log[-1]["free"] = len(engine.blocks.free)
