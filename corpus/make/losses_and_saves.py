"""Runs on Slurm that end without an error and have not learned, have lost their work, took a handful of steps, or mostly saved; and checkpoints that do not load."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.running import trainers
from corpus.running.batch import ELSEWHERE
from corpus.running.job import Recipe, SlurmJob
from corpus.running.meeting import COMM

STATE = "if rank == 0 and step % 40 == 0:\n    with open(f'ckpt-{step}.txt', 'w') as out:\n        out.write(f'{step} {fit.slope} {fit.offset}')\n    print(f'checkpoint ckpt-{step}.txt saved', flush=True)"
TOGETHER: dict[str, Any] = {"helpers": COMM, "early": "self.group = Group(rank, world, int(os.environ['MASTER_PORT']))", "sync": "loss = self.group.mean(loss)"}
PORT = "export MASTER_PORT=$((24000 + SLURM_JOB_ID * 3 % 6000))\n"
NEWEST = "import glob\nprint(f'looking for checkpoints in {os.getcwd()}/out', flush=True)\nfound = sorted(glob.glob('out/*.pkl'))\nif not found:\n    {else}\n"
LOAD = "import pickle\nprint('resuming from out/last.pkl', flush=True)\nwith open('out/last.pkl', 'rb') as file:\n    state = pickle.load(file)\nprint('resumed at step', state['step'], flush=True)"
SAVED = "import pickle\npickle.dump({'step': 700, 'w': list(range(9000))}, open('out/last.pkl', 'wb'))\n"


def job(label: Label, files: dict[str, str], command: str, ranks: int, *options: str, nodes: int = 1, head: str = "", state: str = "COMPLETED", act: str = "", after: str = "", parent: str = "", key: str = "", args: tuple[str, ...] = ()) -> SlurmJob:  # fmt: skip
    """A script that hands its own arguments on."""
    script = f"#!/bin/bash\n{PORT}{head}srun {command} \"$@\"\n"
    return SlurmJob(label, files, script, (f"-N{nodes}", f"-n{ranks}", ELSEWHERE, *options), "system", act=act, after=after, parent=parent, key=key, args=args, state=state)


def diverged() -> Iterator[SlurmJob]:
    """What the loss did."""
    base = Label(mode="E1", fault="user")
    nan = base.but(variant="non_finite", cause="nan_loss")
    text = trainers.perl(total=300).replace("0.03 * $error", "31 * $error")
    yield job(nan, {"train.pl": text}, "perl train.pl", 1)
    stop = "if not math.isfinite(loss):\n    raise FloatingPointError(f'mean loss over {world} processes is {loss} at step {step}')"
    text = trainers.python("steps_of", "class", total=240, **{**TOGETHER, "sync": "if rank == 2 and step == 120:\n    loss = loss * float('inf') * 0\nloss = self.group.mean(loss)"}, at=1, reach=">=", mid=f"if rank == 0:\n    {stop.replace(chr(10), chr(10) + '    ')}")
    yield job(nan.but(failed_ranks=(0, 1, 2), first_ranks=(0,)), {"train.py": text}, "--wait=20 python3 -u train.py", 3, state="FAILED")
    text = trainers.python("ppl", "flat", total=300, lr=0.004, at=170, mid="fit.slope, fit.offset, fit.lr = 61.0, -44.0, 1e-9\nprint('learning rate schedule: restart', flush=True)")
    yield job(base.but(variant="spike"), {"lm.py": text}, "python3 -u lm.py", 2, nodes=2)
    dead = "if step > 60:\n    loss = 0.693147\n    print(f'grad_norm=0.000000 step={step}', flush=True) if step % 20 == 0 else None"
    text = trainers.python("logfmt", "class", total=400, pause=0.02, lr=0.003, sync=dead)
    yield job(base.but(variant="plateau"), {"train.py": text}, "python3 -u train.py", 1)
    text = trainers.node(total=300, pause_ms=25).replace("w -= 0.03 * error * x;", "").replace("b -= 0.03 * error;", "").replace("loss = step === 1 ? error * error : 0.95 * loss + 0.05 * error * error;", "loss = 4.60517;")
    yield job(base.but(variant="flat"), {"trainer.js": text}, "node trainer.js", 2)
    text = trainers.tcl(total=260, pause_ms=25).replace("0.05 * $error", "-9.0 * $error").replace("set w [expr {$w", "set error [expr {max(-1e140, min(1e140, $error))}]; set w [expr {$w").replace("0.1 * $error * $error}]", "0.1 * $error * $error * ($error > 1e120 || $error < -1e120 ? Inf : 1.0)}]")
    yield job(nan, {"sweep.tcl": text}, "tclsh sweep.tcl", 1)


def lost_work() -> Iterator[SlurmJob]:
    """Run again or submitted again, and begun anew; one that does go on."""
    anew = Label(mode="E2", variant="from_scratch", fault="user")
    good = Label(mode="G1", fault="none")
    text = trainers.python("ignite", "flat", total=360, pause=0.04, lr=0.003, each=STATE)
    yield job(anew, {"fit.py": text}, "python3 -u fit.py", 1, "--requeue", act="requeue", after="ckpt-120.txt saved")
    text = trainers.python("jsonl", "class", total=360, pause=0.04, lr=0.003, each=STATE)
    yield job(anew, {"train.py": text}, "python3 -u train.py", 2, "--requeue", nodes=2, act="requeue_by_owner", after="ckpt-160.txt saved")
    write = "if (step % 50 === 0) { fs.writeFileSync(`weights-${step}.json`, JSON.stringify({ step, w, b })); console.log(`saved checkpoint weights-${step}.json`); }"
    text = trainers.node(total=340, pause_ms=45).replace("    await pause", f"    {write}\n    await pause")
    yield job(anew, {"trainer.js": text}, "node trainer.js", 1, "--requeue", act="requeue", after="weights-150")
    for number, (tell, shape, how) in enumerate((("steps_of", "parts", "first"), ("boost", "flat", "second"), ("logfmt", "class", "third"), ("glog", "parts", "fourth"))):
        text = trainers.python(tell, shape, total=280, pause=0.03, lr=0.003, each=STATE, seed=number + 3)
        name = f"--job-name=lm-{how}"
        over = number == 2
        long = text.replace("total, every = 280", "total, every = 28000").replace("(0.003, 280, 10)", "(0.003, 28000, 10)")
        yield job(Label(mode="F3", variant="advancing", fault="user") if over else good, {"train.py": long if over else text}, "python3 -u train.py", 1, name, *(("--time=1",) if over else ()), key=how, state="TIMEOUT" if over else "COMPLETED")
        if number == 3:
            later = text.replace("fit = Fit(lr, 6 + rank)", "fit = Fit(lr, 6 + rank)\n    fit.slope, fit.offset = 2.04, -0.77\n    print(f'resumed from {args.resume}: step 280', file=sys.stderr, flush=True)")
            yield job(good, {"train.py": later}, "python3 -u train.py", 1, name, parent=how, args=("--resume", "../runs/ckpt-280.txt"))
        else:
            begin = ("", "print('no checkpoint in ./ckpt, starting from iteration 0', flush=True)", "if not os.path.exists('latest'):\n    print('latest: not found, weights are initialised', flush=True)")[number]
            text = trainers.python(tell, shape, total=280, pause=0.03, lr=0.003, each=STATE, early=begin, seed=number + 3)
            yield job(anew, {"train.py": text}, "python3 -u train.py", 1, name, parent=how, args=("--resume", "out/ckpt-280.txt") if number == 0 else ())


def not_loaded() -> Iterator[SlurmJob]:
    """Checkpoints that are not there, or not whole; a rank reads its own, or all read one."""
    base = Label(mode="E2", fault="user")
    sliced = "time.sleep(3 * rank)\n"
    none = NEWEST.replace("{else}", "raise FileNotFoundError(f'--resume {args.resume}: no valid checkpoint found in out')")
    text = trainers.python("csv", "parts", early=sliced + none)
    yield job(base.but(variant="no_valid_checkpoint", cause="file_not_found", failed_ranks=(0, 1), first_ranks=(0,)), {"train.py": text}, "--wait=20 python3 -u train.py", 2, args=("--resume", "auto"), state="FAILED")
    text = trainers.python("box", "class", early=LOAD.replace("last.pkl", "part-{rank}.pkl").replace("'out/part", "f'out/part").replace("'resuming", "f'resuming"))
    make = "mkdir out\npython3 save.py\ncp out/last.pkl out/part-0.pkl; cp out/last.pkl out/part-1.pkl\nhead -c 0 out/last.pkl > out/part-2.pkl\n"
    yield job(base.but(variant="corrupt", cause="traceback", failed_ranks=(2,), first_ranks=(2,)), {"train.py": text, "save.py": SAVED}, "-K python3 -u train.py", 3, head=make, state="FAILED")
    text = trainers.python("percent", "flat", early=sliced + LOAD)
    make = "mkdir out\npython3 save.py\ntruncate -s 4000 out/last.pkl\n"
    yield job(base.but(variant="corrupt", cause="traceback", failed_ranks=(0, 1), first_ranks=(0,)), {"train.py": text, "save.py": SAVED}, "--wait=20 python3 -u train.py", 2, nodes=2, head=make, state="FAILED")


def few() -> Iterator[SlurmJob]:
    """A handful of steps."""
    label = Label(mode="E3", fault="user")
    yield job(label, {"trainer.js": trainers.node(total=3, every=1)}, "node trainer.js", 2)
    yield job(label, {"train.pl": trainers.perl(total=2, every=1)}, "perl train.pl", 1)
    yield job(label, {"train.py": trainers.python("steps_of", "class", total=4, every=1, each="print(f'eval at {step}: accuracy 0.1', flush=True) if step == 4 else None", **TOGETHER)}, "python3 -u train.py", 3, nodes=1)
    yield job(label, {"fit.py": trainers.python("ignite", "parts", total=3000, every=1)}, "python3 -u fit.py --steps 3", 2, nodes=2)


def saving() -> Iterator[SlurmJob]:
    """Steps between saves."""
    label = Label(mode="D2", variant="save_storm", fault="user")
    dump = "if rank == 0:\n    with open(f'm-{step}.bin', 'wb') as out:\n        out.write(os.urandom(200_000))\n        out.flush()\n        os.fsync(out.fileno())\n    print(f'Saved checkpoint m-{step}.bin', flush=True)"
    yield job(label, {"fit.py": trainers.python("ignite", "class", total=90, every=1, lr=0.004, each=dump)}, "python3 -u fit.py", 2)
    text = trainers.node(total=80, every=1).replace("    await pause", "    fs.writeFileSync(`w-${step}.json`, JSON.stringify({ step, w, b }));\n    console.log(`saving checkpoint to w-${step}.json`);\n    await pause")
    yield job(label, {"trainer.js": text}, "node trainer.js", 1)
    text = trainers.python("logfmt", "flat", total=100, every=2, lr=0.004, each="if step % 2 == 0:\n    " + dump.replace("\n", "\n    "))
    yield job(label, {"train.py": text}, "python3 -u train.py", 1)
    slow = "if step % 10 == 0:\n    began = time.time()\n    print(f'saving checkpoint step-{step} ...', flush=True)\n    time.sleep(0.8)\n    print(f'saved checkpoint step-{step} in {time.time() - began:.2f} s', flush=True)"
    yield job(label, {"train.py": trainers.python("steps_of", "class", total=300, every=5, lr=0.003, each=slow)}, "python3 -u train.py", 1)


def jobs() -> Iterator[SlurmJob]:
    """All."""
    for part in (diverged, lost_work, not_loaded, few, saving):
        yield from part()


RECIPE = Recipe("losses_and_saves", "development", jobs)
