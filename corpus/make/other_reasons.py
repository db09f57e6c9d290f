"""Reasons of everyday life: configurations that do not validate, archives that are none, sockets, full disks, too many open files, children that fail, other people's command lines."""

from collections.abc import Iterator
from dataclasses import replace

from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import LocalJob, Recipe

HYDRA = """import logging
import math
import hydra

log = logging.getLogger(__name__)


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
    log.info("run with %s", dict(cfg))
    x = 2.0
    for step in range(1, cfg.steps + 1):
        x -= cfg.lr * 2 * (x - 0.25)
        if step % 8 == 0:
            log.info("step=%d objective=%.6f", step, (x - 0.25) ** 2)
    {after}
    log.info("bye")


if __name__ == "__main__":
    main()
"""
CONF = (("conf/config.yaml", "lr: 0.03\nsteps: 96\nhydra:\n  run:\n    dir: .\n  output_subdir: null\n"),)
CLICK = """import time
import click


@click.group()
def cli():
    pass


@cli.command()
@click.option("--lr", type=click.FloatRange(0, 1), default=0.1)
@click.option("--corpus", type=click.Path(exists=True), default=".")
@click.argument("sizes", nargs=-1, type=int)
def train(lr, corpus, sizes):
    with click.progressbar(range(60), label="fitting", show_pos=True) as bar:
        w = 1.0
        for k in bar:
            w *= 1 - lr
            time.sleep(0.01)
            if k % 12 == 0:
                click.secho(f"  [{k:02d}] residual {w:.5f}", fg="cyan")
    {after}
    click.echo("✓ fitted")


if __name__ == "__main__":
    cli()
"""
FIRE = """import fire
import sys


class Runner:
    def fit(self, rounds=50, rate=0.1):
        v = 3.0
        for r in range(1, rounds + 1):
            v *= 1 - rate
            sys.stderr.write(f"round {r}: v={v:.4f}\\n")
        {after}
        return {"rounds": rounds, "v": v}


fire.Fire(Runner)
"""
PYDANTIC = """from pydantic import BaseModel, Field

class Schedule(BaseModel):
    warmup: int = Field(ge=0)
    peak: float = Field(gt=0, lt=1)
    kind: str

raw = {"warmup": -5, "peak": "hoch", "kind": None}
schedule = Schedule(**raw)
"""
LOOP = """import os
import time
print("pid", os.getpid(), "host python", flush=True)
score = 0.0
for turn in range(1, 101):
    score += (0.93 - score) * {rate:.3f}
    {inside}
    if turn % 10 == 0:
        print(f"{time.strftime('%X')} turn {turn}/100 score={score:.4f} best={score:.4f}", flush=True)
{after}
print("over and out")
"""


def loop(inside: str = "pass", after: str = "pass", before: str = "") -> str:
    """A loop whose score rises, with code inside and after."""
    rate = 0.03 + len(inside + after + before) % 11 * 0.004
    return before + LOOP.replace("{rate:.3f}", f"{rate:.3f}").replace("{inside}", inside.replace("\n", "\n    ")).replace("{after}", after)


