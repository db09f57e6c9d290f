"""Programs of several ranks that meet each in a way of its own (a ring of sockets, files, datagrams, a manager, XML-RPC, an asyncio hub), and print in a way of their own."""

from __future__ import annotations

HEAD = """rank = int(os.environ.get("RANK") or os.environ["SLURM_PROCID"])
world = int(os.environ.get("WORLD") or os.environ["SLURM_NTASKS"])
port = int(os.environ["PORT"])
"""
RING = '''import math
import os
import random
import socket
import struct
import sys
import time

HEAD_HERE
class Ring:
    """Each passes to its right what came from its left."""

    def __init__(self):
        door = socket.create_server(("127.0.0.1", port + rank))
        right = (rank + 1) % world
        print(f"ring[{rank}/{world}] bound to {port + rank}, right neighbour is {right} on {port + right}", flush=True)
        while True:
            try:
                self.right = socket.create_connection(("127.0.0.1", port + right))
                break
            except OSError:
                time.sleep(0.2)
        self.left, _ = door.accept()
        self.left.settimeout(PATIENCE)

    def total(self, values):
        pack, whole, mine = struct.Struct(f"{len(values)}d"), list(values), list(values)
        for _ in range(world - 1):
            self.right.sendall(pack.pack(*mine))
            data = b""
            while len(data) < pack.size:
                part = self.left.recv(pack.size - len(data))
                if not part:
                    raise ConnectionResetError(f"ring[{rank}]: left neighbour has hung up")
                data += part
            mine = pack.unpack(data)
            whole = [a + b for a, b in zip(whole, mine)]
        return whole


def main():
    EARLY
    ring = Ring()
    dice = random.Random(rank)
    truth, weights = [0.7, -1.2, 0.4], [0.0, 0.0, 0.0]
    print(f"ring[{rank}/{world}] closed", flush=True)
    for step in range(START, TOTAL + 1):
        rows = [[dice.gauss(0, 1) for _ in truth] for _ in range(16)]
        errors = [sum((w - t) * x for w, t, x in zip(weights, truth, row)) + dice.gauss(0, 0.3) for row in rows]
        slope = [sum(e * row[i] for e, row in zip(errors, rows)) / 8 for i in range(3)]
        cost = sum(e * e for e in errors) / 16
        MID
        slope = ring.total(slope)
        weights = [w - 0.15 * RATE * s / world for w, s in zip(weights, slope)]
        time.sleep(PAUSE)
        if step % EVERY == 0:
            print(f"ring[{rank}/{world}] sweep {step:5d}: |slope| {math.hypot(*slope):.3e}  objective {cost:.6f}", flush=True)
    LATE
    print(f"ring[{rank}/{world}] open again after {TOTAL} sweeps", flush=True)


main()
'''
BOX = '''import json
import logging
import os
import random
import sys
import time
from pathlib import Path

HEAD_HERE
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format=f"%(levelname).1s%(asctime)s.%(msecs)03d part{rank} | %(message)s", datefmt="%H%M%S")
say = logging.getLogger("box")
box = Path("box")


def exchange(step, value):
    """Every part leaves a note and reads those of the others."""
    box.mkdir(exist_ok=True)
    note = box / f"{step}.{rank}.part"
    note.write_text(json.dumps(value))
    note.rename(box / f"{step}.{rank}")
    notes = [box / f"{step}.{other}" for other in range(world)]
    asked = time.monotonic()
    while not all(n.exists() for n in notes):
        time.sleep(0.03)
        if time.monotonic() - asked > PATIENCE:
            raise TimeoutError(f"no note from {[n.name for n in notes if not n.exists()]}")
    return [json.loads(n.read_text()) for n in notes]


def train():
    EARLY
    say.info("parts here: %s", exchange("hello", os.getpid()))
    centres = [-1.0 - rank / 9, 0.2, 1.4]
    dice = random.Random(40 + rank)
    for step in range(START, TOTAL + 1):
        points = [dice.choice((-2, 0.5, 2)) + dice.gauss(0, 0.3) for _ in range(30)]
        inertia, sums, counts = 0.0, [0.0] * 3, [0] * 3
        for point in points:
            k = min(range(3), key=lambda k: (point - centres[k]) ** 2)
            inertia += (point - centres[k]) ** 2
            sums[k] += point
            counts[k] += 1
        MID
        answers = exchange(step, [sums, counts])
        for k in range(3):
            count = sum(a[1][k] for a in answers)
            if count:
                centres[k] += RATE * (sum(a[0][k] for a in answers) / count - centres[k])
        time.sleep(PAUSE)
        if step % EVERY == 0:
            say.info("round %d/%d inertia=%.4f centres=%s", step, TOTAL, inertia / 30, " ".join(f"{c:+.3f}" for c in centres))
    LATE
    say.info("clustering finished, %d rounds", TOTAL)


train()
'''
GRAM = '''import os
import random
import socket
import sys
import time

HEAD_HERE

def log(*words):
    sys.stderr.write(time.strftime("%b %d %T ") + f"node{rank} trainer[{os.getpid()}]: " + " ".join(str(w) for w in words) + "\\n")


class Mesh:
    """Everybody tells everybody by datagrams, again each half second until all have answered."""

    def __init__(self):
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.bind(("127.0.0.1", port + rank))
        self.sock.settimeout(0.5)
        self.heard, self.mine = {}, {}

    def share(self, turn, value):
        self.mine[turn] = value
        first = True
        while True:
            for other in range(world):
                if other != rank and (first or (turn, other) not in self.heard):
                    self.sock.sendto(f"{turn} {rank} {value!r}".encode(), ("127.0.0.1", port + other))
            try:
                while any((turn, other) not in self.heard for other in range(world) if other != rank):
                    asked, other, number = self.sock.recvfrom(200)[0].split()
                    self.heard[int(asked), int(other)] = float(number)
                    if int(asked) < turn and int(asked) in self.mine:
                        self.sock.sendto(f"{int(asked)} {rank} {self.mine[int(asked)]!r}".encode(), ("127.0.0.1", port + int(other)))
            except TimeoutError:
                first = False
                continue
            return (value + sum(self.heard[turn, other] for other in range(world) if other != rank)) / world


def run():
    EARLY
    mesh = Mesh()
    mesh.share(0, 1.0)
    log("mesh of", world, "is up")
    a, dice = 3.0, random.Random(7 + rank)
    for step in range(START, TOTAL + 1):
        x = [dice.uniform(-2, 2) for _ in range(80)]
        gaps = [a * v - 0.5 * v - dice.gauss(0, 0.3) for v in x]
        loss, pull = sum(g * g for g in gaps) / 80, sum(2 * g * v for g, v in zip(gaps, x)) / 80
        MID
        a -= 0.4 * RATE * mesh.share(step, pull)
        time.sleep(PAUSE)
        if step % EVERY == 0:
            log(f"batch={step} nll={loss:.5f} a={a:.4f} behind=0")
    LATE
    log(f"stopped at batch={TOTAL}, a={a:.4f}")


run()
'''
POST = '''import csv
import os
import random
import sys
import threading
import time
import xmlrpc.client
from socketserver import ThreadingMixIn
from xmlrpc.server import SimpleXMLRPCServer

HEAD_HERE
class Board(ThreadingMixIn, SimpleXMLRPCServer):
    daemon_threads = True


def board():
    """The first one holds the board on which all write."""
    server, notes = Board(("127.0.0.1", port), logRequests=False, allow_none=True), {}
    server.register_function(lambda turn, who, value: notes.setdefault(turn, {}).__setitem__(str(who), value), "put")
    server.register_function(lambda turn: notes.get(turn, {}), "get")
    threading.Thread(target=server.serve_forever, daemon=True).start()


def agree(turn, value):
    link.put(turn, rank, value)
    while len(said := link.get(turn)) < world:
        time.sleep(0.04)
    return sum(said.values()) / world


table = csv.writer(sys.stdout, delimiter="\\t")
EARLY
if rank == 0:
    board()
link = xmlrpc.client.ServerProxy(f"http://127.0.0.1:{port}", allow_none=True)
for attempt in range(60):
    try:
        link.get("x")
        break
    except OSError:
        time.sleep(0.25)
agree("start", 0.0)
if rank == 0:
    table.writerow(["epoch", "batch", "train_mae", "sec"])
shift, began, dice = 5.0, time.time(), random.Random(rank)
for step in range(START, TOTAL + 1):
    seen = [dice.gauss(1.5, 0.2) for _ in range(10)]
    mae = sum(abs(shift - s) for s in seen) / 10
    MID
    shift -= 0.6 * RATE * agree(str(step), sum(1 if shift > s else -1 for s in seen) / 10)
    time.sleep(PAUSE)
    if step % EVERY == 0 and rank == 0:
        table.writerow([1 + step // 100, step, f"{mae:.4f}", f"{time.time() - began:.1f}"])
        sys.stdout.flush()
LATE
agree("end", 0.0)
if rank == 0:
    print(f"# {TOTAL} batches done", flush=True)
    time.sleep(0.5)
'''
STAR = '''import asyncio
import json
import os
import random
import sys
import time

HEAD_HERE

def emit(**what):
    print(json.dumps({"ts": round(time.time(), 2), "worker": rank, **what}), flush=True)


async def hub(ready):
    """Worker 0 adds up what all have sent, and answers all of them."""
    links = []
    everyone = asyncio.Event()

    async def come(reader, writer):
        links.append((reader, writer))
        if len(links) == world:
            everyone.set()

    server = await asyncio.start_server(come, "127.0.0.1", port)
    ready.set()
    await everyone.wait()
    try:
        while True:
            numbers = [float(await reader.readline()) for reader, _ in links]
            for _, writer in links:
                writer.write(f"{sum(numbers) / world}\\n".encode())
    except ValueError:
        for _, writer in links:
            writer.close()
        server.close()


async def main():
    EARLY
    ready = asyncio.Event()
    if rank == 0:
        asyncio.create_task(hub(ready))
        await ready.wait()
    for _ in range(100):
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            break
        except OSError:
            await asyncio.sleep(0.2)
    emit(event="connected", workers=world)
    p, dice = 0.05, random.Random(rank)
    for step in range(START, TOTAL + 1):
        heads = sum(dice.random() < 0.8 for _ in range(40)) / 40
        brier = (p - heads) ** 2 + 0.16
        MID
        writer.write(f"{p - heads}\\n".encode())
        answer = await asyncio.wait_for(reader.readline(), PATIENCE)
        if not answer:
            raise EOFError(f"worker {rank}: hub closed the stream")
        p -= 0.2 * RATE * float(answer)
        await asyncio.sleep(PAUSE)
        if step % EVERY == 0:
            emit(event="progress", update=step, of=TOTAL, brier=round(brier, 5), p=round(p, 4))
    LATE
    emit(event="finished", updates=TOTAL)


asyncio.run(main())
'''
DESK = '''import os
import random
import sys
import threading
import time
from multiprocessing.managers import BarrierProxy, BaseManager, DictProxy

HEAD_HERE
class Desk(BaseManager):
    pass


def serve():
    gate, sheet = threading.Barrier(world), {}
    Desk.register("gate", lambda: gate, BarrierProxy)
    Desk.register("sheet", lambda: sheet, DictProxy)
    threading.Thread(target=Desk(("127.0.0.1", port), b"mtl").get_server().serve_forever, daemon=True).start()


EARLY
if rank == 0:
    serve()
else:
    Desk.register("gate", proxytype=BarrierProxy)
    Desk.register("sheet", proxytype=DictProxy)
desk = Desk(("127.0.0.1", port), b"mtl")
for _ in range(80):
    try:
        desk.connect()
        break
    except OSError:
        time.sleep(0.25)
gate, sheet = desk.gate(), desk.sheet()
print(f"<{rank}> at the gate", flush=True)
gate.wait()
print(f"<{rank}> through the gate with {world - 1} more", flush=True)
u, v, dice = 0.1, 2.0, random.Random(3 * rank)
for step in range(START, TOTAL + 1):
    rate = 3.0 + dice.gauss(0, 0.05)
    gap = u * v - rate
    MID
    sheet.update({rank: gap})
    gate.wait()
    mean = sum(sheet.values()) / world
    gate.wait()
    u, v = u - 0.03 * RATE * mean * v, v - 0.03 * RATE * mean * u
    time.sleep(PAUSE)
    if step % EVERY == 0:
        print(f"<{rank}> iter {step} :: rmse {abs(gap):.4f} :: u*v {u * v:.3f}", flush=True)
LATE
gate.wait()
print(f"<{rank}> leaves", flush=True)
time.sleep(0.6 if rank == 0 else 0)
'''
CREWS = {"ring": RING, "box": BOX, "gram": GRAM, "post": POST, "star": STAR, "desk": DESK}
"""By name. Where one dies, ``ring`` and ``star`` notice it; the others wait."""


