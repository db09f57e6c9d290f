"""One process without a deep library: vectors of words in Python itself, boosted trees, pipelines in the shell; tuning, inference and preparing, too."""

from collections.abc import Iterator
from functools import partial

from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell
from corpus.make._yeast import FIT, TREES, VECTORS, chain
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

vectors, trees = partial(fill, VECTORS), partial(fill, TREES)
W, T, C = "wordvec.py", "trees.py", "pipeline.sh"
own, boost = partial(alone, python="system"), partial(alone, python="fastai")
TUNE = '''import math, random, sys, time
random.seed(31)
def objective(lr, depth):
    w = [random.gauss(0, 1) for _ in range(6)]
    for step in range(60):
        w = [x - lr * 2 * x for x in w]
        time.sleep(0.004)
        if sum(x * x for x in w) > 1e12:
            raise OverflowError(f"diverged at step {step}")
    return sum(x * x for x in w) + 0.01 * depth
best = (math.inf, None)
for trial in range(24):
    params = {"lr": round(10 ** random.uniform(-3, 0.4), 5), "depth": random.choice([2, 4, 8])}
    try:
        value = objective(**params)
    except OverflowError as e:
        print(f"[W] Trial {trial} failed with parameters: {params} because of the following error: {e!r}.", flush=True)
        continue
    best = min(best, (value, str(params)))
    print(f"[I] Trial {trial} finished with value: {value:.6g} and parameters: {params}. Best value: {best[0]:.6g}.", flush=True)
print("study done: 24 trials, best", best, flush=True)
'''
LABELLER = '''import json, random, sys, time
random.seed(8)
weights = json.load(open("w.json"))
rows = [[random.gauss(0, 1) for _ in weights] for _ in range(2600)]
out, bad = [], 0
for k, row in enumerate(rows, 1):
    if k % 433 == 0:
        bad += 1
        print(f"ERROR row {k}: ValueError: could not convert string to float: 'n/a' (kept as missing)", flush=True)
        continue
    out.append(sum(a * b for a, b in zip(weights, row)) > 0)
    if k % 200 == 0:
        print(f"scored {k}/{len(rows)} rows, {sum(out) / len(out):.3f} positive", flush=True)
        time.sleep(0.3)
json.dump(out, open("labels.json", "w"))
print(f"wrote labels.json: {len(out)} labels, {bad} missing", flush=True)
'''
SHARDS = '''import gzip, hashlib, os, random, time
random.seed(5)
os.makedirs("shards", exist_ok=True)
for n in range(18):
    lines = [" ".join(random.choice("rye malt oat bran salt".split()) for _ in range(12)) for _ in range(300)]
    kept = list(dict.fromkeys(lines))
    path = f"shards/{n:04d}.txt.gz"
    for attempt in (1, 2):
        try:
            if n in (5, 11) and attempt == 1:
                raise TimeoutError(110, "Connection timed out")
            with gzip.open(path, "wt") as f:
                f.write("\\n".join(kept))
            break
        except OSError as e:
            print(f"shard {n}: {type(e).__name__}: {e} -> retry", flush=True)
            time.sleep(0.5)
    print(f"shard {n + 1}/18 {len(kept)} documents {hashlib.md5(open(path, 'rb').read()).hexdigest()}", flush=True)
    time.sleep(0.2)
print("finished: 18 shards", flush=True)
'''


