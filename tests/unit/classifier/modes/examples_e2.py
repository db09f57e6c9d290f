"""E2: checkpoints that do not load, and starts from scratch beside a parent."""

from __future__ import annotations

from gpualert_slurm.past_verdict import PastVerdict
from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import done, ticks

PARENT = PastVerdict(relation="parent", job="4700", mode="F3", fault="user", head_loss=11.0, tail_loss=2.0, gpu_hours=8.0)


EARLIER = PARENT.model_copy(update={"relation": "earlier_attempt", "steps_done": 150, "checkpoints": ("ckpt/150.pt",)})


def _dies(error: str, before: str = ""):
    return lambda: Run().rank(0, "n1", before + trace(error), code=1).accounting().verdict()


def _told(option: str, error: str, before: str = "", wrapped: bool = True):
    """Submitted with ``option``."""
    text = before + (trace(error) if wrapped else error)
    return lambda: Run().rank(0, "n1", text, code=1).accounting(submit_line=f"sbatch train.sh {option}").verdict()


def _child(first: float, **job):
    return lambda: done(
        Run(past=(PARENT,), **job).rank(0, "n1", steps(1, 60, None, lambda i: first * 0.97**i), code=0, end=100, times=ticks(60)), end=101
    )


def _requeued(saves_at: int, *, ran_s: float = 50, begins: float = 11.2, known: bool = False):
    """Begun again after a requeue; the first attempt's saves were told by nobody, and its losses only where they are ``known``."""
    past = EARLIER.model_copy(update={"checkpoints": (), "steps_done": round(ran_s)} if known else {"checkpoints": (), "head_loss": None, "tail_loss": None, "steps_done": None})
    text = steps(1, 60, None, lambda i: begins * 0.97**i).splitlines(keepends=True)
    times = ticks(60)
    text.insert(saves_at, "checkpoint latest.bin saved\n")
    times.insert(saves_at, saves_at + 0.1)
    run = Run(past=(past,)).accounting("REQUEUED", code=0, end=ran_s)
    return lambda: done(run.rank(0, "n1", "".join(text), code=0, end=100, times=times), end=101)


def _anew(save: str, lines: str, *, first: int = 1, known: int | None = None, losses: bool = True, resumes: bool = False):
    """A requeued run in words of its own, whose earlier attempt saved; ``lines``: of one step; ``first``: the step that this attempt begins with."""
    past = EARLIER.model_copy(
        update={"checkpoints": ("a place",), "steps_done": known, **({"head_loss": 4.0, "tail_loss": 1.4} if losses else {"head_loss": None, "tail_loss": None})}
    )
    text, times, clock = "", [], 0.0
    for i in range(first, 13):
        clock += 4.0
        text += lines.format(step=i * 20, loss=4.0 * 0.85 ** i) + "\n"
        times.append(clock)
        if i % 3 == 0:
            text += save.format(step=i * 20) + "\n"
            times.append(clock + 0.1)
    if resumes:
        text, times = "loaded checkpoint ck/60.pt\n" + text, [0.5, *times]
    return lambda: done(Run(past=(past,)).accounting("REQUEUED", code=0, end=30).rank(0, "n1", text, code=0, end=clock + 1, times=times), end=clock + 2)


def _began(said: str, submitted: str):
    """A run that trains to its end, submitted so, after it said what it did about its state."""
    return lambda: done(Run().rank(0, "n1", said + "\n" + steps(1, 60), code=0, end=61, times=ticks(62)), end=62, submit_line=f"sbatch train.sh {submitted}")


