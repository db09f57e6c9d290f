"""One process over NumPy alone: heartbeats squeezed and restored, an echo taken off a call and told in decibels."""

from collections.abc import Iterator
from functools import partial

from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._kite_arrays import BEATS, ECHO
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.slots import fill

beats, echo = partial(fill, BEATS), partial(fill, ECHO)
B, E = "beats.py", "echo.py"
FIRST = (("PYTHON", B, "--epochs", "10", "--delay", "0"),)
TAKE = '        W1, b1, W2, b2 = z["W1"], z["b1"], z["W2"], z["b2"]\n        epoch0 = int(z["epoch"])\n'
assert TAKE in BEATS
RECORDS = "import os, numpy as np; os.makedirs('rec'); r = np.random.default_rng(1); [np.save(f'rec/p{k}.npy', r.normal(size=(60, 64 if k < 3 else 48))) for k in range(4)]"
SNAP = "big = args.outdir / f'ae-{epoch:03d}.full'\n_t = time.time()\nwith open(big, 'wb') as f:\n    for _ in range(9):\n        f.write(rng.bytes(2_000_000))\n    f.flush()\n    os.fsync(f.fileno())\ntime.sleep(0.2)\nlog('INFO', f'full state {big} took {time.time() - _t:.2f} s')"
SUBSTITUTE = "try:\n    import cupy\nexcept ImportError as exc:\n    log('ERROR', f'cupy cannot be imported: {exc}')\n    log('WARNING', 'falling back to numpy, this will be slow')"
PAGER = "if epoch in (3, 8):\n    log('CRITICAL', f'mail to the lab failed: [Errno 111] Connection refused (attempt 1 of 1); training is not touched by that')"
CLIPS = "if norm / per > 0.2 and epoch < 4:\n    log('WARNING', 'large gradients, nan guard is armed (no nan seen)')"
SUDDEN = "if epoch == 11 and b == 3:\n    W2 = W2 * -35.0\n    args.lr = 1e-6"
WORN = "if epoch == 7:\n    W1 *= 0; W2 *= 0; args.lr = 0.0"
WAITS = "if epoch == 22:\n    log('INFO', 'next records: asking the archive')\n    import subprocess\n    subprocess.run(['sleep', '3000'])"
FLIPPED = "noisy = rng.permutation(noisy)  # order of the export"


def hearts() -> Iterator[LocalJob]:
    """Lines with bars."""
    yield alone(GOOD, beats(), B)
    yield alone(HARD, beats(early=SUBSTITUTE, epoch=PAGER), B, "--epochs", "12")
    yield alone(HARD, beats(epoch=CLIPS), B, "--epochs", "20", "--weights", "beats_out/ae-010.npz", before=FIRST)
    yield alone(HARD, beats(mid="if rng.random() < 0.02:\n    log('ERROR', f'batch {b}: beat {int(i[0])} is saturated, batch skipped')\n    continue"), B, "--epochs", "14", "--keep", "1")
    yield alone(fell("A1", "div_zero", "config"), beats(), B, "--epochs", "14", "--batch", "0")
    yield alone(fell("A1", "traceback", "data"), beats(), B, "--records", "rec", before=(("PYTHON", "-c", RECORDS),))
    yield alone(fell("A1", "ram_oom", "config"), beats(), B, "--beats", "9000000", memory_mib=1500)
    yield alone(fell("A3", "traceback"), beats(epoch="if epoch == 6:\n    x = beat(args.batch)[:, ::2]\n    check = float(((np.tanh(x @ W1 + b1) @ W2 + b2 - x) ** 2).mean())"), B)
    yield alone(fell("A3", "ram_oom"), beats(epoch="if epoch == 8:\n    log('INFO', 'similarity of all beats')\n    sim = np.stack([np.abs(clean[:, None] - clean[None]).sum(-1) + s for s in np.linspace(0, 1, 400)])"), B, memory_mib=1500)
    yield alone(fell("A3", "traceback"), beats(), B, "--outdir", "full", "--code", "40", "--keep", "1", "--epochs", "100", disk_mib=1)
    yield alone(fell("A2", "segfault"), beats(epoch="if epoch == 9:\n    import ctypes\n    log('INFO', 'handing the code to libecg')\n    np.ctypeslib.as_array(ctypes.cast(24, ctypes.POINTER(ctypes.c_double)), (4,)).sum()"), B)
    yield alone(strays("spike"), beats(mid=SUDDEN), B, "--epochs", "18")
    yield alone(strays("plateau"), beats(epoch=WORN), B, "--epochs", "20")
    yield alone(strays("non_finite", "nan_loss"), beats(early="np.seterr(all='ignore')"), B, "--lr", "90", "--epochs", "9")
    yield alone(strays("flat"), beats(data=FLIPPED + "\nclean = rng.normal(0, 1, clean.shape)"), B, "--lr", "0.00001", "--epochs", "14")
    yield alone(anew(), beats().replace(TAKE, "        had = {k: z[k].shape for k in z.files}\n").replace("weights of epoch {epoch0} taken from {args.weights}", "{args.weights}: {had}"), B, "--weights", "beats_out/ae-010.npz", "--epochs", "20", before=FIRST)
    yield alone(fell("E2", "traceback", "size_mismatch"), beats(weights="rng_state = (W1[:] , b1[:])\nW1 += z['W1']"), B, "--weights", "beats_out/ae-010.npz", "--code", "16", "--epochs", "20", before=FIRST)
    yield alone(HANDFUL, beats(), B, "--epochs", "1", "--beats", "100")
    yield alone(SAVES, beats(save=SNAP), B, "--keep", "1", "--epochs", "26", "--beats", "300")
    yield alone(STANDS, beats(epoch=WAITS), B, "--epochs", "900", "--delay", "0.01", timeout_s=145)