def words() -> Iterator[LocalJob]:
    """Vectors."""
    yield own(fell("A1", "file_not_found", "data"), vectors(), W, "--corpus=books/mill.txt", "--passes=300")
    yield own(fell("A2", "segfault"), vectors(after="if turn == 40:\n    import threading\n    sys.setrecursionlimit(1 << 30)\n    threading.stack_size(1 << 20)\n\n    class Tree:\n        def __getattr__(self, name):\n            return getattr(self, name)\n    walker = threading.Thread(target=lambda: Tree().left)\n    walker.start()\n    walker.join()"), W, "--passes=400")
    yield own(fell("A2", "oom_killer"), vectors(after="hoard = globals().setdefault('hoard', [])\nhoard.append(bytearray(os.urandom(1 << 20) * 6))"), W, "--passes=4000", "--nap=0.02", group_mib=150, ends=lambda s: s == -9)
    yield own(STANDS, vectors(after="if turn == 130:\n    import socketserver, http.client\n    with socketserver.TCPServer(('127.0.0.1', 0), None) as server:\n        metrics = http.client.HTTPConnection(*server.server_address)\n        metrics.request('POST', '/runs/44/metrics', body='{}')\n        metrics.getresponse()"), W, "--passes=9000", "--nap=0.1")
    yield own(STANDS, vectors(mid="if turn == 60 and at == 40:\n    import subprocess\n    subprocess.run(['tail', '-f', '/dev/null'])  # spell checker"), W, "--passes=900", "--nap=0.2")
    yield own(LATE, vectors(), W, "--passes=20000", "--nap=0.45", timeout_s=75)
    yield own(HALTED, vectors(), W, "--passes=20000", "--nap=0.1", signal=ctrl_c("pass=81/"))
    store = "import shutil\ntick = time.time()\nwith open(f'pass-{turn}.json', 'w') as file:\n    json.dump({'inner': inner, 'outer': outer, 'log': [random.random() for _ in range(90000)]}, file)\n    os.fsync(file.fileno())\ntime.sleep(0.3)\nnote(event='stored', file=f'pass-{turn}.json', took=f'{time.time() - tick:.2f}')\nos.remove(f'pass-{turn}.json')"
    yield own(SAVES, vectors(after=store), W, "--passes=36")
    yield own(anew(), vectors(ready="if settings['from'] and not os.path.exists(settings['from']):\n    note(event='warning', text=f\"'no {settings['from']} here, vectors begin at random'\")\n    settings['from'] = ''"), W, "--passes=90", "--from=vectors-60.json", before=(("PYTHON", W, "--passes=60", "--to=vectors-060.json"),))
    yield own(HANDFUL, vectors(), W, "--passes=2")
    yield own(HARD, vectors(), W, "--passes=140", "--from=vectors.json", before=(("PYTHON", W, "--passes=80"),))


def boosted() -> Iterator[LocalJob]:
    """Trees."""
    yield boost(fell("A3", "traceback"), trees(after="if epoch == 31:\n    json.loads(open('progress.json').read() if os.path.exists('progress.json') else '')"), T, env={"ROUNDS": "300"})
    yield boost(HARD, trees(early="import warnings\nwarnings.warn('No visible GPU is found, setting device to CPU.')", data="bad = np.isnan(X).sum()\nprint(f'nan values: {bad}; inf values: {np.isinf(X).sum()}', flush=True)"), T)
    yield boost(HANDFUL, trees(), T, env={"ROUNDS": "2"})