TABULAR = (
    Flat(HYDRA.format(after="pass"), "G1", script="run.py", files=CONF),
    Flat(HYDRA.format(after="pass"), "A1", None, "config", "run.py", CONF, args=("optimizer.lr=0.1",)),
    Flat(HYDRA.format(after="log.info('momentum %s', cfg.momentum / 2)"), "A3", "traceback", script="run.py", files=CONF, args=("+momentum=high",)),
    Flat(HYDRA.format(after="math.log(x - 9)"), "A3", "traceback", script="run.py", files=CONF),
    Flat(CLICK.replace("{after}", "pass"), "G1", script="tool.py", args=("train", "--lr", "0.05", "16", "32")),
    Flat(CLICK.replace("{after}", "pass"), "A1", None, "config", "tool.py", args=("train", "--lr", "7"), status=2),
    Flat(CLICK.replace("{after}", "pass"), "A1", "file_not_found", script="tool.py", args=("train", "--corpus", "corpora/de"), status=2),
    Flat(CLICK.replace("{after}", "raise click.ClickException('no device answers at /dev/fpga0')"), "A3", None, script="tool.py", args=("train",)),
    Flat(FIRE.replace("{after}", "pass"), "G1", script="runner.py", args=("fit", "--rounds=40")),
    Flat(FIRE.replace("{after}", "assert v > 1, v"), "A3", "assertion", script="runner.py", args=("fit", "--rounds", "30")),
    Flat(FIRE.replace("{after}", "pass"), "A3", None, script="runner.py", args=("fit", "--round=40"), status=2),
    Flat(PYDANTIC, "A1", "traceback", "config", "schedule.py"),
)
SYSTEM = (
    Flat(loop(before="import zipfile\nopen('images.zip', 'wb').write(b'<html>404 Not Found</html>')\nprint(len(zipfile.ZipFile('images.zip').namelist()))\n"), "A1", "traceback", "data", "unpack.py"),
    Flat(loop(before="open('notes.txt', 'wb').write('größe'.encode('latin-1'))\nlines = open('notes.txt').read().split()\n"), "A1", "traceback", "data", "notes.py"),
    Flat(loop("if turn == 55:\n    import sqlite3\n    sqlite3.connect('runs.db').execute('insert into runs values (1)')"), "A3", "traceback", script="track.py"),
    Flat(loop("if turn == 62:\n    import socket\n    socket.create_connection(('127.0.0.1', 9), timeout=2)"), "A3", "traceback", script="remote.py"),
    Flat(loop("if turn == 48:\n    import resource\n    resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))\n    files = [open('/dev/null') for _ in range(40)]"), "A3", "traceback", script="shards.py"),
    Flat(loop(after="import subprocess\nsubprocess.run(['bash', '-c', 'echo converting... >&2; exit 7'], check=True)"), "A3", "traceback", script="convert.py"),
    Flat(loop(after="raise SystemExit('quality gate: 0.93 is below 0.95, nothing is published')"), "A3", None, script="gate.py"),
    Flat(loop(before="from collections import Mapping\n"), "A1", "missing_module", "env", "legacy.py"),
    Flat(loop(before="import tomllib\ntomllib.loads('lr = 0.1\\nlr = 0.2\\n')\n"), "A1", "traceback", "config", "cfg.py"),
    Flat(loop(before="import yaml_loader\n"), "A1", "missing_module", "env", "cfg.py"),
    Flat(loop("if turn == 71:\n    from xml.etree import ElementTree\n    ElementTree.fromstring('<ann><box>1,2</ann>')"), "A3", "traceback", script="voc.py"),
    Flat(loop("if turn == 33:\n    import queue\n    queue.Queue().get(timeout=0.2)"), "A3", "traceback", script="feeder.py"),
    Flat(loop("if turn == 80:\n    gen = (k for k in range(3))\n    next(gen)\n    gen.throw(RuntimeError('prefetcher has been shut down'))"), "A3", "runtime_error", script="feeder.py"),
    Flat(loop("if turn == 90:\n    import mmap\n    open('w.bin', 'wb').write(b'x' * 4096)\n    f = open('w.bin', 'r+b')\n    m = mmap.mmap(f.fileno(), 4096)\n    os.truncate('w.bin', 0)\n    print(m[0])"), "A2", None, script="weights.py", status=-7),
)  # fmt: skip
FULL = loop("with open('full/state.bin', 'ab') as f:\n    f.write(bytes(90_000))", before="import shutil\nprint('scratch:', shutil.disk_usage('full').free >> 20, 'MiB free')\n")
BIG = loop("with open('trace.log', 'ab', buffering=0) as f:\n    written = f.write(bytes(70_000))\n    f.write(b'end')")


def jobs() -> Iterator[LocalJob]:
    """With Hydra, click and fire; plain; on a disk that fills; over a bound on file sizes."""
    yield from flat_jobs(TABULAR, "tabular")
    yield from flat_jobs(SYSTEM, "system")
    disk, size = flat_jobs([Flat(FULL, "A3", "traceback", script="stateful.py"), Flat(BIG, "A3", "traceback", script="tracer.py")], "system")
    yield replace(disk, disk_mib=6)
    yield replace(size, file_kib=3000)


RECIPE = Recipe("other_reasons", "development", jobs)
