"""Runs that end as planned and whose output would frighten: other programs' tests, finalisers, retries, quoted sources, data that speaks of errors, languages that have words like them."""

from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import Recipe

PURE = """import random
import time

random.seed({seed})
w, target = 0.0, 3.0
for {name} in range(1, {n} + 1):
    w += 0.05 * (target - w) + random.gauss(0, 0.01)
    {inside}
    if {name} % {every} == 0:
        {line}
    time.sleep(0.003)
"""
LINES = (
    'print(f"[{i:>5}/{n}] J={(w - target) ** 2:.6f}", flush=True)',
    'print(f"Durchgang {i} | Zielfunktion {(w - target) ** 2:.5f} | Rate 0,05", flush=True)',
    'print(f"第 {i} 步  损失 {(w - target) ** 2:.4f}  学习率 0.05", flush=True)',
    'print(f"itération {i} : coût = {(w - target) ** 2:.5f}", flush=True)',
    'print(time.strftime("%H:%M:%S"), "INFO", "fit.py:9", f"global_step={i}", f"loss={(w - target) ** 2:.4e}", sep=" | ", flush=True)',
    'print(f"i={i}\\tcost={(w - target) ** 2:.5f}\\teta={({n} - i) * 0.003:.1f}s", flush=True)',
)