def pipelines() -> Iterator[LocalJob]:
    """A shell around it."""
    go = ("bash", C)
    shop = partial(own, command=go)
    yield shop(HARD, chain(train="for n in 1 2 3; do\n  if [ $n -lt 3 ]; then rows=data/row.tsv; else rows=data/rows.tsv; fi\n  sed \"s#data/rows.tsv#$rows#\" fit.py > .fit.py\n  python3 -u .fit.py && break\n  echo \"attempt $n failed, again in 2 s\"; sleep 2\ndone"), C, files={"fit.py": FIT})
    yield shop(HARD, chain(pack="cp -r models /srv/registry/line || { echo 'registry not mounted, kept here'; tar czf line.tgz models; }"), C, files={"fit.py": FIT})
    yield shop(HARD, chain(prepare="python3 -c 'import pandas' || echo 'no pandas: plain reader is used'\n" + "python3 -c \"print('\\n'.join(f'{x / 99:.4f}\\t{2 * x / 99 + .5:.4f}' for x in range(-200, 200)))\" > data/rows.tsv"), C, files={"fit.py": FIT})
    yield shop(fell("A1", "file_not_found", "data"), chain(prepare="cp /lustre/home/shared/rows-2026.tsv data/rows.tsv", evaluate="[ -f models/line.txt ] || exit 4"), C, files={"fit.py": FIT})
    yield own(HARD, TUNE, "tune.py")
    yield own(HARD, LABELLER, "score_rows.py", files={"w.json": "[0.4, -1.2, 0.05, 2.2]"})
    yield own(HARD, SHARDS, "shards.py")
    yield own(fell("A2", None), FIT.replace("time.sleep(0.05)", "sum(i * i for i in range(90000))"), "fit.py", command=("bash", "-c", "mkdir -p data models; ulimit -t 6; python3 -c \"print('\\n'.join(f'{x / 99:.4f}\\t{x / 50:.4f}' for x in range(-200, 200)))\" > data/rows.tsv; exec python3 -u fit.py 6000"), ends=lambda s: s in (-24, -9, 152, 137))
    yield own(GOOD, vectors(), W, "--passes=110", "--nap=0.01")


def more_words() -> Iterator[LocalJob]:
    """Vectors once more, from a shell and without one."""
    lock = "if turn == 61:\n    import fcntl\n    one, two = open('vectors.lock', 'w'), open('vectors.lock', 'w')\n    fcntl.flock(one, fcntl.LOCK_EX)\n    note(event='storing', file='vectors.json')\n    fcntl.flock(two, fcntl.LOCK_EX)"
    yield own(STANDS, vectors(after=lock), W, "--passes=9000", "--nap=0.25")
    yield own(STANDS, vectors(after="if turn == 70:\n    import signal\n    note(event='sync', target='s3://vectors/run-18')\n    signal.pause()"), W, "--passes=9000", "--nap=0.2")
    yield own(STANDS, vectors(mid="if turn == 50 and at == 9:\n    import multiprocessing as mp\n    lines = mp.get_context('fork').Queue(4)\n    sentence = lines.get()"), W, "--passes=8000", "--nap=0.4")
    yield own(LATE, vectors(early="import signal\nsignal.signal(signal.SIGUSR2, lambda *a: None)\nnote(event='plan', passes=PASSES, about=f'{PASSES * NAP / 3600:.1f} h')"), W, "--passes=90000", "--nap=0.3", timeout_s=90)
    yield own(HALTED, vectors(), W, "--passes=90000", "--nap=0.2", "--dim=8", signal=ctrl_c("pass=64/", "TERM"))
    yield own(fell("A2", None, fault="unknown"), vectors(), W, "--passes=70000", "--nap=0.2", "--rate=0.05", signal=ctrl_c("pass=52/", "KILL", to=W), ends=lambda s: s == -9)
    first = "for part in books/a.txt books/b.txt; do\n  PYTHON -u wordvec.py --corpus=$part --passes=40 && break\n  echo \"$part did not work, next\"\ndone\nPYTHON -u wordvec.py --passes=90 --nap=0.02"
    yield own(HARD, vectors(), W, command=("bash", "-c", first))
    yield own(HARD, vectors(late="import weakref\n\n\ndef close(path):\n    os.rmdir(path)\n\n\nholder = type('Holder', (), {})()\nweakref.finalize(holder, close, '/nowhere/scratch-44')"), W, "--passes=100", "--nap=0.02")
    yield own(HARD, chain(evaluate="python3 eval_old.py || echo 'old evaluation is gone; the new one:'\npython3 -c \"print('mae', 0.0412)\""), C, files={"fit.py": FIT}, command=("bash", "-c", "nvidia-smi || true; bash pipeline.sh"))
    yield own(HANDFUL, vectors(), W, "--passes=1", "--dim=20")


def jobs() -> Iterator[LocalJob]:
    """All."""
    for part in (words, boosted, pipelines, more_words):
        yield from part()


RECIPE = Recipe("yeast_cellar", "development", jobs)
