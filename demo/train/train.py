"""Data-parallel training in plain Python: a small network learns a curve, one process a GPU, gradients averaged over TCP.

It behaves as a real trainer does: each rank loads its shard of the data, all ranks meet at a rendezvous, rank 0 prints progress and saves
checkpoints. Its faults are those of real trainers, too: a shard that is not there, and an index that points outside the mapped file.
"""

import argparse
import ctypes
import json
import math
import mmap
import os
import random
import socket
import struct
import sys
import time
from pathlib import Path

HIDDEN = 16
SAMPLE_BYTES = 16  # two doubles: x and y


class Shard:
    """One rank's samples, mapped into memory and read without copies through the index."""

    def __init__(self, folder: Path, rank: int) -> None:
        path = folder / f"shard-{rank:04d}.bin"
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self.offsets = json.loads(path.with_suffix(".index").read_text())

    def batch(self, step: int, size: int) -> list[tuple[float, float]]:
        """The samples of one step, in the index's order."""
        first = step * size
        chosen = [self.offsets[(first + i) % len(self.offsets)] for i in range(size)]
        pair = ctypes.c_double * 2
        return [tuple(pair.from_address(self._base + offset)) for offset in chosen]


class Group:
    """All ranks of the job: rank 0 listens, the others connect, and `mean` averages a vector over all of them."""

    def __init__(self, rank: int, world: int, address: str, port: int, timeout_s: float) -> None:
        self.rank, self.world = rank, world
        self._peers: dict[int, socket.socket] = {}
        print(f"[rank{rank}] rendezvous: waiting for {world} ranks at {address}:{port}", flush=True)
        until = time.monotonic() + timeout_s
        if rank == 0:
            self._listen(address, port, until, timeout_s)
        elif world > 1:
            self._connect(address, port, until, timeout_s)
        print(f"[rank{rank}] rendezvous: {world} ranks joined", flush=True)

    def _listen(self, address: str, port: int, until: float, timeout_s: float) -> None:
        with socket.create_server((address, port)) as server:
            while len(self._peers) < self.world - 1:
                server.settimeout(max(0.01, until - time.monotonic()))
                try:
                    peer, _ = server.accept()
                except TimeoutError:
                    raise TimeoutError(f"rendezvous timed out after {timeout_s:.0f} s: {1 + len(self._peers)}/{self.world} ranks joined") from None
                self._peers[struct.unpack("i", receive(peer, 4))[0]] = peer
        for peer in self._peers.values():
            peer.sendall(b"go")

    def _connect(self, address: str, port: int, until: float, timeout_s: float) -> None:
        while True:
            try:
                peer = socket.create_connection((address, port), timeout=timeout_s)
                break
            except ConnectionRefusedError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)
        peer.sendall(struct.pack("i", self.rank))
        receive(peer, 2)
        self._peers[0] = peer

    def mean(self, values: list[float]) -> list[float]:
        """The average of every rank's vector; a rank that is gone raises ConnectionError on the others."""
        if self.world == 1:
            return values
        form = f"{len(values)}d"
        if self.rank != 0:
            self._peers[0].sendall(struct.pack(form, *values))
            return list(struct.unpack(form, receive(self._peers[0], struct.calcsize(form), "all_reduce: rank 0")))
        total = list(values)
        for rank, peer in self._peers.items():
            theirs = struct.unpack(form, receive(peer, struct.calcsize(form), f"all_reduce: rank {rank}"))
            total = [a + b for a, b in zip(total, theirs, strict=True)]
        mean = [value / self.world for value in total]
        for peer in self._peers.values():
            peer.sendall(struct.pack(form, *mean))
        return mean


def receive(peer: socket.socket, size: int, what: str = "rendezvous: rank 0") -> bytes:
    """Exactly `size` bytes from a peer."""
    data = b""
    while len(data) < size:
        part = peer.recv(size - len(data))
        if not part:
            raise ConnectionError(f"{what} closed the connection")
        data += part
    return data


def gradients(weights: list[float], batch: list[tuple[float, float]]) -> tuple[float, list[float]]:
    """Mean squared error and its gradient for a network of one hidden layer; weights are [w, b, v] of each unit, then the last bias."""
    gradient = [0.0] * len(weights)
    loss = 0.0
    scale = 2 / len(batch)
    for x, y in batch:
        active = [math.tanh(weights[3 * i] * x + weights[3 * i + 1]) for i in range(HIDDEN)]
        error = sum(weights[3 * i + 2] * active[i] for i in range(HIDDEN)) + weights[-1] - y
        loss += error * error
        for i in range(HIDDEN):
            slope = error * weights[3 * i + 2] * (1 - active[i] * active[i])
            gradient[3 * i] += scale * slope * x
            gradient[3 * i + 1] += scale * slope
            gradient[3 * i + 2] += scale * error * active[i]
        gradient[-1] += scale * error
    return loss / len(batch), gradient


def main() -> int:
    """Train; the exit status is 0 when all steps are done."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--checkpoints", type=Path)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--learning-rate", type=float, default=0.05)
    parser.add_argument("--timeout", type=float, default=120)
    options = parser.parse_args()
    rank, world = int(os.environ.get("SLURM_PROCID", "0")), int(os.environ.get("SLURM_NTASKS", "1"))
    where = f"{os.environ.get('SLURMD_NODENAME', socket.gethostname())}, GPU {os.environ.get('CUDA_VISIBLE_DEVICES', 'none')}"
    print(f"[rank{rank}] starting on {where}; loading {options.data}/shard-{rank:04d}.bin", flush=True)
    shard = Shard(options.data, rank)
    print(f"[rank{rank}] loaded {len(shard.offsets)} samples", flush=True)
    group = Group(rank, world, os.environ.get("MASTER_ADDR", "127.0.0.1"), int(os.environ.get("MASTER_PORT", "29500")), options.timeout)
    start = random.Random(17)
    weights = [start.uniform(-1, 1) for _ in range(3 * HIDDEN)] + [0.0]
    velocity = [0.0] * len(weights)
    loss = math.nan
    for step in range(1, options.steps + 1):
        began = time.perf_counter()
        own_loss, gradient = gradients(weights, shard.batch(step, options.batch))
        *gradient, loss = group.mean([*gradient, own_loss])
        rate = options.learning_rate * (1 - 0.9 * step / options.steps)
        velocity = [0.9 * v - rate * g for v, g in zip(velocity, gradient, strict=True)]
        weights = [w + v for w, v in zip(weights, velocity, strict=True)]
        if rank == 0 and (step % 20 == 0 or step == 1):
            norm = math.sqrt(sum(g * g for g in gradient))
            speed = options.batch * world / (time.perf_counter() - began)
            print(f"step {step}/{options.steps} | loss {loss:.5f} | grad_norm {norm:.4f} | lr {rate:.3e} | {speed:.0f} samples/s", flush=True)
        if rank == 0 and options.checkpoints and step % 200 == 0:
            path = options.checkpoints / f"checkpoint-{step}.json"
            path.write_text(json.dumps(weights))
            print(f"saved checkpoint to {path}", flush=True)
    if rank == 0:
        print(f"training finished: {options.steps}/{options.steps} steps, final loss {loss:.5f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
