"""One job, several stages or trials: a teacher and its student, a table of trials, and a net in C."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, SAVES, alone, ctrl_c, fell, strays
from corpus.make._dressing_rows import NET, PARITY, SOFTEN, STAGES, TRIALS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

G, T, C = "stages.sh", "trials.py", "parity.c"
net, trials = partial(fill, NET), partial(fill, TRIALS)


def row(label: Label, *env: str, stages: str = "", text: str = "", soften: str = "", **more: Any) -> LocalJob:
    """Four stages."""
    files = {"net.py": text or net(), "soften.py": soften or fill(SOFTEN)} | more.pop("files", {})
    return alone(label, stages or fill(STAGES), G, command=("env", "PY=PYTHON", *env, "bash", G), files=files, **more)


ONCE = (("env", "PY=PYTHON", "bash", G),)
COPY = 'rsync -a "$DIR/" backup:/vault/student/ 2>&1 || echo "warning: copy to the vault failed ($?), it is tried again tonight"\ncurl -sf http://127.0.0.1:9/ping || echo "warning: nobody listens at the status page (exit $?)"'
HALF = "if a.role == 'student' and e == 9:\n    X = X[:850]; Y = Y[:850]; soft = soft[:700]"
LOGS = "if a.role == 'student' and e >= 7:\n    loss = loss + 0.1 * (out - out.max(1, keepdim=True).values).abs().log().mean() * 0"
WEIGHTS = "if a.role == 'teacher':\n    t1 = time.time()\n    import bz2\n    with open(f'{a.dir}/teacher.all.bz2', 'wb') as f:\n        f.write(bz2.compress(X.numpy().tobytes() * 12))\n    print(f'   teacher.all.bz2 rewritten, {time.time() - t1:.2f} s', flush=True)"


def teachers() -> Iterator[LocalJob]:
    """A shell and what it starts."""
    yield row(GOOD, "EPOCHS=14")
    yield row(HARD, "EPOCHS=12", before=ONCE, files={"notes.txt": "second go\n"})
    yield row(HARD, "EPOCHS=13", "STUDENT=--lr 0.002", stages=fill(STAGES, three=COPY))
    yield row(fell("A3", None), "EPOCHS=12", "SOFTEN=--rows 600")
    yield row(fell("A3", "traceback"), "EPOCHS=12", "STUDENT=--nap 0.1", text=net(after=HALF))
    yield row(fell("A1", None, "config"), "EPOCHS=40", "TEACHER=--dropout 0.3")
    yield row(strays("non_finite", "nan_loss"), "EPOCHS=8", text=net(loss=LOGS))
    yield row(fell("E2", "runtime_error", "size_mismatch"), "EPOCHS=40", "TEACHER=--width 96 --from work/old.pt", before=(*ONCE, ("mv", "work/teacher.pt", "work/old.pt")))
    yield row(SAVES, "EPOCHS=2", "DIR=night", text=net(step=WEIGHTS))
    yield row(fell("A2", None, fault="unknown"), "EPOCHS=4000", signal=ctrl_c("ep 40/4000", "KILL", 0.1, "net.py"), ends=lambda s: s == 137)


FAILS = "if k in (2, 4):\n    raise ValueError(f'lr {s[\"lr\"]} is too high for {s[\"kind\"]}: loss is nan after 11 steps') if k == 2 else RuntimeError('[enforce fail at alloc_cpu.cpp:124] err == 0. DefaultCPUAllocator: can\\'t allocate memory')"


def search() -> Iterator[LocalJob]:
    """A table with lines between."""
    yield alone(GOOD, trials(), T, env={"FINAL": "360"})
    yield alone(HARD, trials(trial=FAILS), T, env={"TRIALS": "7", "SEED": "5"})
    yield alone(fell("A3", "traceback"), trials(best="s = dict(s, wd=1e-4)"), T, env={"TRIALS": "5"})
    yield alone(fell("A1", "traceback", "config"), trials(trial="raise ValueError(f'hidden={s[\"hidden\"]} does not divide 20')"), T, env={"TRIALS": "4", "SEED": "3"})
    yield alone(strays("flat"), trials(loss="loss = loss.detach().requires_grad_()"), T, env={"TRIALS": "4", "FINAL": "480"})
    yield alone(HANDFUL, trials(), T, env={"TRIALS": "2", "STEPS": "1", "FINAL": "3"})


def compiled(label: Label, args: str, *, early: str = "", item: str = "", after: str = "", **more: Any) -> LocalJob:
    """C."""
    text = PARITY.replace("/*: early */", early).replace("/*: item */", item).replace("/*: after */", after)
    return alone(label, text, C, python="system", command=("bash", "-c", f"cc -O1 -o parity {C} -lm && exec ./parity {args}"), **more)


BUILT = (("bash", "-c", f"cc -O1 -o parity {C} -lm && ./parity 40 0.5"),)


def bits() -> Iterator[LocalJob]:
    """A compiled program."""
    yield compiled(GOOD, "120 0.5")
    yield compiled(HARD, "130 0.3 parity.w", before=BUILT)
    yield compiled(fell("A2", "segfault"), "4000 0.5", after="if (pass == 46) { double *row = NULL; for (int b = 0; b < BITS; b++) ce += row[b]; printf(\"%f\\n\", ce); }", ends=lambda s: s == -11)
    yield compiled(fell("A2", None), "4000 0.4", after="if (pass == 34) { char *volatile p = malloc(24); free(p); free(p); }", ends=lambda s: s == -6)
    yield compiled(strays("non_finite", "nan_loss"), "100 0.5", item="if (pass > 52) d /= (p - p);")
    yield compiled(fell("E2", None, "corrupt"), "4000 0.5 parity.w", before=(*BUILT, ("truncate", "-s", "300", "parity.w")))
    yield compiled(HALTED, "90000 0.2", signal=ctrl_c("pass   60 ", "INT"))


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from teachers()
    yield from search()
    yield from bits()


RECIPE = Recipe("umbrella_stands", "development", jobs)
