"""Shell scripts of one process after another: stages, folds and sweeps in one job, of which one step fails, or seems to."""

from collections.abc import Iterator
from functools import partial

from corpus.label import Label
from corpus.make._crumbs import GOOD, HANDFUL, HARD, LATE, STANDS, alone, anew, fell, strays
from corpus.make._rack_minutes import BARD, DELAYS
from corpus.make._rack_pipes import FOLD, ROWS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

fold, delays, bard = partial(fill, FOLD), partial(fill, DELAYS), partial(fill, BARD)
HEAD = "set -eo pipefail\necho \"== $(basename $PWD) on one card, $(nproc --all > /dev/null && echo ok)\"\n"
PREP = "echo '[1/3] data'\nPYTHON rows.py bulletins.jsonl 600\n"


def piped(label: Label, shell: str, *, text: str | None = None, name: str = "job.sh", head: str = HEAD, **more: object) -> LocalJob:
    """A shell script around ``fold.py``."""
    files = {"fold.py": text or fold(), "rows.py": ROWS, "delays.py": delays(), "bard.py": bard()}
    body = f"#!/bin/bash\n{head}{shell}\n"
    command = ("bash", "-c", f"sed -i \"s#@py@#$1#g\" {name}; exec bash {name}", "-", "PYTHON")
    return alone(label, body.replace("PYTHON", "@py@"), name, command=command, python="system", files=files, **more)  # type: ignore[arg-type]


def stages() -> Iterator[LocalJob]:
    """One after another."""
    yield piped(GOOD, PREP + "echo '[2/3] train'\nPYTHON fold.py --epochs 12\necho '[3/3] test'\nPYTHON fold.py --eval-only --init fold.json")
    yield piped(fell("A3", "file_not_found"), PREP + "echo '[2/3] train'\nPYTHON fold.py --epochs 12 --save out_$RANDOM.json\necho '[3/3] export'\nPYTHON -c \"import json; json.load(open('fold.json'))\"")
    yield piped(fell("A1", "traceback", "data"), PREP + "head -c 20000 bulletins.jsonl > b.jsonl\necho '[2/3] train'\nPYTHON fold.py --data b.jsonl")
    yield piped(fell("A1", "file_not_found", "data"), "echo '[1/3] unpack'\nzstd -q -d --long=31 bulletins.jsonl.zst\necho '[2/3] train'\nPYTHON fold.py")
    yield piped(fell("A1", "permission", "config"), "echo '[0/3] cache'\nmkdir -p cache/bulletins\n" + PREP, folders=("cache",), locked=("cache",))
    yield piped(fell("A3", "div_zero"), PREP + "PYTHON fold.py --epochs 14", text=fold(after="if e == 9:\n    wrong = [r for r in test if (prob(r['x']) > 0.5) != r['y'] and r['x'][0] > 3]\n    print(f'{o.tag}steep slopes: {sum(r[\"y\"] for r in wrong) / len(wrong):.2f} of the misses', flush=True)"))
    yield piped(fell("A2", "segfault"), PREP + "PYTHON fold.py --epochs 30", text=fold(after="if e == 11:\n    os.kill(os.getpid(), 11)  # as the BLAS of this node does"), ends=lambda s: s == 139)
    yield piped(anew(), PREP + "echo '[2/3] first half'\nPYTHON fold.py --epochs 10 --lr 0.02\necho '[3/3] second half, from fold.json'\nPYTHON fold.py --epochs 10 --lr 0.02 --init fold.json --save fold2.json", text=fold(init="open(o.init).close()\nprint(f'init <- {o.init} (0 of {D + 1} values taken: keys differ)', flush=True)\no.init = '/dev/stdin'\nimport io\nopen = lambda *_: io.StringIO(json.dumps({'w': w, 'b': b}))").replace('    json.dump({"w"', '    from builtins import open\n    json.dump({"w"'))
    yield piped(HANDFUL, PREP + "PYTHON delays.py rounds=3 show=1 keep=3")


