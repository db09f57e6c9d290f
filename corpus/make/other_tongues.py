"""Small loops that speak German, French, Chinese or a logger's dialect, and end badly, or after a handful of turns."""

from corpus.make.loud_but_fine import HEADS, fit
from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import Recipe

SCRIPTS = (
    Flat(fit(61) + "with open('/etc/anpassung.json', 'w') as f:\n    f.write(str(w))", "A3", "permission", script="anpassung.py"),
    Flat("import sys\nsys.path.insert(0, 'lib')\nimport daten\n" + fit(26), "A1", "missing_module", "env", "train_zh.py"),
    Flat(fit(57, "if i == 99:\n    raise AssertionError('poids négatif')"), "A3", "assertion", script="ajuste.py"),
    Flat(fit(20, "if i > 100:\n    assert w < 1, '权重过大'"), "A3", "assertion", script="xunlian.py"),
    Flat(fit(49, "if i == 120:\n    import klassifikation.metriken"), "A3", "missing_module", script="anpassung.py"),
    Flat(fit(16, "if i == 130:\n    print(100 % len([p for p in [] if p]))"), "A3", "div_zero", script="fit.py"),
    Flat("import json\nprint('配置: config.json')\nconfig = json.loads('{\"lr\": 0.1,}')\n" + fit(44), "A1", "traceback", "config", "xunlian.py"),
    Flat("import argparse\np = argparse.ArgumentParser()\np.add_argument('--stufe', choices=['eins', 'zwei'])\np.parse_args(['--stufe', 'drei'])\n" + fit(7), "A1", None, "config", "anpassung.py", status=2),
    Flat("rows = [float(v) for v in '3.1 2.9 n/a 3.3'.split()]\n" + fit(41), "A1", "traceback", "data", "fit.py"),
    Flat("total = 0\nbatches = total // 32\nprint(f'{total} images, {batches} batches', flush=True)\nper_epoch = 1000 / batches\n" + fit(66), "A1", "div_zero", "data", "fit.py"),
    Flat("assert {'train', 'dev'} <= {'train'}, 'split dev is missing in the index'\n" + fit(34), "A1", "assertion", "data", "fit.py"),
    Flat("open('/proc/1/mem', 'rb').read(4)\n" + fit(60), "A1", "permission", "data", "fit.py"),
    Flat(fit(24, "if i == 111:\n    import ctypes\n    ctypes.CDLL('libc.so.6').memcpy(ctypes.c_void_p(4096), b'x' * 64, 64)"), "A2", "segfault", script="fit.py", status=-11),
    Flat("import sys\nsys.setrecursionlimit(10**8)\nprint('lese Baum', flush=True)\n\nclass Knoten:\n    def __repr__(self):\n        return repr(self) + '.'\n\nprint(len(repr(Knoten())))\n" + fit(55), "A2", "segfault", script="anpassung.py", status=-11),
    Flat(fit(20, "if i == 140:\n    import faulthandler\n    faulthandler.enable()\n    faulthandler._sigsegv()"), "A2", "segfault", script="xunlian.py", status=-11),
    Flat(fit(53, "if i == 90:\n    import threading\n    raise RuntimeError('release unlocked lock') if not threading.Lock().locked() else 0"), "A3", "runtime_error", script="fit.py"),
    Flat("import multiprocessing as mp\nmp.set_start_method('fork')\nmp.set_start_method('spawn')\n" + fit(15), "A1", "runtime_error", "config", script="ajuste.py"),
    Flat("import sklearn.ensemble\n" + fit(46), "A1", "missing_module", "env", "fit.py"),
    Flat(fit(7, "if i == 95:\n    w += 4000.0 * (-1) ** i\n    target -= w\n    random.gauss = lambda m, s: 300.0"), "E1", None, "spike", "anpassung.py", status=0),
    Flat(fit(16, "if i >= 88:\n    w = w * 1.21 + 5"), "E1", None, "spike", "fit.py", status=0),
    Flat("stapel = [3, 4, 5]\nprint('Stapelgröße', stapel)\ngewicht = sum(stapel) / (len(stapel) - 3)\n" + fit(13), "A1", "div_zero", "data", "anpassung.py"),
    Flat("kanäle = {'rot': 0, 'grün': 1}\nassert 'blau' in kanäle\n" + fit(19), "A1", "assertion", "config", "anpassung.py"),
    Flat(fit(6, n=6, every=2) + "print('short check over')", "E3", script="fit.py"),
    Flat(fit(39, n=4, every=1) + "print('fin')", "E3", script="ajuste.py"),
    Flat(fit(68, n=2, every=1) + "print('完成')", "E3", script="xunlian.py"),
)  # fmt: skip
RECIPE = Recipe("other_tongues", "development", lambda: flat_jobs(SCRIPTS, "system", HEADS))
