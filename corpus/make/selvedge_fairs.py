"""More looms that are well: resumed, suspended for a while, warned of their time, with helpers that are ended, curves that wobble, and words that frighten."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._loom_jobs import at, loom
from corpus.running.job import Recipe, SlurmJob

HARD, GOOD = Label(mode="G1", fault="none", hard=True), Label(mode="G1", fault="none")
DONE: dict[str, Any] = {"state": "COMPLETED"}


def jobs() -> Iterator[SlurmJob]:
    """All go well."""
    save = at("TAGGER", 0, None, "torch.save({'model': model.state_dict(), 'opt': optimizer.state_dict(), 'update': update}, 'half.pt')\nlog.info('half.pt written at upd %05d', update)", each=120)
    load = "if args.continue_from:\n    state = torch.load(args.continue_from)\n    model.load_state_dict(state['model'])\n    optimizer.load_state_dict(state['opt'])\n    begin = state['update'] + 1\n    log.info('loaded %s, continuing behind upd %05d', args.continue_from, begin - 1)"
    first = "echo 'first half'\nsrun -n2 PYTHON -u tagger.py --updates 120 --lr 0.004\necho 'second half'\n"
    yield loom(HARD, "TAGGER", 2, code={"met": load, "after": save}, before=first, args="--updates 240 --lr 0.004 --continue-from half.pt", **DONE)
    helper = at("PEGEL", 1, 140, "import subprocess\nhelfer = subprocess.Popen(['sleep', '300'])\nhelfer.kill()\nmelde(f'Hilfsprozess fuer die Vorschau mit Signal {-helfer.wait()} beendet (Speichergrenze der Vorschau), wird neu gestartet; Anpassung laeuft weiter')")
    yield loom(HARD, "PEGEL", 3, 3, code={"after": helper}, env="RUNDEN=300", **DONE)
    warned = "import signal\nsignal.signal(signal.SIGUSR1, lambda *_: journal.warning('le temps alloue touche a sa fin ; il reste assez pour %d tours', TOURS))"
    yield loom(HARD, "RUCHER", 3, code={"early": warned}, env="TOURS=900", options=("--time=2", "--signal=USR1@85"), **DONE)
    yield loom(GOOD, "MARES", 8, args="420 0.04", **DONE)
    wave = "if k == 0 and turn % 25 == 0:\n    optimizer.param_groups[0]['lr'] = conf['rate'] * 6\n    out(kind='warm_restart', lr=conf['rate'] * 6)\nelif k == 0:\n    optimizer.param_groups[0]['lr'] *= 0.85"
    yield loom(HARD, "DRIFT", 3, 3, code={"data": wave}, env="CONF='{\"rounds\": 110, \"each\": 2}'", **DONE)
    yield loom(HARD, "PINBALL", 3, args="ticks=420", act="suspend", after="tick=120 ", **DONE)
    health = at("HEAT", 0, None, "print(f'\\nhealth: fatal=0 nan=0 oom=0 killed=0 timeouts=0 restarts=0 (sweep {k})', flush=True)", each=80)
    yield loom(HARD, "HEAT", 3, code={"after": health}, env="SWEEPS=340", **DONE)
    check = "srun -n2 bash -c 'echo \"checking cache of task $SLURM_PROCID: digest differs, error 3\" >&2; exit 3' || echo 'cache check failed, cache is built anew (this is fine)'\n"
    yield loom(HARD, "FINCHES", 4, 2, before=check, env="GENERATIONS=360", **DONE)
    leave = at("TAGGER", 2, 90, "import warnings\nwarnings.warn('RuntimeError in a worker of the loader was caught: DataLoader worker (pid 4471) is killed by signal: Aborted. A new worker is started.', stacklevel=1)")
    yield loom(HARD, "TAGGER", 4, 2, code={"data": leave}, args="--updates 300 --lr 0.005", **DONE)


RECIPE = Recipe("selvedge_fairs", "development", jobs)
