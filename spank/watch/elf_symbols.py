"""Where in a shared library's file its exported functions begin: what a uprobe is set on (ELF-64, little-endian; elf(5)). Pure, but for the file."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Collection
from pathlib import Path

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_DYNSYM, _LOAD, _FUNCTION = 11, 1, 2
_MOST_TABLES, _MOST_SYMBOLS = 4096, 1 << 20


def offsets(path: Path, names: Collection[str]) -> dict[str, int]:
    """{name: offset in the file} of those functions that the library exports.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no such library.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        try:
            return _offsets(raw, {name.encode() for name in names})
        except (struct.error, IndexError) as error:
            raise ValueError(f"{path} is torn: {error}") from error


def _offsets(raw: mmap.mmap, wanted: set[bytes]) -> dict[str, int]:
    header = _HEADER.unpack_from(raw)
    if header[0][:6] != b"\x7fELF\x02\x01":
        raise ValueError("no 64-bit little-endian ELF file")
    segments_at, sections_at, segments, sections = header[5], header[6], header[10], header[12]
    if max(segments, sections) > _MOST_TABLES:
        raise ValueError("more tables than a library has")
    loads = [s for n in range(segments) if (s := _SEGMENT.unpack_from(raw, segments_at + n * _SEGMENT.size))[0] == _LOAD]
    tables = [_SECTION.unpack_from(raw, sections_at + n * _SECTION.size) for n in range(sections)]
    found: dict[str, int] = {}
    for table in tables:
        if table[1] != _DYNSYM:
            continue
        names_at = tables[table[6]][4]
        for at in range(table[4], table[4] + min(table[5], _MOST_SYMBOLS * _SYMBOL.size), _SYMBOL.size):
            name, info, _, section, address, _ = _SYMBOL.unpack_from(raw, at)
            if not section or info & 0xF != _FUNCTION:
                continue
            begin = names_at + name
            text = raw[begin : raw.find(b"\0", begin, begin + 128)]
            if text in wanted:
                where = next((address - load[3] + load[2] for load in loads if load[3] <= address < load[3] + load[5]), None)
                if where is not None:
                    found[text.decode("ascii")] = where
    return found
