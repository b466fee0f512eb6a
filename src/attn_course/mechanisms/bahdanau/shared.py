"""The check that the additive attention of all implementations shares."""

from typing import Any

from attn_course.mechanisms.recurrent.shared import check_memory, check_names

SPECS = {"query_weight": "DA", "memory_weight": "EA", "score_weight": "A"}


def check_additive(
    query: Any, memory: Any, parameters: dict[str, Any], mask: Any = None
) -> None:
    """Raise ValueError unless all arguments fit ``additive_attention``."""
    check_names(parameters, *SPECS)
    weights = {name: (parameters[name], spec) for name, spec in SPECS.items()}
    check_memory(query, memory, mask, **weights)
