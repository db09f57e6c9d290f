"""Logs to scan: everyday lines of many programs with a share of progress lines among them, made from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

_WORDS = (
    "worker", "shard", "tensor", "batch", "tokenizer", "dataset", "cache", "loader", "queue", "epoch", "checkpoint", "layer", "optimizer",
    "gradient", "buffer", "stream", "collective", "partition", "prefetch", "sampler", "bucket", "manifest", "replica", "snapshot", "kernel",
    "module", "config", "registry", "scheduler", "pipeline", "attention", "embedding", "vocabulary",
)  # fmt: skip
_CHATTER = (
    "{date} {time},{ms:03d} INFO  {w}.{w}: processing {w} of {n} samples from {w} {n:06d} on rank {d}",
    "{date} {time} DEBUG {w}_{w}.py:{d} received tensor of shape [{d}, {n}, 768] dtype=torch.bfloat16 device=cuda:{d} from {w}-{n}",
    "[{date} {time}] {w}: cached {n} entries under /scratch/project/{w}/{w}-{n:05d}.arrow in {d}.{ms} s",
    "GET /v1/{w}/{n} HTTP/1.1 200 {n} {ms}us peer=10.0.{d}.{d} agent={w}/{d}.{d}",
    "INFO:{w}:{w} {n} finished with {d} retries, next {w} at {time}, memory {d}.{d} GB of 80 GB",
    "{w} {w} {w} {n} {w} {w} at offset {n}{ms} {w} {w} {w}",
    "W{d:04d} {time}.{ms:03d}456 {n} {w}_{w}.cc:{d}] {w} took {ms} ms, which is longer than usual for {w}",
    "  {w}.{d}.{w}.weight: torch.Size([{n}, {d}]) requires_grad=True mean={d}.{ms}e-03 std={d}.{ms}e-02",
    '{{"ts": "{date}T{time}.{ms:03d}Z", "level": "info", "name": "{w}.{w}", "msg": "{w} {n} ready", "rank": {d}, "bytes": {n}{ms}}}',
    "downloading {w}-{n:05d}-of-{n:05d}.safetensors to /home/user/.cache/{w}/hub/{w}--{w}/blobs/{n:032x}",
)
MIX = 0.05
ENDING = (
    "Traceback (most recent call last):\n"
    '  File "/home/u/train.py", line 812, in <module>\n    main()\n'
    '  File "/home/u/train.py", line 640, in main\n    loss = model(batch)\n'
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.50 GiB is free.\n"
)


def lines(seed: int, progress: float, step: int = 0) -> Iterator[str]:
    """Lines without end: ``progress`` of them say how far a training has got."""
    chance = random.Random(seed)
    while True:
        if chance.random() < progress:
            step += 10
            loss, norm, rate = 2 + 8 / (1 + step / 1000) + chance.random() / 10, chance.random() * 2, 1e-4 * (1 - step % 10**7 / 10**7)
            yield f"step {step}/10000000 | loss {loss:.4f} | grad_norm {norm:.3f} | lr {rate:.3e} | {chance.randrange(9000, 12000)} tokens/s"
            continue
        numbers = {"n": chance.randrange(1, 99999), "d": chance.randrange(100), "ms": chance.randrange(1000)}
        text = chance.choice(_CHATTER).replace("{w}", "\0").format(
            date="2026-11-20", time=f"{chance.randrange(24):02d}:{chance.randrange(60):02d}:{chance.randrange(60):02d}", **numbers
        )
        while "\0" in text:
            text = text.replace("\0", chance.choice(_WORDS), 1)
        yield text


def bars(seed: int) -> Iterator[str]:
    """A tqdm bar as a file gets it: redrawn behind carriage returns, nothing else."""
    chance = random.Random(seed)
    planned = 9_000_000
    for step in range(1, planned):
        cells = step * 80 // planned
        bar = "█" * (cells // 8) + ("▏▎▍▌▋▊▉"[cells % 8 - 1] if cells % 8 else "")
        took, left = step // 7, (planned - step) // 7
        clock = f"{took // 3600}:{took // 60 % 60:02d}:{took % 60:02d}<{left // 3600}:{left // 60 % 60:02d}:{left % 60:02d}"
        yield f"Training: {step * 100 // planned:3d}%|{bar:<10}| {step}/{planned} [{clock}, {chance.uniform(6.5, 7.5):.2f}it/s, loss={2 + 1e6 / (step + 1e6):.3f}]"


def write(path: Path, size: int, progress: float, *, seed: int = 7, unique: int = 32 << 20) -> None:
    """A log of about ``size`` bytes that ends in a traceback: ``unique`` bytes of its own, then those again and again."""
    own, chunk = 0, []
    for line in lines(seed, progress):
        chunk.append(line)
        own += len(line) + 1
        if own >= min(unique, size):
            break
    body = ("\n".join(chunk) + "\n").encode()
    with path.open("wb") as file:
        for _ in range(max(1, size // len(body))):
            file.write(body)
        file.write(ENDING.encode())


def write_bars(path: Path, size: int, seed: int = 7) -> None:
    """A log of about ``size`` bytes of one bar."""
    with path.open("wb") as file:
        for line in bars(seed):
            file.write(b"\r" + line.encode())
            if file.tell() >= size:
                break
        file.write(b"\n" + ENDING.encode())
