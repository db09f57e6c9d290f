"""Test part: small loops that speak German, French, Chinese or a logger's dialect, and end badly, or after a handful of turns."""

from corpus.make.loud_but_fine import HEADS, fit
from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import Recipe

SCRIPTS = (
    Flat(fit(1) + "with open('/etc/anpassung.json', 'w') as f:\n    f.write(str(w))", "A3", "permission", script="anpassung.py"),
    Flat("import sys\nsys.path.insert(0, 'lib')\nimport daten\n" + fit(2), "A1", "missing_module", "env", "train_zh.py"),
    Flat(fit(3, "if i == 99:\n    raise AssertionError('poids négatif')"), "A3", "assertion", script="ajuste.py"),
    Flat(fit(2, "if i > 100:\n    assert w < 1, '权重过大'"), "A3", "assertion", script="xunlian.py"),
    Flat(fit(1, "if i == 120:\n    import klassifikation.metriken"), "A3", "missing_module", script="anpassung.py"),
    Flat(fit(4, "if i == 130:\n    print(100 % len([p for p in [] if p]))"), "A3", "div_zero", script="fit.py"),
    Flat("import json\nprint('配置: config.json')\nconfig = json.loads('{\"lr\": 0.1,}')\n" + fit(2), "A1", "traceback", "config", "xunlian.py"),
    Flat("import argparse\np = argparse.ArgumentParser()\np.add_argument('--stufe', choices=['eins', 'zwei'])\np.parse_args(['--stufe', 'drei'])\n" + fit(1), "A1", None, "config", "anpassung.py", status=2),
    Flat("rows = [float(v) for v in '3.1 2.9 n/a 3.3'.split()]\n" + fit(5), "A1", "traceback", "data", "fit.py"),
    Flat("total = 0\nbatches = total // 32\nprint(f'{total} images, {batches} batches', flush=True)\nper_epoch = 1000 / batches\n" + fit(0), "A1", "div_zero", "data", "fit.py"),
    Flat("assert {'train', 'dev'} <= {'train'}, 'split dev is missing in the index'\n" + fit(4), "A1", "assertion", "data", "fit.py"),
    Flat("open('/proc/1/mem', 'rb').read(4)\n" + fit(0), "A1", "permission", "data", "fit.py"),
    Flat(fit(0, "if i == 111:\n    import ctypes\n    ctypes.CDLL('libc.so.6').memcpy(ctypes.c_void_p(4096), b'x' * 64, 64)"), "A2", "segfault", script="fit.py", status=-11),
    Flat("import sys\nsys.setrecursionlimit(10**8)\nprint('lese Baum', flush=True)\n\nclass Knoten:\n    def __repr__(self):\n        return repr(self) + '.'\n\nprint(len(repr(Knoten())))\n" + fit(1), "A2", "segfault", script="anpassung.py", status=-11),
    Flat(fit(2, "if i == 140:\n    import faulthandler\n    faulthandler.enable()\n    faulthandler._sigsegv()"), "A2", "segfault", script="xunlian.py", status=-11),
    Flat(fit(5, "if i == 90:\n    import threading\n    raise RuntimeError('release unlocked lock') if not threading.Lock().locked() else 0"), "A3", "runtime_error", script="fit.py"),
    Flat("import multiprocessing as mp\nmp.set_start_method('fork')\nmp.set_start_method('spawn')\n" + fit(3), "A1", "runtime_error", "config", script="ajuste.py"),
    Flat("import sklearn.ensemble\n" + fit(4), "A1", "missing_module", "env", "fit.py"),
    Flat(fit(0, n=6, every=2) + "print('short check over')", "E3", script="fit.py"),
    Flat(fit(3, n=4, every=1) + "print('fin')", "E3", script="ajuste.py"),
    Flat(fit(2, n=2, every=1) + "print('完成')", "E3", script="xunlian.py"),
)  # fmt: skip
RECIPE = Recipe("other_tongues", "test", lambda: flat_jobs(SCRIPTS, "system", HEADS))
