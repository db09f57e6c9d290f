"""Log survival: of launches that fail, which of three logs has their last words: gpualert's, a shell's redirect, Slurm's own ``--output``."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from tests.testbed import Cluster
from tests.testbed.host import ALICE


@dataclass(frozen=True)
class Launch:
    """``command`` fails and ``word`` is what a person needs to see. ``output`` is sbatch's, ``redirect`` where the script sends the output itself."""

    title: str
    command: str
    word: str
    output: str = "{home}/slurm-{name}.out"
    redirect: str = "{home}/own-{name}.log"


LAUNCHES = (
    Launch("the program is not there", "/opt/none/train --fast", "No such file"),
    Launch("the interpreter is not there", "python9 train.py", "not found"),
    Launch("an exception at import", "python3 -c 'import flash_attn_3'", "flash_attn_3"),
    Launch("a step whose program is not there", "srun -n1 /opt/none/train", "No such file"),
    Launch("a step whose working folder is closed", "srun -n1 -D /root/none python3 -c 'print(\"be\" \"gun\"); raise SystemExit(3)'", "begun"),
    Launch("killed at once", "python3 -u -c 'import os, sys; print(\"be\" \"gun\"); os.kill(os.getpid(), 9)'", "begun"),
    Launch("killed at once, words in the program's own buffer", "python3 -c 'import os; print(\"be\" \"gun\"); os.kill(os.getpid(), 9)'", "begun"),
    Launch("--output's folder is not there", "python3 -c 'raise KeyError(\"lost-words\")'", "Could not open stdout", output="/nonexistent/folder/out"),
    Launch("--output's folder is closed", "python3 -c 'raise KeyError(\"lost-words\")'", "Could not open stdout", output="/root/out"),
    Launch("the redirect's folder is not there", "python3 -c 'raise KeyError(\"lost-words\")'", "No such file", redirect="/nonexistent/own.log"),
    Launch("the redirect's disk is full", "python3 -c 'raise KeyError(\"lost-words\" * 9)'", "No space", redirect="/dev/full"),
    Launch("--output's disk is full", "python3 -c 'raise KeyError(\"lost-words\" * 9)'", "lost-words", output="/dev/full"),
    Launch("SIGSEGV in native code", "python3 -X faulthandler -c 'import ctypes; ctypes.string_at(0)'", "Segmentation fault"),
)


def table(cluster: Cluster) -> str:
    """Each launch twice on the cluster: as it is, and with its output redirected by the script."""
    home = cluster.home(ALICE)
    rows = ["| launch | gpualert's log | Slurm's --output | gpualert's log, output redirected | shell's redirect |", "|---|---|---|---|---|"]
    ids = []
    for number, launch in enumerate(LAUNCHES):
        for redirected in (False, True):
            name = f"{number}-{int(redirected)}"
            to = launch.redirect.format(home=home, name=name)
            script = f"#!/bin/bash\n{launch.command}{f' > {to} 2>&1' if redirected else ''}\ncode=$?; sleep 0.3; exit $code\n"
            output = launch.output.format(home=home, name=name) if not redirected else f"{home}/slurm-{name}.out"
            ids.append((launch, redirected, to, output, cluster.submit(script, "-n1", f"--output={output}", "--gpualert-mail=alice@example.org", "--gpualert-when=never", user=ALICE)))
    found: dict[tuple[str, bool], tuple[bool, bool]] = {}
    for launch, redirected, to, output, job in ids:
        cluster.wait(job, 120)
        until = time.monotonic() + 60
        folder = home / ".gpualert" / str(job)
        while not folder.exists() and time.monotonic() < until:
            time.sleep(0.3)
        time.sleep(0.3)
        word = launch.word if not redirected or launch.output == Launch.output else "lost-words"  # a script that does run says its own words
        places = (f"state/logs/{job}.*/*", f"state/node/*/{job}.*/*.stepd.log", f"home/{ALICE}/.gpualert/{job}/*")
        kept = any(word.encode() in p.read_bytes() for place in places for p in cluster.root.glob(place) if p.is_file())
        other = Path(to if redirected else output)
        found[launch.title, redirected] = (kept, other.is_file() and word.encode() in other.read_bytes())
    for launch in LAUNCHES:
        plain, redirected_ = found[launch.title, False], found[launch.title, True]
        rows.append(f"| {launch.title} | " + " | ".join("has it" if x else "–" for x in (*plain, *redirected_)) + " |")
    sums = [sum(found[x.title, r][i] for x in LAUNCHES) for r in (False, True) for i in (0, 1)]
    rows.append(f"| **together, of {len(LAUNCHES)}** | " + " | ".join(str(s) for s in sums) + " |")
    return "\n".join(rows) + "\n\nA redirect takes the words away from the task's own output, which is what gpualert and Slurm keep: where a script redirects, both have only what the shell itself says. Where Slurm cannot open --output it runs no script: its word on that (\"Could not open stdout file\") is then asked for, and stands in neither log.\n"
