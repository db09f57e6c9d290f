"""Commands in a memory control group that the kernel kills them in, alone and below shells that tell what the group says of it."""

from collections.abc import Iterator
from dataclasses import replace

from corpus.label import Label
from corpus.running.job import LocalJob, Recipe

LOOP = """import sys
import time

def log(text):
    print(time.strftime("%d.%m. %H:%M:%S"), text, flush=True)

loss, kept = 4.0, []
for step in range(1, 2001):
    loss = 0.4 + (loss - 0.4) * 0.985
    if step % 10 == 0:
        log(f"Schritt {step} von 2000 - Fehler {loss:.4f} - Zwischenspeicher {len(kept)} MB")
    GROW
    time.sleep(0.002)
"""
STEP = "kept += [bytes([step % 251]) * 1_000_000 for _ in range(2)]"
FIRST = "import sys\nprint('loading', sys.argv[1], flush=True)\nvocabulary = {str(i) * 8: [i, i + 1] for i in range(9_000_000)}\nprint('vocabulary', len(vocabulary))\nfor step in range(100):\n    print('step', step, 'loss', 2 / (step + 1))\n"
TELL = """python3 "$@"
rc=$?
group=/sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
if [ $rc -ne 0 ]; then
    echo "exit status $rc; memory: limit $(($(cat $group/memory.limit_in_bytes) >> 20)) MiB, highest $(($(cat $group/memory.max_usage_in_bytes) >> 20)) MiB" >&2
    grep oom_kill $group/memory.oom_control >&2
fi
exit $rc
"""
NOTE = """#!/bin/bash
mem() { cat /sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)/memory.$1; }
python3 "$@" || { s=$?; echo "[epilog] task ended by $(kill -l $((s - 128)) 2>/dev/null || echo $s)"; echo "[epilog] memory.failcnt=$(mem failcnt) $(mem oom_control | tr '\\n' ' ')"; exit $s; }
"""
CHILD = """import subprocess
import sys
import time

for part in range(4):
    child = subprocess.run([sys.executable, "grow.py"] if part == 2 else [sys.executable, "-c", f"print('part {part} objective', 9 / ({part} + 1))"])
    if child.returncode:
        print(f"part {part} returned {child.returncode}", file=sys.stderr)
        group = next(line.split(":")[2].strip() for line in open("/proc/self/cgroup") if ":memory:" in line)
        print(open(f"/sys/fs/cgroup/memory{group}/memory.oom_control").read().strip(), file=sys.stderr)
        sys.exit(128 - child.returncode)
"""


def jobs() -> Iterator[LocalJob]:
    """While the vocabulary is read, and in training."""
    label = Label(mode="A2", cause="oom_killer", fault="user", failed_ranks=(0,), first_ranks=(0,))
    grow, first = {"train.py": LOOP.replace("GROW", STEP)}, {"train.py": FIRST}
    base = LocalJob(label, {**grow, "run.sh": TELL}, ("bash", "run.sh", "train.py"), "system", group_mib=160, ends=lambda s: s == 137)
    yield base
    yield replace(base, files={**grow, "run.sh": NOTE}, command=("./run.sh", "train.py"), group_mib=240)
    yield replace(base, files={**first, "run.sh": TELL}, command=("bash", "run.sh", "train.py", "corpus.de.txt"), group_mib=200)
    yield replace(base, files={**first, "run.sh": NOTE}, command=("./run.sh", "train.py", "corpus.fr.txt"), group_mib=130)
    yield replace(base, files={"driver.py": CHILD, "grow.py": LOOP.replace("GROW", STEP)}, command=("PYTHON", "driver.py"), group_mib=180)
    array = STEP.replace("bytes([step % 251]) * 1_000_000", "array.array('d', [step]) * 120_000")
    more = {"train.py": "import array\n" + LOOP.replace("GROW", array), "run.sh": TELL}
    yield replace(base, files=more, group_mib=210)
    yield replace(base, files={"train.py": "import pickle\n" + LOOP.replace("GROW", "if step > 300:\n        kept += [pickle.loads(pickle.dumps(kept + [text] * 9)) for text in (str(step) * 4000,)]"), "run.sh": NOTE}, command=("./run.sh", "train.py"), group_mib=150)
    yield replace(base, files={"train.py": FIRST, "driver.py": CHILD, "grow.py": LOOP.replace("GROW", "kept.append(' '.join(str(v) for v in range(60_000 + step)))")}, command=("PYTHON", "driver.py"), group_mib=120)


RECIPE = Recipe("kernel_kills", "development", jobs)
