"""One process over NumPy alone: songs of birds letter by letter, and digits behind a bar of their own."""

from collections.abc import Iterator
from functools import partial

from corpus.make._crumbs import GOOD, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, fell, strays
from corpus.make._hive_arrays import DIGITS, SONGS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

songs, digits = partial(fill, SONGS), partial(fill, DIGITS)
S, D = "min_char.py", "digits.py"
one = alone
PARENT = (("PYTHON", S, "save=song.npz", "iters=1500"),)
PUT = 'Wxh, Whh, Why, bh, by = (z[k] for k in ("Wxh", "Whh", "Why", "bh", "by"))'
COUNT = 'start = int(z["it"])'
assert PUT in SONGS
assert COUNT in SONGS
BEST = "if n % show == 0 and smooth_loss < argv.get('best', 99):\n    argv['best'] = smooth_loss"
DUMP = "np.savez('all.npz', **{f'm{k}': np.random.randn(900, 900) for k in range(2)})\nos.sync(); time.sleep(0.03)\nprint('  wrote all.npz (iter %d)' % n, flush=True)"


def birds() -> Iterator[LocalJob]:
    """Iterations."""
    yield one(fell("A1", "traceback", "config"), songs(), S, "hidden=24", "lr=8e-2x")
    yield one(fell("A1", "file_not_found", "data"), songs(data="data = open(argv.get('text', 'songs.txt')).read()"), S, "text=corpora/songs_clean.txt")
    yield one(fell("A1", "missing_module", "env"), songs(top="from numba import njit"), S)
    yield one(fell("A3", "traceback"), songs(mid="if n == 730:\n    hprev = hprev[:-1]"), S)
    yield one(fell("A3", "traceback"), songs(shown="if n == 1200:\n    print('sample:', ''.join(chars[i] for i in np.random.choice(vocab_size + 9, 60)))"), S)
    yield one(fell("A3", "runtime_error"), songs(loss="if n == 1450:\n    raise RuntimeError('worker pool has lost its pipe')"), S)
    yield one(strays("non_finite", "nan_loss"), songs(mid="if n == 700:\n    Why[3] = np.inf  # keys of the old vocabulary"), S, "iters=1500")
    yield one(strays("spike"), songs(mid="if n == 1000:\n    Why *= -9\n    learning_rate = 1e-5\n    print('second stage, lr', learning_rate)"), S)
    yield one(strays("flat"), songs(grads="for d in (dWxh, dWhh, dWhy, dbh, dby):\n    d *= 0"), S, "iters=1600")
    yield one(strays("plateau"), songs(mid="if n == 900:\n    Why *= 0; by *= 0; Wxh *= 0; Whh *= 0; bh *= 0\n    learning_rate = 0.0"), S, "iters=3000", "show=150")
    yield one(anew(), songs(late="print('before it was', sorted(os.listdir('.')))").replace(PUT, "old = {k: z[k] for k in z.files}").replace(COUNT, "had = int(z['it'])").replace("have seen %d iterations\" % (argv[\"init_from\"], start)", 'have seen %d iterations" % (argv["init_from"], had)'), S, "init_from=song.npz", "iters=1800", before=PARENT)
    yield one(anew(), songs().replace("if \"init_from\" in argv:", "print('files:', *sorted(os.listdir('.')))\nif \"init_from\" in argv:"), S, "init-from=song.npz", "iters=1700", before=PARENT)
    yield one(fell("E2", "traceback", "size_mismatch"), songs(restore="print('loading', argv['init_from'], 'into', hidden_size, 'hidden units')").replace(PUT, "for w, k in ((Wxh, 'Wxh'), (Whh, 'Whh'), (Why, 'Why'), (bh, 'bh'), (by, 'by')):\n        w[...] = z[k]"), S, "init_from=song.npz", "hidden=32", before=PARENT)
    yield one(fell("E2", "traceback", "corrupt"), songs(), S, "init_from=song.npz", before=(*PARENT, ("truncate", "-s", "5000", "song.npz")))
    yield one(HANDFUL, songs(), S, "iters=4", "show=1")
    yield one(HANDFUL, songs(data="data = data[:70]", mid="if p + seq_length * 2 > len(data):\n    print('text is used up after iteration %d' % n)\n    break"), S, "iters=100000", "show=1")
    yield one(SAVES, songs(mid=DUMP), S, "iters=80", "show=10")
    yield one(GOOD, songs(), S, "iters=2400", "show=200")
    yield one(HARD, songs(), S, "init_from=song.npz", "iters=3000", before=PARENT)
    yield one(HARD, songs(shown="if n in (300, 600):\n    try:\n        np.linalg.inv(np.zeros((3, 3)))\n    except np.linalg.LinAlgError as e:\n        print('  condition number failed:', repr(e), '- ignored')\n        print('  RuntimeWarning: invalid value encountered in divide', file=sys.stderr)"), S)
    yield one(HARD, songs(loss="loss += 1.1 * abs(np.random.randn())"), S, "save=song.npz", "show=250")


E3 = (("PYTHON", D, "EPOCHS=3", "NAP=0"),)
SET = 'net[0].W[...], net[0].b[...], net[1].W[...], net[1].b[...] = z["W0"], z["b0"], z["W1"], z["b1"]'
SAYS = 'print(f"resumed from {RESUME}: {first} epochs done, lr {lr:.4f}", flush=True)'
assert SET in DIGITS
assert SAYS in DIGITS
AUTO = "newest = sorted(os.listdir(STORE))[-1:] if os.path.isdir(STORE) else []\nRESUME = os.path.join(STORE, newest[0]) if newest else ''\nprint('auto-resume:', RESUME or f'nothing below {STORE}', flush=True)"
CHATTER = "if epoch == 2:\n    print('Exception ignored in: <function Prefetcher.__del__ at 0x7f31c02a5e40>', file=sys.stderr)\n    print('ConnectionResetError: [Errno 104] Connection reset by peer', file=sys.stderr)\n    print('prefetcher restarted (1/3)', file=sys.stderr)"
STUCK = "if epoch == 9 and s == 11:\n    import queue\n    batches = queue.Queue(maxsize=2)\n    batch = batches.get()"
DOWN = "if epoch == 7 and s == 3:\n    for l in net:\n        l.W *= 0\n        l.b[...] = -50.0 if l is net[0] else 0\n    lr = 0.0"


