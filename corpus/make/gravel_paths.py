"""One command: a shell script that trains with awk, stage by stage; and bees counted by NumPy, told in YAML."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._kite_arrays import BEES
from corpus.make._kite_shell import FLATS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

bees = partial(fill, BEES)
F, B = "flats.sh", "bees.py"


def flats(label: Label, *, env: dict[str, str] | None = None, files: dict[str, str] | None = None, before: tuple[tuple[str, ...], ...] = (), command: tuple[str, ...] = ("bash", F), text: str = FLATS, **slots: Any) -> LocalJob:
    """The script, its settings in the environment."""
    more = {k: slots.pop(k) for k in ("signal", "ends", "timeout_s", "memory_mib", "locked", "folders", "file_kib", "group_mib") if k in slots}
    return alone(label, fill(text, **slots), F, python="system", command=command, env=env or {}, files=files, before=before, **more)


TRAINED = (("env", "-u", "FROM", "STEPS=400", "PAUSE=0", "bash", F),)
PROBE = 'for tool in nvidia-smi gawk; do\n    command -v $tool || echo "flats.sh: line $LINENO: $tool: command not found (not needed)" >&2\ndone\nif ! cat /mnt/old/flats.tsv 2>> probe.txt; then note "ERROR reading /mnt/old: $(tail -1 probe.txt)"; note "... ignored, the table is made here"; fi'
RETRIES = 'for try in 1 2 3; do\n    if [ $try -lt 3 ]; then echo "rsync error: error in socket IO (code 10) at clientserver.c(137), attempt $try" >&2; sleep 0.3; else note "table fetched at attempt $try"; fi\ndone'
COPY = 'if (t % 1 == 0) { print "    copying the state of step " t " to backup/" > "/dev/stderr"; system("mkdir -p backup; dd if=/dev/urandom of=backup/state." t % 4 " bs=1M count=14 conv=fsync 2> /dev/null; sleep 0.2"); printf "    step %6d   mse %.6f   state.%d copied\\n", t, sse / n, t % 4; fflush() }'
KEEPING = '    read -r begin weights < "$FROM"\n    note "weights of step $begin from $FROM"\n'
assert KEEPING in FLATS


def prices() -> Iterator[LocalJob]:
    """Stages of a shell script."""
    yield flats(GOOD, env={"STEPS": "500"})
    yield flats(HARD, env={"STEPS": "360"}, early=PROBE)
    yield flats(HARD, env={"STEPS": "700", "FROM": "flats.w"}, before=TRAINED, early=RETRIES)
    yield flats(HARD, env={"STEPS": "300", "PAUSE": "0.01"}, check="grep -c mse missing.log || true\nset +e; ./lint.sh; set -e\nnote 'optional checks: 2 failed, 0 fatal'")
    yield flats(fell("A1", "file_not_found", "data"), env={"TABLE": "/srv/tables/flats_2024.tsv"})
    yield flats(fell("A1", "permission", "config"), command=("bash", "-c", "chmod a-x flats.sh; ./flats.sh"))
    yield flats(fell("A1", None, "config"), early='case "$STEPS" in (*[!0-9]*) echo "usage: STEPS=<number> flats.sh (got STEPS=$STEPS)" >&2; exit 64;; esac', env={"STEPS": "4e2"})
    yield flats(fell("A3", "div_zero"), env={"STEPS": "400"}, after="if (t % 120 == 0) printf \"    share of hits %.2f\\n\", 100 * hits / seen_so_far")
    yield flats(fell("A3", "file_not_found"), env={"STEPS": "480"}, after='if (t == 300) { if (system("cp flats.w /mnt/export/flats.w") != 0) exit 1 }')
    yield flats(strays("non_finite", "nan_loss"), env={"RATE": "2.9", "STEPS": "2400", "SHOW": "100"})
    yield flats(strays("flat"), env={"RATE": "0", "STEPS": "400"})
    yield flats(strays("spike"), env={"STEPS": "420", "SHOW": "20"}, after="if (t == 300) { for (j = 0; j < 4; j++) w[j] *= -60; rate = 0.0001 }")
    yield flats(anew(), command=("env", "FROM=flats.w", "STEPS=600", "bash", F), before=TRAINED, text=FLATS.replace(KEEPING, '    ls -l --time-style=+%H:%M "$FROM" flats.tsv\n    read -r begin rest < "$FROM"; begin=0\n'))
    yield flats(fell("E2", "file_not_found", "no_valid_checkpoint"), env={"FROM": "kept/flats.w", "STEPS": "800"}, before=TRAINED)
    yield flats(fell("E2", None, "size_mismatch"), env={"FROM": "old.w", "STEPS": "800"}, files={"old.w": "250 1.9 0.7 -1.0\n"}, ready='[ $(wc -w <<< "$weights") -eq 4 ] || { echo "flats.sh: $FROM has $(wc -w <<< "$weights") weights, the model needs 4" >&2; exit 3; }')
    yield flats(HANDFUL, env={"STEPS": "4", "SHOW": "1"})
    yield flats(SAVES, env={"STEPS": "36", "SHOW": "50"}, after=COPY)
    yield flats(HALTED, env={"STEPS": "90000", "PAUSE": "0.02"}, signal=ctrl_c("step    200 ", "TERM"))


def hive(label: Label, text: str, settings: str = "", **more: Any) -> LocalJob:
    """With a file of settings."""
    files = {"plots.yml": settings, **more.pop("files", {})}
    return alone(label, text, B, "plots.yml", files=files, **more)


FIRST = (("bash", "-c", "printf 'checkpoint: bees.txt\\nrounds: 12\\npause: 0\\n' > first.yml; PYTHON bees.py first.yml"),)
TAKE = "    done, w = int(lines[0]), np.array([float(v) for v in lines[1:]])\n"
assert TAKE in BEES
SLOW = "np.save('trace.npy', rng.normal(size=(1_400_000,)))\nwith open('trace.npy', 'rb+') as t:\n    os.fsync(t.fileno())\ntime.sleep(0.16)"
DUD = "bad = rng.random(n) < 0.03\nX[bad, 2] = np.nan\nprint('# inf/nan in column 2:', int(bad.sum()), 'plots, replaced by 0', flush=True)\nX = np.nan_to_num(X)"


def meadows() -> Iterator[LocalJob]:
    """YAML."""
    yield hive(GOOD, bees(), "rounds: 24\ncheckpoint: bees.txt\n")
    yield hive(HARD, bees(data=DUD), "rounds: 30\nrate: 0.04\n")
    yield hive(HARD, bees(), "resume_file: bees.txt\nrounds: 30\ncheckpoint: bees.txt\n", before=FIRST)
    yield hive(HARD, bees(before_resume="if not os.path.exists(conf['resume_file']):\n    emit(event='warning', text='FileNotFoundError: %s (first run of this plot? beginning with round 1)' % conf['resume_file'])\n    open(conf['resume_file'], 'w').write('0\\n-2.0\\n' + '0\\n' * 6)"), "resume_file: state/auto.txt\nrounds: 22\n", folders=("state",))
    yield hive(fell("A1", "traceback", "data"), bees(), "counts: counts.csv\n", files={"counts.csv": "12\n9\n4\nn.a.\n7\n"})
    yield hive(fell("A1", "missing_module", "env"), bees(early="from scipy.stats import nbinom"), "rounds: 40\n")
    yield hive(fell("A3", "traceback"), bees(round_end="if rnd % 10 == 0:\n    emit(event='table', header=','.join(conf['columns']))"), "rounds: 40\n")
    yield hive(strays("non_finite", "nan_loss"), bees(), "rate: 3.5\nrounds: 14\n")
    yield hive(fell("E1", "nan_loss", "non_finite"), bees(mid="if rnd == 9 and s > 300:\n    xb = xb / np.where(rng.random(xb.shape) < 0.01, 0.0, 1.0)", loss="if not np.isfinite(deviance):\n    emit(event='abort', round=rnd, neg_log_lik=deviance, reason='objective is not a finite number')\n    sys.exit(2)"), "rounds: 60\n")
    yield hive(anew(), bees().replace(TAKE, "    had = int(lines[0])\n").replace('at_round=done)', 'of_round=had, values=len(lines) - 1)').replace('event="resumed"', 'event="opened"'), "resume_file: bees.txt\nrounds: 20\n", before=FIRST)
    yield hive(fell("E2", "traceback", "corrupt"), bees(), "resume_file: bees.txt\nrounds: 40\n", before=(*FIRST, ("bash", "-c", "head -c 4000 /dev/urandom > bees.txt")))
    yield hive(HANDFUL, bees(), "plots: 40\nrounds: 2\n")
    yield hive(SAVES, bees(save=SLOW), "checkpoint: bees.txt\nrounds: 44\npause: 0\n")
    yield hive(LATE, bees(), "rounds: 9000\npause: 0.5\n", timeout_s=70)
    yield hive(STANDS, bees(mid="if rnd == 33 and s == 200:\n    import socket\n    emit(event='upload', to='10.4.0.9:7070')\n    a, b = socket.socketpair()\n    a.sendall(b'POST /bees')\n    a.recv(64)"), "rounds: 9000\npause: 0.05\n", timeout_s=140)
    yield flats(fell("A2", None), early="ulimit -S -t 2  # house rule: two seconds of CPU", env={"STEPS": "900000", "SHOW": "2000"}, ends=lambda s: s in (137, 152))
    yield flats(STANDS, env={"STEPS": "90000", "SHOW": "50", "PAUSE": "0.01"}, after='if (t == 400) { print "    step 400: asking the registry for new rows"; fflush(); system("exec sleep 3000") }', timeout_s=140)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from prices()
    yield from meadows()


RECIPE = Recipe("gravel_paths", "development", jobs)
"""Shell, and NumPy."""