CALLED = (("PYTHON", E, "blocks=60", "put=h.npy", "wait=0"),)
H_TAKE = '    h[:] = saved["h"]\n    block0 = saved["block"]\n    print("filter", FILTER, "of block", block0, "goes on", flush=True)\n'
assert H_TAKE in ECHO
ROUGH = "with open(PUT + '.tap', 'wb') as tap:\n    for _ in range(10):\n        tap.write(r.bytes(1 << 20))\n    tap.flush()\n    os.fsync(tap.fileno())\ntime.sleep(0.12)"
TALK = "if k in range(50, 64):\n    near[k * SIZE:(k + 1) * SIZE] += 0.25 * r.randn(SIZE)\n    MU_ = MU\n    MU = 0.02\n    if k == 50:\n        print('blk   50 double talk! echo is lost for a while, adaptation nearly frozen', flush=True)\nelif k == 64:\n    MU = MU_"
CRACK = "if k == 75 and n == k * SIZE:\n    near[n:n + SIZE] = float('nan')"
LOUD = "for dev in ('hw:1,0', 'hw:0,0'):\n    try:\n        open('/dev/snd/' + dev)\n    except OSError as e:\n        print('ALSA lib pcm_hw.c:1829: open failed:', e, file=sys.stderr)\nprint('no sound card, files only', file=sys.stderr)"


NIGHT = '''import subprocess, sys

run = subprocess.run([sys.executable, "beats.py", "--epochs", "400"])
if run.returncode < 0:
    where = "/sys/fs/cgroup/memory" + [l.strip().split(":")[2] for l in open("/proc/self/cgroup") if ":memory:" in l][0]
    print(f"night.py: beats.py was killed by signal {-run.returncode}")
    print("night.py:", open(where + "/memory.oom_control").read().replace("\\n", "; "), "limit", open(where + "/memory.limit_in_bytes").read().strip())
sys.exit(abs(run.returncode))
'''


def calls() -> Iterator[LocalJob]:
    """Decibels."""
    yield alone(GOOD, echo(), E, "blocks=150")
    yield alone(HARD, echo(early=LOUD), E, "put=h.npy", "blocks=130")
    yield alone(HARD, echo(after=TALK), E, "blocks=160", "mu=0.3")
    yield alone(fell("A1", "assertion", "config"), echo(), E, "blocks=150", "step=0.3")
    yield alone(fell("A1", "traceback", "data"), echo(), E, "call=call.wav", files={"call.wav": "RIFX....not a wave file at all" * 9})
    yield alone(fell("A3", "runtime_error"), echo(after="if k == 66:\n    raise RuntimeError(f'ring buffer overrun at block {k}: writer is {SIZE} samples ahead')"), E)
    yield alone(fell("A2", None, fault="unknown"), echo(), E, "blocks=9000", "wait=0.05", signal=Signal("KILL", "blk  120/", E, 0.1), ends=lambda s: s == -9)
    yield alone(strays("non_finite", "nan_loss"), echo(after=CRACK.replace(" and n == k * SIZE", "").replace("near[n:n + SIZE]", "h[5]")), E, "blocks=130")
    yield alone(anew(), echo().replace(H_TAKE, '    print("filter", FILTER, sorted(saved), "block", saved["block"], flush=True)\n'), E, "filter=h.npy", "blocks=120", before=CALLED)
    yield alone(HANDFUL, echo(), E, "blocks=3", "every=1")
    yield alone(SAVES, echo(save=ROUGH, shown="print(f'tap and filter written {EVERY} times to {PUT}', flush=True)"), E, "put=h.npy", "blocks=60", "wait=0")
    yield alone(HALTED, echo(), E, "blocks=9000", "wait=0.05", signal=ctrl_c("blk   90/"))
    yield alone(fell("A2", "oom_killer"), beats(epoch="globals().setdefault('tape', []).append(rng.random((600, 4000)) if epoch > 3 else None)"), B, command=("PYTHON", "night.py"), files={"night.py": NIGHT}, group_mib=260, ends=lambda s: s == 9)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from hearts()
    yield from calls()


RECIPE = Recipe("cedar_boxes", "development", jobs)
"""NumPy by hand."""
