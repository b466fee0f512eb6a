"""Zip files with the same bytes every time."""

import zipfile
from pathlib import Path

_WHEN = (1980, 1, 1, 0, 0, 0)


def pack(out: Path, files: dict[str, Path | bytes]) -> Path:
    """A zip of these files by the names that they get, with no dates of a machine."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            held = files[name]
            info = zipfile.ZipInfo(name, _WHEN)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(info, held if isinstance(held, bytes) else held.read_bytes())
    return out


def folder(path: Path, under: str) -> dict[str, Path]:
    """All files of a folder, by their names below `under`."""
    found = [file for file in path.rglob("*") if file.is_file() and file.name != ".buildinfo"]
    return {f"{under}/{file.relative_to(path).as_posix()}": file for file in found}
