"""Jobs in plain Python and in steps of a shell script: a tagger (Polish), molecules; under gpualert-run."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._marble_steps import FIT, JOB, PREPARE, SEND, TAGGER
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

tagger, fit, steps, prepare = partial(fill, TAGGER), partial(fill, FIT), partial(fill, JOB), partial(fill, PREPARE)
T = "tagger.py"

DONE = (("PYTHON", T, "epoki:6"),)
SOURCE = "powiedz(90, 'program:')\nprint(open(__file__, encoding='utf-8').read()[-1900:])"
DEEP = "if epoka == 5:\n    def drzewo(n):\n        return [n, drzewo(n + 1)]\n    drzewo(0)"
PARSE = "dane += [[tuple(s.rsplit('/', 1)) for s in linia.split()] for linia in open('korpus.txt', encoding='utf-8')]\nfor z in dane:\n    for slowo, t in z:\n        if t not in SLOWNIK:\n            raise ValueError(f'korpus.txt: nieznana część mowy {t!r} przy słowie {slowo!r}')"
DUMPS = "if nr % 4 == 0:\n    t1 = time.time()\n    with open(f\"{OPC['katalog']}/kopia.json\", 'w') as f:\n        json.dump(wagi, f, indent=1)\n    with open(f\"{OPC['katalog']}/kopia.pkl\", 'wb') as f:\n        pickle.dump([dict(wagi), dane], f)\n        f.flush()\n        os.fsync(f.fileno())\n    powiedz(35, f'kopia po zdaniu {nr}: {time.time() - t1:.3f} s')"


def tags() -> Iterator[LocalJob]:
    """Polish."""
    kw: dict[str, Any] = {"python": "system"}
    yield alone(GOOD, tagger(), T, "epoki:14", "zdania:500", **kw)
    yield alone(HARD, tagger(early=SOURCE), T, "epoki:12", "nasiono:9", **kw)
    yield alone(HARD, tagger(), T, "epoki:15", "wznow:tagger/stan-6.json", before=DONE, **kw)
    yield alone(fell("A1", "missing_module", "env"), tagger(early="import numpy as np"), T, "epoki:400", **kw)
    yield alone(fell("A1", "traceback", "data"), tagger(dane=PARSE), T, "epoki:400", files={"korpus.txt": "kot/N widzi/V dom/N\nstary/ADJ pies/N\n"}, **kw)
    yield alone(fell("A1", "traceback", "config"), tagger(), T, "epok:400", **kw)
    yield alone(fell("A3", "traceback"), tagger(epoka=DEEP), T, "epoki:400", **kw)
    yield alone(fell("A3", "permission"), tagger(epoka="if epoka == 4:\n    open('wspolne/najlepszy.json', 'w').write('{}')"), T, "epoki:400", folders=("wspolne",), locked=("wspolne",), **kw)
    yield alone(strays("flat"), tagger(), T, "epoki:32", "zdania:150", "krok:0", **kw)
    yield alone(fell("E2", "traceback", "corrupt"), tagger(), T, "epoki:400", "wznow:tagger/stan-6.json", before=(*DONE, ("truncate", "-s", "5000", "tagger/stan-6.json")), **kw)
    yield alone(fell("E2", "file_not_found", "no_valid_checkpoint"), tagger(), T, "epoki:400", "wznow:tagger/stan-60.json", before=DONE, **kw)
    yield alone(SAVES, tagger(zdanie=DUMPS), T, "epoki:4", "zdania:200", **kw)
    yield alone(STANDS, tagger(epoka="if epoka == 7:\n    import threading\n    powiedz(36, 'czekam na wątek oceniający')\n    threading.Barrier(2).wait()"), T, "epoki:900", timeout_s=42, **kw)
    yield alone(fell("A2", None, fault="unknown"), tagger(), T, "epoki:4000", "kwant:0.0005", signal=ctrl_c(r"epoka 9/4000", "KILL", 0.3, T), ends=lambda s: s == -9, **kw)
    yield alone(LATE, tagger(), T, "epoki:9000", "kwant:0.001", timeout_s=30, **kw)
    yield alone(HALTED, tagger(), T, "epoki:9000", "kwant:0.001", signal=ctrl_c(r"epoka 13/9000"), **kw)


def three(label: Label, *, job: str = "", prep: str = "", fitted: str = "", send: str = SEND, env: Mapping[str, str] | None = None, command: tuple[str, ...] = ("env", "PY=PYTHON", "bash", "job.sh"), **more: Any) -> LocalJob:
    """The script and its steps."""
    files = {"prepare.py": prep or prepare(), "fit.py": fitted or fit(), "send.sh": send}
    return alone(label, job or steps(flags="set -e"), "job.sh", files=files, command=command, env=dict(env or {}), **more)


ONCE = (("env", "PY=PYTHON", "STEPS=prepare fit", "FIT_ARGS=--iters 200", "bash", "job.sh"),)
HASH = "text = open(a.out).read().replace(',logS', ',log_s')\nopen(a.out, 'w').write(text)"
UNDER = "if it == 330:\n    import ctypes\n    print('conformers through libff', flush=True)\n    ctypes.string_at(8)"
EATS = "if it == 270:\n    pairs = [bytearray(b'p' * (20 << 20)) for _ in range(100)]"
OLD = "print(f\"=> no checkpoint found at '{a.resume.replace('.tar', '')}'\")\na.resume = ''"
LOADS = FIT[FIT.index("    c = torch.load(a.resume)") : FIT.index("#: ready")]
ODD = "if it == 240:\n    print('UserWarning: 3 molecules with logS = nan were replaced by the median; error bars not computed', file=sys.stderr, flush=True)"


def molecules() -> Iterator[LocalJob]:
    """Shell."""
    yield three(GOOD, env={"FIT_ARGS": "--iters 900", "TAG": "sol3", "STEPS": "prepare fit"})
    yield three(HARD, fitted=fit(step=ODD), env={"FIT_ARGS": "--iters 750 --lr 0.005", "TAG": "sol4"})
    yield three(HARD, job=steps(flags="set -e", before="module load cuda/12.4 2>&1 || say 'no modules here, going on with the container'\nnvidia-smi || say 'nvidia-smi failed, ignored'"), env={"FIT_ARGS": "--iters 600"})
    yield three(HARD, env={"STEPS": "fit send", "FIT_ARGS": "--iters 700 --resume results/fit_200.pth.tar"}, before=ONCE)
    yield three(fell("A1", "traceback", "data"), prep=prepare(table=HASH), env={"FIT_ARGS": "--iters 90000"})
    yield three(fell("A1", None, "env"), job=steps(flags="set -eo pipefail", before="nvcc --version | tail -1"), ends=lambda s: s == 127)
    yield three(fell("A1", None, "config"), env={"FIT_ARGS": "--iters 90000 --width 64 --scheduler cosine"})
    yield three(fell("A3", "runtime_error"), fitted=fit(batch="if it == 410:\n    X = torch.cat([X, X[:, :1]], 1)"), env={"FIT_ARGS": "--iters 90000"})
    yield three(fell("A2", "segfault"), fitted=fit(step=UNDER), env={"FIT_ARGS": "--iters 90000"}, ends=lambda s: s == 139)
    yield three(fell("A2", "oom_killer"), fitted=fit(step=EATS), env={"FIT_ARGS": "--iters 90000"}, group_mib=900, ends=lambda s: s in (137, -9))
    yield three(strays("non_finite", "nan_loss"), env={"FIT_ARGS": "--iters 900 --lr 90 --print-freq 25", "STEPS": "prepare fit"})
    yield three(fell("E2", "runtime_error", "size_mismatch"), env={"STEPS": "fit send", "FIT_ARGS": "--iters 90000 --width 48 --resume results/fit_200.pth.tar"}, before=ONCE)
    yield three(anew(), fitted=fit().replace(LOADS, "    " + OLD.replace("\n", "\n    ") + "\n"), env={"STEPS": "fit", "FIT_ARGS": "--iters 600 --resume results/fit_200.pth.tar"}, command=("bash", "-c", "export PY=PYTHON; STEPS='prepare fit' FIT_ARGS='--iters 400' bash job.sh && bash job.sh"))
    yield three(HANDFUL, env={"FIT_ARGS": "--iters 3 --print-freq 1", "TAG": "paper", "STEPS": "prepare fit send"})
    yield three(LATE, env={"FIT_ARGS": "--iters 500000 --nap 0.01 --lr 0.001"}, timeout_s=30)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from tags()
    yield from molecules()


RECIPE = Recipe("marble_sinks", "development", jobs)