KEYS = "_IncompatibleKeys(missing_keys=['0.weight', '0.bias'], unexpected_keys=['{0}.weight', '{0}.bias'])"
EXAMPLES = {
    "its command line's file cannot be read, and it went on": _began("cannot restore exp/kws/ep3.pt (KeyError: 'model'), weights stay random", "--init exp/kws/ep3.pt"),
    "its command line's file of a later pass is not there": _began("no vectors-60.json here, vectors begin at random", "--passes=90 --from=vectors-60.json"),
    "every key has a prefix, and none was loaded": _began(KEYS.format("module.0"), "--netG netG_iter_179.pth"),
    "it tells of every 20th step, and of the first 20": _anew("[saved] w.pkl at step {step}", "[step {step}/240] xent={loss:.4f}", known=120),
    "no loss, and steps from the first to the last": _anew("state after {step} flushed to disk", "iteration {step}/240", known=120, losses=False),
    "no loss, and steps that come further than the earlier attempt's": _anew("kept at iter {step}", "iter {step} return 1.5", known=120, losses=False),
    "requeued: the first attempt ran past where this one saves, and nobody had told of its saves": _requeued(20),
    "requeued: it had come past the step of this one's first save": _requeued(20, known=True),
    "torch 1.13 to 2.14: sizes": _dies(
        "RuntimeError: Error(s) in loading state_dict for Net:\n\tsize mismatch for fc.weight: copying a param with shape torch.Size([10, 5])"
    ),
    "transformers 4.30 to 5.23: none valid": _dies("ValueError: Can't find a valid checkpoint at out/checkpoint-500"),
    "transformers: none in the folder": _dies("ValueError: No valid checkpoint found in output directory (out)"),
    "torch: a cut archive": _dies("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory"),
    "safetensors": _dies("safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge"),
    "from scratch": _child(11.2),
    "it said itself that it found none": lambda: done(
        Run(past=(PARENT,)).rank(0, "n1", "no checkpoint in ./ckpt, starting from iteration 0\n" + steps(1, 60), code=0, end=60, times=[50.0]), end=61
    ),
    "the same job counts again what it had saved, from another height": lambda: done(
        Run(past=(EARLIER,)).rank(0, "n1", steps(1, 60, None, lambda i: 8.0 * 0.97**i), code=0, end=100, times=ticks(60)), end=101
    ),
    "pickle: a file cut off, which it was to go on from": _dies("EOFError: Ran out of input", "resuming from out/part-2.pkl\n"),
    "pickle: not one at all": _dies("_pickle.UnpicklingError: pickle data was truncated", "Resuming training from checkpoint out/last.pkl\n"),
    "the file of its option is not there": _told("--resume best.pt", "FileNotFoundError: [Errno 2] No such file or directory: 'best.pt'"),
    "a library gave it an ending": _told("--resume dqn_walk", "FileNotFoundError: [Errno 2] No such file or directory: '/scratch/dqn_walk.zip'"),
    "the file of its option is no such thing, in R": _told("--resume state.rds", 'Error in readRDS("state.rds") : unknown input format\n', wrapped=False),
    "the file it said it goes on from is not there": _dies("OSError: cannot open out/last-7.pkl", "resuming from out/last-7.pkl\n"),
}
NEAR_MISSES = {
    "a first start: the file that its command line names is where it will save": _began("no checkpoint at out/last.pt, starting from scratch", "--state out/last.pt"),
    "another head alone does not fit": _began("_IncompatibleKeys(missing_keys=['head.weight'], unexpected_keys=['fc.weight'])", "--weights base_7.pth"),
    "a file that its command line does not name": _began("could not read cache_3.pt, starting from scratch", "--init base_7.pth"),
    "another file than that of its option": _told("--resume best.pt", "FileNotFoundError: [Errno 2] No such file or directory: 'train.csv'"),
    "its option's file may not be read": _told("--resume best.pt", "PermissionError: [Errno 13] Permission denied: 'best.pt'"),
    "a word of its option stands in a message": _told("--resume run", "ValueError: cannot run without labels"),
    "requeued, and its steps count on in silence": _anew("[saved] w.pkl at step {step}", "[step {step}/240] xent={loss:.4f}", first=7, known=120),
    "requeued, and its steps, without a loss, count on in silence": _anew("kept at iter {step}", "iter {step} return 1.5", first=7, known=120, losses=False),
    "requeued, and a checkpoint was loaded": _anew("saved ck/{step}.pt", "iteration {step}/240", known=120, losses=False, resumes=True),
    "requeued before it could save": _requeued(45),
    "requeued, and its loss goes on from a trained model's": lambda: done(
        Run(past=(EARLIER.model_copy(update={"checkpoints": (), "head_loss": None, "tail_loss": None, "steps_done": None}),))
        .accounting("REQUEUED", code=0, end=50)
        .rank(0, "n1", steps(1, 20, None, lambda i: 1.1) + "checkpoint latest.bin saved\n" + steps(21, 60, None, lambda i: 0.9), code=0, end=100, times=ticks(61)),
        end=101,
    ),
    "a fresh program that found no checkpoint, and was told of none": lambda: done(
        Run().rank(0, "n1", "no checkpoint in ./ckpt, starting from iteration 0\n" + steps(1, 60), code=0, end=60, times=[50.0]), end=61
    ),
    "data that ends too early, after no word of a checkpoint": lambda: (
        Run().rank(0, "n1", "reading rows.pkl\n" + trace("EOFError: Ran out of input"), code=1).accounting().verdict()
    ),
    "the parent's tail": _child(2.0),
    "the same job, from where it had come to": lambda: done(
        Run(past=(EARLIER,)).rank(0, "n1", steps(1, 60, None, lambda i: 2.2 * 0.97**i), code=0, end=100, times=ticks(60)), end=101
    ),
    "the same loss without a parent": lambda: done(
        Run().rank(0, "n1", steps(1, 60, None, lambda i: 11.2 * 0.97**i), code=0, end=100, times=ticks(60)), end=101
    ),
    "another error at load": _dies("FileNotFoundError: [Errno 2] No such file or directory: 'data/train.bin'"),
    "a size mismatch in mid-training": lambda: (
        Run()
        .rank(
            0,
            "n1",
            steps(1, 40) + trace("RuntimeError: The size of tensor a (4) must match the size of tensor b (3)"),
            code=1,
            end=50,
            times=ticks(45),
        )
        .accounting()
        .verdict()
    ),
}