def fit(turn: int, inside: str = "pass", n: int = 0, every: int = 0) -> str:
    """A loop that tells of itself in the turn's way, of the turn's length."""
    n = n or 140 + 17 * (turn // 6)
    every = every or 5 + turn // 6
    return PURE.format(seed=turn, name="i", n=n, every=every, inside=inside.replace("\n", "\n    "), line=LINES[turn % len(LINES)].replace("{n}", str(n)))


HEADS = ("", "# -*- coding: utf-8 -*-\n", "from __future__ import annotations\n\n")
UNIT = "import unittest\n\nclass Loader(unittest.TestCase):\n    def test_missing(self):\n        with self.assertRaises(FileNotFoundError):\n            open('no-such.h5')\n    @unittest.expectedFailure\n    def test_precision(self):\n        self.assertEqual(0.1 + 0.2, 0.3)\n    @unittest.skip('CUDA error: needs a card')\n    def test_cuda(self):\n        pass\n    def test_division_by_zero_is_caught(self):\n        self.assertRaises(ZeroDivisionError, lambda: 1 / 0)\n\nresult = unittest.main(argv=['x', '-v'], exit=False).result\nprint('self-check', 'ok' if result.wasSuccessful() else 'bad', flush=True)\n"
DOCTEST = "import doctest\n\ndef ratio(a, b):\n    '''\n    >>> ratio(1, 0)\n    Traceback (most recent call last):\n        ...\n    ZeroDivisionError: division by zero\n    >>> ratio(1, 4)\n    0.25\n    '''\n    return a / b\n\ndoctest.testmod(verbose=True)\n"
RETRY = "import urllib.error\n\ndef download(k):\n    for attempt in range(1, 5):\n        try:\n            if attempt < 3:\n                raise urllib.error.URLError('[Errno 111] Connection refused')\n            return print(f'part-{k}.tar: ok', flush=True)\n        except urllib.error.URLError as e:\n            print(f'ERROR: could not fetch part-{k}.tar: {e} (attempt {attempt}/4), retrying in 0.1 s', flush=True)\n\nfor k in range(2):\n    download(k)\n"
THREADS = "import threading\n\ndef poll():\n    raise ConnectionError('metrics server went away')\n\nthreads = [threading.Thread(target=poll, name=f'exporter-{k}', daemon=True) for k in range(2)]\nfor t in threads:\n    t.start()\n"
FINAL = "class Arena:\n    def __init__(self):\n        self.handle = open('/dev/null')\n    def __del__(self):\n        self.handle.close()\n        self.pool.release()\n\nkeep = Arena()\n"
AIO = "import asyncio\n\nasync def heartbeat():\n    await asyncio.sleep(0)\n    raise TimeoutError('no answer from the tracker in 0.5 s')\n\nasync def side():\n    asyncio.create_task(heartbeat())\n    await asyncio.sleep(0.05)\n\nasyncio.run(side())\n"
CODE = "import ast\nimport inspect\nimport statistics\nprint(inspect.getsource(statistics.geometric_mean)[:1200])\nprint(inspect.getsource(ast.literal_eval)[:900], flush=True)\n"
CONFIG = "import json\nprint(json.dumps({'trainer': {'max_epochs': 3, 'on_exception': 'raise RuntimeError', 'detect_nan': True, 'oom_score_adj': 500}, 'watchdog': {'signals': ['SIGSEGV', 'SIGABRT', 'SIGKILL'], 'patterns': ['CUDA out of memory', 'NCCL error', 'Killed', 'No space left on device']}, 'seed': 3}, indent=2), flush=True)\n"
LABELS = "print('Classes: 0 nan-bread, 1 segmentation_fault_plane, 2 killed_in_action, 3 aborted_takeoff, 4 crash, 5 out_of_memory_foam')\nprint('per-class support:', {'nan-bread': 41, 'crash': 7, 'error': 0}, flush=True)\n"
WARN = "import warnings\nwarnings.warn('invalid value encountered in divide', RuntimeWarning)\nwarnings.warn('torch.cuda.amp: CUDA is not available or NCCL error handling is off. Disabling.', UserWarning)\nwarnings.warn_explicit('Detected call of `lr_scheduler.step()` before `optimizer.step()`. This will result in failure to apply', UserWarning, 'sched.py', 143)\n"
CHAIN = "import logging\nlogging.basicConfig(format='%(levelname)-8s %(name)s %(message)s')\ntry:\n    try:\n        int('12,5')\n    except ValueError as e:\n        raise KeyError('scale') from e\nexcept KeyError:\n    logging.getLogger('metadata').critical('sidecar unreadable, taking defaults', exc_info=True)\n"
HALVE = "size = 96\nwhile True:\n    try:\n        if size > 24:\n            raise RuntimeError(f'CUDA out of memory. Tried to allocate {size / 8:.2f} GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.2 GiB is free.')\n        break\n    except RuntimeError as e:\n        print(f'{e}\\n-> micro batch {size} does not fit, halving', flush=True)\n        size //= 2\nprint('micro batch', size, flush=True)\n"
CLEAN = "import contextlib\nimport tempfile\nimport shutil\nimport sys\nfolder = tempfile.mkdtemp()\nshutil.rmtree(folder)\ntry:\n    shutil.rmtree(folder)\nexcept OSError as e:\n    sys.stderr.write(f'cleanup: {e}\\n')\n"
SUB = "import subprocess\nimport sys\nfor name in ('flash_attn', 'triton_nightly', 'apex'):\n    ok = subprocess.run([sys.executable, '-c', f'import {name}']).returncode == 0\n    print(f'{name:16} {\"yes\" if ok else \"no\"}', flush=True)\n"
EXIT = "import atexit\n\n@atexit.register\ndef flush_metrics():\n    raise BrokenPipeError(32, 'Broken pipe')\n\n"
TEXTS = "samples = ['The process was killed by the kernel (Out of memory).', 'Traceback (most recent call last):\\n  File \"x.py\", line 3, in <module>\\nIndexError: list index out of range', 'Assertion failed: x > 0', 'loss is nan, what now?']\nfor k, s in enumerate(samples):\n    print(f'--- generated {k}: {s}', flush=True)\n"
NUMPY = "import numpy as np\na = np.array([1.0, 0.0, -1.0])\nprint('log:', np.log(a), 'quotient:', 1 / a, 'nanmean:', np.nanmean(np.log(a)), flush=True)\nprint('overflow test:', np.exp(np.float32(200)), flush=True)\n"
LSTSQ = "import numpy as np\ntry:\n    np.linalg.inv(np.zeros((3, 3)))\nexcept np.linalg.LinAlgError:\n    import traceback\n    traceback.print_exc()\n    print('Hessian is singular, damped by 1e-3', flush=True)\n"
SH = "python3 fit.py\n"
SCRIPTS = (
    Flat(UNIT + fit(36), "G1", script="run_fit.py", hard=True),
    Flat(DOCTEST + fit(67), "G1", script="anpassung.py", hard=True),
    Flat(RETRY + fit(32) + "print('训练完成')", "G1", script="train_zh.py", hard=True),
    Flat(THREADS + fit(63), "G1", script="ajuste.py", hard=True),
    Flat(FINAL + fit(28), "G1", script="fit.py", hard=True),
    Flat(AIO + fit(59), "G1", script="fit.py", hard=True),
    Flat(CODE + fit(18) + "print('ok')", "G1", script="show.py", hard=True),
    Flat(CONFIG + fit(49) + "print('Training beendet.')", "G1", script="anpassung.py", hard=True),
    Flat(LABELS + fit(14), "G1", script="cls.py", hard=True),
    Flat(WARN + fit(45) + "print('terminé')", "G1", script="ajuste.py", hard=True),
    Flat(CHAIN + fit(10) + "print('bye')", "G1", script="fit.py", hard=True),
    Flat(HALVE + fit(41), "G1", script="fit.py", hard=True),
    Flat(fit(66) + CLEAN, "G1", script="fit.py", hard=True),
    Flat(SUB + fit(31), "G1", script="probe.py", hard=True),
    Flat(EXIT + fit(62), "G1", script="fit.py", hard=True),
    Flat(fit(27) + TEXTS, "G1", script="generate.py", hard=True),
    Flat(fit(58, "if i == 77:\n    try:\n        [][i]\n    except IndexError as e:\n        print('WARN sample 77 dropped:', repr(e), flush=True)"), "G1", script="fit.py", hard=True),
    Flat(fit(23, "if i % 50 == 0:\n    print('E', i, 'gradient norm inf -> step skipped (loss scale 65536 -> 32768)', flush=True)"), "G1", script="fit.py", hard=True),
    Flat("trap 'echo \"caught USR1, state written\"' USR1\nkill -USR1 $$\n(ulimit -v 9000; python3 -c pass) ; echo \"small probe: $?\"\n" + SH, "G1", script="job.sh", files=(("fit.py", fit(5)),), hard=True),
    Flat("for h in n01 n02; do timeout 1 bash -c \"echo > /dev/tcp/127.0.0.1/9\" || echo \"$h: health port closed\"; done\n" + SH + "echo 'errors seen: 0'", "G1", script="job.sh", files=(("fit.py", fit(17)),), hard=True),
    Flat("set -x\nrm -r old_run || true\nsrun --version || echo 'no srun, running plainly'\n" + SH + "tar czf out.tgz fit.py missing.log || echo 'tar complained, archive is there'", "G1", script="job.sh", files=(("fit.py", fit(33)),), hard=True),
    Flat(SH + "wait\nkill -0 999999\necho \"leftovers: $?\"\nexit 0", "G1", script="job.sh", files=(("fit.py", fit(40)),), hard=True),
    Flat("python3 fit.py | tee log.txt\nprintf 'Fehlerprotokoll:\\n  0 Fehler, 0 Abbrüche, 3 Warnungen (NaN-Zeilen entfernt: 12)\\n'", "G1", script="job.sh", files=(("fit.py", fit(49)),), hard=True),
    Flat(fit(12), "G1", script="fit.py"),
    Flat(fit(43) + "print('Training abgeschlossen nach 160 Durchgängen')", "G1", script="anpassung.py"),
    Flat(fit(8) + "print('完成')", "G1", script="xunlian.py"),
    Flat(fit(39) + "print('Modèle enregistré dans modele.txt')", "G1", script="ajuste.py"),
)  # fmt: skip
NUMERIC = (
    Flat(NUMPY + fit(70) + "print('converged')", "G1", script="robust.py", hard=True),
    Flat(LSTSQ + fit(35), "G1", script="newton.py", hard=True),
)
RECIPE = Recipe("loud_but_fine", "development", lambda: (job for scripts, python in ((SCRIPTS, "system"), (NUMERIC, "tabular")) for job in flat_jobs(scripts, python, HEADS)))