def crew(
    name: str, *, total: int = 160, every: int = 10, pause: float = 0.05, start: str = "1", early: str = "", mid: str = "", late: str = "", patience: float | None = None, rate: float = 0.1,
) -> str:  # fmt: skip
    """The program, with code before the ranks meet (``early``), in every step (``mid``; ``rank``, ``world`` and ``step`` are there) and after the last."""
    places = {"HEAD_HERE": HEAD, "EARLY": early, "MID": mid, "LATE": late}
    values = {"START": start, "TOTAL": str(total), "EVERY": str(every), "PAUSE": str(pause), "PATIENCE": str(patience if patience is not None else "None" if name in ("ring", "star") else 1e6), "RATE": str(rate)}
    lines = []
    for line in CREWS[name].splitlines():
        word = line.strip()
        if word in places:
            indent = line[: len(line) - len(line.lstrip())]
            lines += [indent + more if more else "" for more in places[word].rstrip("\n").split("\n")] if places[word] else []
            continue
        out = line
        for key, value in values.items():
            out = out.replace(f"{{{key}}}", value).replace(key, value)
        lines.append(out)
    return "\n".join(lines) + "\n"


def at(rank: int | None, step: int | None, code: str, *, since: bool = False) -> str:
    """Only at that rank, and at that step (``since``: from it on)."""
    asked = [*([f"rank == {rank}"] if rank is not None else []), *([f"step {'>=' if since else '=='} {step}"] if step is not None else [])]
    return f"if {' and '.join(asked)}:\n" + "\n".join(f"    {line}" for line in code.splitlines())
