"""One process of plain PyTorch: sprites behind a code, told as key:value; and a pupil taught by a master, told with the seconds since the begin."""

from collections.abc import Iterator
from functools import partial

from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._kite_torch_more import PUPIL, SPRITES
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.slots import fill

sprites, pupil = partial(fill, SPRITES), partial(fill, PUPIL)
S, P = "sprites.py", "distil.py"
FIRST = (("PYTHON", S, "--rounds", "10", "--nap", "0"),)
TAKE = '    both.load_state_dict(old["both"]); opt.load_state_dict(old["opt"])\n    first = old["round"] + 1\n    print(f"taken up {a.take_up} round:{first - 1}", flush=True)\n'
assert TAKE in SPRITES
WIDE = "_t = time.time()\nwith open(f'{a.album}/r{rnd:03d}.grid', 'wb') as f:\n    for _ in range(11):\n        f.write(os.urandom(1_600_000))\n    f.flush(); os.fsync(f.fileno())\ntime.sleep(0.15)\nprint(f'grid r{rnd:03d} {time.time() - _t:.2f}s', flush=True)"
KLDOWN = "if rnd == 3:\n    print('posterior collapse? kl below 1 in 0 of 6 dimensions: fine', flush=True)\nif rnd == 9:\n    print('NaN check: 0 nan, 0 inf; overflow: none', flush=True)"
WORKERS = "import subprocess\nfor w in range(2):\n    r = subprocess.run([sys.executable, '-c', 'import os; os.kill(os.getpid(), 11)'])\n    print(f'thumbnail helper {w} died with signal {-r.returncode}, started again', flush=True)\nprint('thumbnails: 500 done, 0 missing', flush=True)"


def album() -> Iterator[LocalJob]:
    """Rounds."""
    yield alone(GOOD, sprites(), S)
    yield alone(HARD, sprites(round=KLDOWN, early=WORKERS), S, "--rounds", "16")
    yield alone(HARD, sprites(), S, "--take-up", "album/r010.pth", "--rounds", "22", before=FIRST)
    yield alone(fell("A1", None, "config"), sprites(), S, "--rounds", "twenty")
    yield alone(fell("A1", "runtime_error", "data"), sprites(), S, "--sheet", "sheet.gray", files={"sheet.gray": "x" * 1000})
    yield alone(fell("A1", "traceback", "asset"), sprites(ready="enc[0].load_state_dict(torch.load('zoo/encoder.pt'))"), S, files={"zoo/encoder.pt": "version https://git-lfs.github.com/spec/v1\noid sha256:4a1f\nsize 81234\n"})
    yield alone(fell("A3", "traceback"), sprites(round="if rnd == 12:\n    json.dumps({'round': rnd, 'mean': imgs.mean()})"), S)
    yield alone(fell("A3", "permission"), sprites(), S, "--album", "/usr/share/album", "--keep-every", "6")
    yield alone(fell("A2", "oom_killer"), sprites(round="globals().setdefault('gallery', []).append(torch.rand(20, 400_000))"), S, "--rounds", "90", command=("bash", "-c", "python sprites.py --rounds 90; s=$?; g=/sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup); [ $s = 0 ] || echo \"job step ended with $s, $(grep 'oom_kill ' $g/memory.oom_control), limit $(cat $g/memory.limit_in_bytes)\"; exit $s"), group_mib=480, ends=lambda s: s == 137)
    yield alone(fell("A2", None), sprites(round="if rnd == 7:\n    os.abort()"), S)
    yield alone(strays("non_finite", "nan_loss"), sprites(round="if rnd == 6:\n    imgs[40:90] = float('nan')"), S, "--rounds", "15")
    yield alone(strays("plateau"), sprites(round="if rnd == 8:\n    opt.param_groups[0]['lr'] = 0.0\n    with torch.no_grad():\n        for q in both.parameters():\n            q.zero_()"), S, "--rounds", "26")
    yield alone(anew(), sprites().replace(TAKE, '    print(f"file:{a.take_up} holds:{sorted(old)} round:{old[\'round\']}", flush=True)\n'), S, "--take-up", "album/r010.pth", "--rounds", "18", before=FIRST)
    yield alone(fell("E2", "runtime_error", "size_mismatch"), sprites(), S, "--take-up", "album/r010.pth", "--latent", "10", "--rounds", "30", before=FIRST)
    yield alone(fell("E2", "traceback", "corrupt"), sprites(), S, "--take-up", "album/r010.pth", "--rounds", "30", before=(*FIRST, ("bash", "-c", "head -c 30000 album/r010.pth > x && mv x album/r010.pth")))
    yield alone(HANDFUL, sprites(), S, "--rounds", "1", "--updates", "4", "--keep-every", "0")
    yield alone(SAVES, sprites(save=WIDE), S, "--keep-every", "1", "--rounds", "30", "--updates", "2", "--nap", "0")
    yield alone(HALTED, sprites(), S, "--rounds", "9000", "--nap", "0.1", signal=ctrl_c("round:21 ", "TERM"))


