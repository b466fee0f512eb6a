"""Makes the topics' file: ``python -m experiments.data.topics``.

It reads ``pydoc_data.topics`` of the Python that runs it; the file that is shipped was
made by CPython 3.11.7.
"""

import gzip
import hashlib
import json
from pydoc_data.topics import topics

from attn_course.tasks.topics import DATA

LEAST = 500  # bytes; what is left of shorter topics is not kept


def without_repeats(topics):
    """The topics without the paragraphs that a longer topic has already."""
    seen, kept = set(), {}
    for name in sorted(topics, key=lambda name: (-len(topics[name]), name)):
        paragraphs = []
        for paragraph in topics[name].strip().split("\n\n"):
            words = " ".join(paragraph.split())
            if words and words not in seen:
                paragraphs.append(paragraph)
                seen.add(words)
        text = "\n\n".join(paragraphs)
        if len(text) >= LEAST:
            kept[name] = text
    return dict(sorted(kept.items()))


if __name__ == "__main__":
    text = json.dumps(without_repeats(topics), ensure_ascii=False)
    DATA.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(DATA.name, hashlib.sha256(DATA.read_bytes()).hexdigest())