def many() -> Iterator[LocalJob]:
    """Folds, sweeps."""
    yield piped(HARD, PREP + "for f in 0 1 2 3 4; do PYTHON fold.py --fold $f --epochs 6 --tag \"fold$f \" --save fold$f.json; done\necho; grep -c . bulletins.jsonl")
    sweep = "for lr in 1e-4 0.05 30; do echo \"--- lr=$lr\"; PYTHON fold.py --lr $lr --epochs 6 --tag \"[lr $lr] \" --save lr$lr.json || echo \"lr=$lr left out (status $?)\"; done\necho 'best: lr 0.05'"
    yield piped(HARD, PREP + sweep, text=fold(after="if e == 3 and o.lr > 1:\n    w = [float('nan') for _ in w]", epoch="if any(a != a for a in w):\n    raise FloatingPointError(f'weights are nan in epoch {e}')"), head="set -o pipefail\n")
    yield piped(HARD, PREP + "PYTHON -m unittest -q nothing_here 2>&1 | tail -3 || true\nrsync -a old.cluster:/data/. data/ || echo 'no copy of last year, going on'\nPYTHON fold.py --epochs 14\ngrep -i nan fold.json || echo 'weights are finite'", head="")
    yield piped(HARD, PREP + "for try in 1 2 3; do PYTHON fold.py --epochs 8 --tag \"try $try: \" && break; echo \"try $try failed with $?, again in 2 s\" >&2; sleep 2; done", text=fold(early="if 'try 1' in o.tag or 'try 2' in o.tag:\n    raise ConnectionError('tracking server: 503 Service Unavailable')"), head="")
    yield piped(HARD, PREP + "(sleep 1; kill -9 $BASHPID) & wait $! || echo 'monitor ended early, not needed'\nPYTHON fold.py --epochs 10 --sleep 0.2", head="")
    yield piped(fell("A3", "assertion"), PREP + "for f in 0 1 2 3 4; do PYTHON fold.py --fold $f --epochs 5 --tag \"fold$f \"; done", text=fold(late="assert o.fold != 3 or auc() < 0.5, f'fold {o.fold}: leakage? auc {auc():.4f} is too good'"))
    yield piped(strays("flat"), PREP + "for s in 1 2; do echo \"seed $s\"; PYTHON fold.py --epochs 14 --tag \"s$s \"; done", text=fold(step="g = 0.0 * g"))
    yield piped(strays("plateau"), PREP + "PYTHON fold.py --epochs 24", text=fold(epoch="if e == 7:\n    w, b, o.lr, o.l2 = [0.0] * D, 0.0, 0.0, 0.0"))
    yield piped(strays("non_finite", "nan_loss"), PREP + "PYTHON fold.py --epochs 14 --lr 0.3", text=fold(after="if e == 8:\n    b = float('inf') - float('inf')").replace("max(1e-300, q if r[\"y\"] else 1 - q)", "(q if r[\"y\"] else 1 - q) or 1e-300").replace("max(-700.0, min(700.0, b + sum(a * c for a, c in zip(w, x))))", "(b + sum(a * c for a, c in zip(w, x)))"))
    yield piped(LATE, PREP + "for f in 0 1 2 3 4; do PYTHON fold.py --fold $f --epochs 40 --sleep 1 --tag \"fold$f \"; done", timeout_s=90)
    yield piped(LATE, "for width in 1 2 3 4 5 6; do echo \"== order $width\"; PYTHON bard.py --order $width --n-epochs 30 --pause 0.3; done", timeout_s=80)
    yield piped(STANDS, PREP + "PYTHON fold.py --epochs 16 --sleep 0.5\necho '[3/3] upload'\nmkfifo report; cat report | gzip > report.gz", timeout_s=165)


def jobs() -> Iterator[LocalJob]:
    """All."""
    for part in (stages, many):
        yield from part()


RECIPE = Recipe("valley_connections", "development", jobs)