BEGUN = (("PYTHON", P, "steps=240"),)
P_TAKE = '    pupil.load_state_dict(blob["pupil"])\n    opt.load_state_dict(blob["opt"])\n    at = blob["step"]\n    p(f"restored step {at} out of {conf.restore}")\n'
assert P_TAKE in PUPIL
AUTO = "found = sorted(Path('.').glob(f'{conf.tag}-*.pt'), key=lambda f: int(f.stem.split('-')[1]))\np(f'auto-restore: looked for {conf.tag}-*.pt, found {len(found)}')\nconf.restore = str(found[-1]) if found else ''"
SHARED = "began_ = time.monotonic()\nPath(f'{conf.tag}.shared').write_bytes(os.urandom(15 << 20))\nos.sync(); time.sleep(0.15)\np(f'step={step} state shared with {conf.tag}.shared in {time.monotonic() - began_:.2f}s')"
REPEAT = "if step in (60, 61, 200):\n    p(f'step={step}: gradient norm above 100, step repeated with half the rate (no harm done)')"


def school() -> Iterator[LocalJob]:
    """Steps."""
    yield alone(GOOD, pupil(), P)
    yield alone(HARD, pupil(), P, "init=pupil-240.pt", "tag=second", "steps=300", before=BEGUN)
    yield alone(HARD, pupil(early=AUTO), P, "steps=420", before=BEGUN)
    yield alone(HARD, pupil(early=AUTO, after=REPEAT), P, "steps=300")
    yield alone(HARD, pupil(), P, "steps=90000", "budget=6", "sleep=0.01", "ckpt=200")
    yield alone(fell("A1", "traceback", "config"), pupil(), P, "steps=300", "temperature=4")
    yield alone(fell("A1", "file_not_found", "asset"), pupil(), P, "init=zoo/pupil-base.pt", "steps=300")
    yield alone(fell("A3", "runtime_error"), pupil(mid="if step == 230:\n    y = F.one_hot(y, 3)[..., :2].float()"), P)
    yield alone(fell("A3", "file_not_found"), pupil(end_of_step="if step % 200 == 0:\n    os.unlink(f'{conf.tag}-{step - 100}.pt')"), P)
    yield alone(fell("A2", "segfault"), pupil(mid="if step == 190:\n    import ctypes\n    ctypes.CFUNCTYPE(ctypes.c_int)(128)()"), P)
    yield alone(strays("spike"), pupil(mid="if step == 260:\n    with torch.no_grad():\n        pupil[4].weight.mul_(-80)\n    conf.lr = 1e-7"), P)
    yield alone(fell("E1", "nan_loss", "non_finite"), pupil(loss="if not math.isfinite(loss.item()):\n    p(f'step={step}: distill={loss.item()}, that cannot be learnt from; stop')\n    os._exit(4)", mid="conf.T = max(0.0, 3.0 - step / 60)  # cooling"), P)
    yield alone(strays("flat"), pupil(loss="loss = loss.detach() + 0 * pupil[0].weight.sum()"), P, "steps=400")
    yield alone(anew(), pupil(early=AUTO.replace("conf.restore = str(found[-1]) if found else ''", "conf.restore = ''\np('new state goes to ' + conf.tag + '-*.pt')")), P, "restore=pupil-240.pt", "steps=360", before=BEGUN)
    yield alone(HANDFUL, pupil(), P, "budget=0.001", "log=1", "ckpt=0")
    yield alone(SAVES, pupil(after=SHARED), P, "steps=60", "ckpt=0", "log=5")
    yield alone(LATE, pupil(), P, "steps=900000", "sleep=0.05", "ckpt=1000", timeout_s=80)
    yield alone(STANDS, pupil(end_of_step="if step == 310:\n    p('handing over to the evaluation')\n    import threading\n    barrier = threading.Barrier(2)\n    barrier.wait()"), P, "steps=9000", "sleep=0.01", timeout_s=150)
    yield alone(fell("A2", None, fault="unknown"), pupil(), P, "steps=90000", "sleep=0.01", "log=25", signal=Signal("KILL", "step=225 of", P, 0.1), ends=lambda s: s == -9)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from album()
    yield from school()


RECIPE = Recipe("paper_kites", "development", jobs)
"""PyTorch by hand."""
