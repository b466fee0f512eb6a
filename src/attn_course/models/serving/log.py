"""What an engine tells of its steps: counts, and a log that figures are drawn from."""

from collections import Counter
from typing import Any

TOLD = "read", "hit", "written", "preempted", "waited"  # of each step, by request


class Journal:
    """counts: of all requests together; log: a dict for every step."""

    def __init__(self) -> None:
        self.counts: Counter = Counter()
        self.log: list[dict[str, Any]] = []

    def begin(self) -> None:
        """A step."""
        self.log.append({name: {} for name in TOLD})

    def tell(self, request: Any, what: str, count: int) -> None:
        """Count for a request, for all, and in the log of this step."""
        request.counts[what] += count
        self.counts[what] += count
        self.log[-1][what][request.number] = count

    def note(self, engine: Any, spans: list[tuple[Any, int]]) -> None:
        """Who waits, what is read and where it stands, in numbers of the requests."""
        self.counts["steps"] += 1
        for request in engine.waiting:
            self.tell(request, "waited", 1)
        for request, count in spans:
            self.tell(request, "read", count)
        self.log[-1]["tables"] = {r.number: [*r.table] for r in engine.running}
        self.log[-1]["free"] = len(engine.blocks.free)
