"""One command: a voice cleaned under a bar, a diary's hidden weather, a pipeline of three stages in the shell, and settings tried in a row."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._brook_plain import DIARY
from corpus.make._brook_torch import VOICE
from corpus.make._brook_trees import FIT, PIPE, TRYOUTS, WINDOWS
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.slots import fill

voice, diary, pipe, fit, tryouts = partial(fill, VOICE), partial(fill, DIARY), partial(fill, PIPE), partial(fill, FIT), partial(fill, TRYOUTS)
V, D, P, T = "hiss.py", "diary.py", "mend.sh", "apples.py"


def hiss(label: Label, text: str, *env: str, **more: Any) -> LocalJob:
    """Settings before the program."""
    return alone(label, text, V, command=("env", *env, "PYTHON", V), **more)


BEFORE = (("env", "KEEP=hiss.pt", "ROUNDS=3", "PYTHON", V),)
PLAYER = "if r == 2:\n    import signal, subprocess\n    player = subprocess.Popen(['sleep', '60'])\n    player.send_signal(signal.SIGKILL)\n    print(f'preview player was killed (status {player.wait()}); playing is off from here on', flush=True)\nif r == 4:\n    print('error 5 of the sound card ignored (Input/output error)', flush=True)"
WAVES = "if k % 2 == 0:\n    t1 = time.time()\n    with open('waves.raw', 'wb') as f:\n        for _ in range(10):\n            f.write(os.urandom(1_000_000))\n        f.flush(); os.fsync(f.fileno())\n    time.sleep(0.1)\n    sys.stderr.write(f'\\n  waves.raw kept at clip {k}, {time.time() - t1:.2f} s\\n')"
LISTEN = "if r == 3 and k == 20:\n    import socket\n    door = socket.socket()\n    door.bind(('127.0.0.1', 0)); door.listen(1)\n    sys.stderr.write('\\n  a listener is asked for\\n')\n    door.accept()"


def voices() -> Iterator[LocalJob]:
    """A bar on the error stream."""
    yield hiss(GOOD, voice(), "ROUNDS=7", "KEEP=hiss.pt")
    yield hiss(HARD, voice(round=PLAYER), "ROUNDS=7", "LR=0.003")
    yield hiss(fell("A3", "runtime_error"), voice(mid="if r == 3 and k == 12:\n    clean = clean[..., ::3]"), "ROUNDS=9")
    yield hiss(fell("A2", None, fault="unknown"), voice(), "ROUNDS=900", "BREATH=0.02", signal=ctrl_c("round 2/900 .*40/40", "KILL", 0.6, V), ends=lambda s: s == -9)
    yield hiss(strays("non_finite", "nan_loss"), voice(mid="if r == 4 and k == 9:\n    noisy = noisy / 0.0"), "ROUNDS=7")
    yield hiss(strays("spike"), voice(round="if r == 4:\n    with torch.no_grad():\n        net.c.weight.mul_(-70)\n    opt.param_groups[0]['lr'] = 1e-6"), "ROUNDS=8")
    yield hiss(fell("E2", "traceback", "corrupt"), voice(), "ROUNDS=9", "LAST=hiss.pt", before=(*BEFORE, ("bash", "-c", "echo '{\"status\": 503, \"text\": \"try later\"}' > hiss.pt")))
    yield hiss(HANDFUL, voice(), "ROUNDS=1", "CLIPS=3")
    yield hiss(SAVES, voice(after=WAVES), "ROUNDS=1", "CLIPS=60")
    yield hiss(STANDS, voice(after=LISTEN), "ROUNDS=80", timeout_s=150)


def farm(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """Python alone."""
    return alone(label, text, D, *given, python="system", **more)


DUMPED = (("python3", D, "-n", "20", "--dump-each", "20", "--sleep", "0"),)
TAKEN = 'start, move, emit, done = kept["start"], kept["move"], kept["emit"], kept["done"]'
assert TAKEN in DIARY
THICK = "log.debug('dump %d begins', it)\nwith open('all.dump', 'wb') as f:\n    for _ in range(10):\n        f.write(os.urandom(1_200_000))\n    f.flush()\n    os.fsync(f.fileno())\ntime.sleep(0.2)\nlog.debug('dump %d is on disk', it)"
SEEDS = "for tried in (3, 8):\n    log.error('restart %d: likelihood underflows, this start is given up (not an error of the run)', tried)\nlog.warning('restart 9 is taken')"


def weather() -> Iterator[LocalJob]:
    """A likelihood that rises."""
    yield farm(GOOD, diary(), "-n", "45", "--dump-each", "15")
    yield farm(HARD, diary(), "-n", "400", "--tol", "0.004", "--sleep", "0")
    yield farm(HARD, diary(early=SEEDS), "-n", "36", "-k", "4")
    yield farm(HARD, diary(), "-n", "50", "--continue-from", "diary.model", before=DUMPED)
    yield farm(fell("A1", "traceback", "data"), diary(), "--diary", "1709.csv", files={"1709.csv": "day,sign\n1,dew\n2,frost\n3,snow\n"})
    yield farm(fell("A3", "div_zero"), diary(mid="if it == 14:\n    for r in emit:\n        r[3] = 0.0  # thunder is no longer noted down"), "-n", "60")
    yield farm(Label(mode="E1", fault="user"), diary(data="rnd.random = lambda: 0.5"), "-n", "36")
    yield farm(strays("plateau"), diary(mid="if it == 9:\n    log.info('states are mixed anew')\n    move, emit = [[1 / K] * K for _ in range(K)], [[0.2] * 5 for _ in range(K)]", step="if it >= 9:\n    move, emit = [[1 / K] * K for _ in range(K)], [[0.2] * 5 for _ in range(K)]"), "-n", "40")
    yield farm(anew(), diary().replace(TAKEN, 'done = kept["done"]'), command=("bash", "-c", "python3 diary.py -n 22 --dump-each 11 && python3 diary.py -n 44 --continue-from diary.model"))
    yield farm(HANDFUL, diary(), "-n", "2", "--days", "14")
    yield farm(SAVES, diary(save=THICK), "-n", "26", "--dump-each", "1", "--sleep", "0", "--days", "200")
    yield farm(HALTED, diary(), "-n", "9000", "--sleep", "0.05", signal=ctrl_c("it  50/", "INT"))


def belt(label: Label, *env: str, text: str = "", fitted: str = "", windows: str = WINDOWS, **more: Any) -> LocalJob:
    """Three stages."""
    return alone(label, text or pipe(), P, command=("env", "PY=PYTHON", *env, "bash", P), files={"windows.py": fill(windows), "fit.py": fitted or fit()}, **more)


BELTED = (("env", "PY=PYTHON", "STEPS=60", "bash", P),)
LONG = "say 3/3 \"comparing with all sheets of the year, this takes a while\"\nsleep 24\nsay 3/3 \"no match in 351 sheets, 14 unreadable (Errno 5), skipped\""
LOOMS = "t = time.time()\nwith open('looms.bin', 'wb') as f:\n    f.write(os.urandom(9_000_000)); f.flush(); os.fsync(f.fileno())\ntime.sleep(0.15)\nprint(f'    looms.bin <- step {step} in {time.time() - t:.2f} s', flush=True)"
TWICE = "ls -l old.json || say 2/3 \"WARNING: no sheet of last night to compare with\"\nfor host in store1 store2; do timeout 2 bash -c \"exec 3<>/dev/tcp/127.0.0.1/9\" 2>/dev/null || say 2/3 \"copy to $host failed (connection refused), left for tonight\"; done"


def belts() -> Iterator[LocalJob]:
    """Arrows of a shell."""
    yield belt(GOOD, "STEPS=150")
    yield belt(HARD, "STEPS=120", text=pipe(fitted=TWICE))
    yield belt(HARD, "STEPS=140", text=pipe(sheet=LONG))
    yield belt(fell("A1", "missing_module", "env"), "STEPS=200", windows="import soundfile_belt\n" + WINDOWS)
    yield belt(fell("A3", "traceback"), "STEPS=200", fitted=fit(after="if step == 110:\n    X = [row.tolist() for row in X]"))
    yield belt(fell("A2", None, fault="unknown"), "STEPS=90000", signal=Signal("KILL", "step=80 ", "fit.py", 0.1), ends=lambda s: s == 137)
    yield belt(strays("non_finite", "nan_loss"), "STEPS=110", fitted=fit(mid="if step == 62:\n    X[X > 0.8] = np.nan"))
    yield belt(SAVES, "STEPS=44", "KEEP=0", fitted=fit(after=LOOMS))
    yield belt(fell("E2", "traceback", "corrupt"), "STEPS=200", "GO_ON=belt.npz", before=(*BELTED, ("truncate", "-s", "200", "belt.npz")))


BLOWS = "if rate > 0.2 and units == 24:\n    raise FloatingPointError(f'loss of setting {k} is nan after 9 steps')"


def apples() -> Iterator[LocalJob]:
    """Settings in a row."""
    yield alone(GOOD, tryouts(), T)
    yield alone(HARD, tryouts(trying=BLOWS), T, env={"LONG": "200"})
    yield alone(fell("A3", "file_not_found"), tryouts(best="with open('notes/best.txt', 'w') as f:\n    f.write(str(results[0]))"), T)
    yield alone(strays("flat"), tryouts(built="head = nn.Linear(6, 3)\nopt = torch.optim.SGD(head.parameters(), rate)"), T, env={"LONG": "240"})


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from voices()
    yield from weather()
    yield from belts()
    yield from apples()


RECIPE = Recipe("brick_arches", "development", jobs)
