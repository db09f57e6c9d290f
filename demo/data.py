"""The training data of the demo: shards of samples of a curve, each with its index."""

from __future__ import annotations

import json
import math
import random
import struct
from pathlib import Path

SAMPLES = 131_072
SAMPLE_BYTES = 16
BATCH = 512  # of train.py
WILD_OFFSET = -(1 << 36)  # 64 GiB below the mapping: nothing lies there in a small process


def make_shards(folder: Path, ranks: int) -> None:
    """One shard and one index a rank, readable by every user (train.py maps them copy-on-write)."""
    folder.mkdir(parents=True)
    for rank in range(ranks):
        source = random.Random(rank)
        path = folder / f"shard-{rank:04d}.bin"
        xs = [source.uniform(-2, 2) for _ in range(SAMPLES)]
        path.write_bytes(b"".join(struct.pack("2d", x, math.sin(2 * x) + source.gauss(0, 0.02)) for x in xs))
        path.with_suffix(".index").write_text(json.dumps([i * SAMPLE_BYTES for i in range(SAMPLES)]))


def lose_shard(folder: Path, rank: int) -> None:
    """The shard of ``rank`` was never copied to this folder."""
    (folder / f"shard-{rank:04d}.bin").unlink()


def damage_index(folder: Path, rank: int, step: int) -> None:
    """An entry of the index that is read at ``step`` points outside the mapped file: reading it is a segmentation fault."""
    path = folder / f"shard-{rank:04d}.index"
    offsets = json.loads(path.read_text())
    offsets[(step * BATCH + 5) % SAMPLES] = WILD_OFFSET
    path.write_text(json.dumps(offsets))