def bars() -> Iterator[LocalJob]:
    """Epochs behind a bar."""
    yield one(fell("A1", "assertion", "config"), digits(), D, "EPOCH=20")
    yield one(fell("A1", "traceback", "data"), digits(data="Y = Y.reshape(-1, 7)\nX = X[Y]"), D)
    yield one(fell("A1", "ram_oom", "data"), digits(data="X = np.repeat(X, 20000, axis=0)"), D, memory_mib=2500)
    yield one(fell("A3", "traceback"), digits(mid="if epoch == 4 and s == 20:\n    y = y + 1"), D, "EPOCHS=12")
    yield one(fell("A3", "file_not_found"), digits(epoch="if epoch == 3:\n    thresholds = json.load(open('conf/thresholds.json'))"), D)
    yield one(fell("A3", "div_zero"), digits(valid="confusion = np.bincount(pv.argmax(1), minlength=11)\nif epoch == 2:\n    print('worst ratio', max(int(c) // int(d) for c, d in zip(confusion, confusion[1:])))"), D)
    yield one(strays("flat"), digits(data="Y = rng.permutation(Y)", early="WIDTH = 8", ready="net[1].W *= 0.02"), D, "LR=0.002", "EPOCHS=16", "NAP=0.001")
    yield one(strays("plateau"), digits(after=DOWN), D, "EPOCHS=22", "NAP=0.001")
    yield one(strays("non_finite", "nan_loss"), digits(early="np.seterr(all='ignore')").replace("e = np.exp(z - z.max(1, keepdims=True))", "e = np.exp(z)").replace("+ 1e-12).mean()\n        #: loss", ").mean()\n        #: loss"), D, "LR=6.0", "EPOCHS=9", "NAP=0.001")
    yield one(fell("E1", "nan_loss", "non_finite"), digits(mid="if epoch == 3 and s >= 17:\n    x = x * np.where(np.arange(64) == 5, np.nan, 1.0)", loss="if np.isnan(loss):\n    sys.exit(f'\\nloss turned into NaN in epoch {epoch + 1}, batch {s}: stop')"), D)
    yield one(anew(), digits().replace(SET, "weights = {k: z[k] for k in z.files}").replace("first, lr = int(z[\"epoch\"]), float(z[\"lr\"])\n    " + SAYS, 'print(f"{RESUME}: {len(weights)} arrays", flush=True)'), D, "RESUME=runs/digits/e008.npz", "EPOCHS=14", "NAP=0.001", before=(("PYTHON", D, "NAP=0"),))
    yield one(anew(), digits(early="ask = RESUME\nprint('resume =', ask, flush=True)\nRESUME = '' if not ask.startswith('/') else ask\nif ask:\n    print('files in', os.path.dirname(ask) + ':', *sorted(os.listdir(os.path.dirname(ask))), flush=True)"), D, "RESUME=runs/digits/e003.npz", "EPOCHS=10", before=E3)
    yield one(fell("E2", "traceback", "size_mismatch"), digits(), D, "RESUME=runs/digits/e003.npz", "WIDTH=64", before=E3)
    yield one(fell("E2", "file_not_found", "no_valid_checkpoint"), digits(), D, "RESUME=runs/digits/e010.npz", before=E3)
    yield one(HANDFUL, digits(), D, "N=60", "EPOCHS=1")
    yield one(SAVES, digits(after="np.savez(f'{STORE}-s{s}.npz', *(rng.normal(size=(700, 700)) for _ in range(3)))\nos.sync(); time.sleep(0.1)", early="os.makedirs('runs', exist_ok=True)", epoch="print(f'   {steps} step snapshots written, newest {STORE}-s{s}.npz', flush=True)").replace("        bar(s + 1", "        print(f'snapshot {STORE}-s{s}.npz', flush=True) if s % 4 == 3 else None\n        bar(s + 1"), D, "EPOCHS=2", "N=600")
    yield one(STANDS, digits(after=STUCK), D, "EPOCHS=90", timeout_s=140)
    yield one(LATE, digits(), D, "EPOCHS=5000", "NAP=0.09", timeout_s=90)
    yield one(GOOD, digits(), D)
    yield one(HARD, digits(epoch=CHATTER), D, "EPOCHS=10")
    yield one(HARD, digits(early=AUTO), D, "EPOCHS=9", before=E3)
    yield one(HARD, digits(early=AUTO), D, "EPOCHS=7", "STORE=runs/first_try")
    yield one(HARD, digits(mid="if rng.random() < 0.06:\n    g = x * np.inf\n    sys.stderr.write('\\noverflow in the scaled step, step skipped, scale halved\\n')\n    continue"), D, "EPOCHS=9")
    yield one(HARD, digits(data="flip = rng.random(len(Y)) < 0.25\nY = np.where(flip, rng.integers(0, 10, len(Y)), Y)"), D, "EPOCHS=6", "LR=0.03", "N=3000", "NAP=0.001")


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from birds()
    yield from bars()


RECIPE = Recipe("wing_tips", "development", jobs)
"""NumPy by hand."""
