"""Runs that went well on several ranks and alone: plain ones, and ones with words, warnings and retries that sound otherwise."""

from collections.abc import Iterator

from corpus.make._wren_jobs import FINE, LOUD, WELL, sh, task, when
from corpus.make._wren_keeps import KEEPS
from corpus.running.job import Recipe, SlurmJob

NAP = "time.sleep(0.05)"


def plain() -> Iterator[SlurmJob]:
    """As they are meant to be."""
    yield task(FINE, "FORGE", 3, 1, head="export NUM_EPOCHS=12\n", code={"data": "time.sleep(0.03)"}, **WELL)
    yield task(FINE, "HOVER", 2, 2, head="export TOTAL_TIMESTEPS=90000 SEED=11\n", code={"data": NAP}, way=1, **WELL)
    yield task(FINE, "STUMPS", options=("--array=14",), head="export ROUNDS=140 NAP_MS=90\n", way=2, **WELL)
    yield task(FINE, "HARVEST", 2, 2, head="export PASSES=90\n", code=KEEPS["HARVEST"], **WELL)
    yield task(FINE, "WIDE", 4, 2, "--train-iters 260", torchrun="", code={"data": NAP}, way=1, **WELL)


def spoken() -> Iterator[SlurmJob]:
    """They only sound bad."""
    patience = "mean = torch.tensor([seen])\ndist.all_reduce(mean)\nseen = mean.item() / WORLD\nbest, waited = (seen, 0) if epoch == first or seen < best - 0.05 else (best, waited + 1)\nif waited == 3 or epoch == 14:\n    logfmt('info', 'early stopping, mean loss has not improved enough for 3 epochs (patience=3)', epoch=epoch, best=f'{best / ITERS:.4f}')\n    globals()['EPOCHS'] = epoch\n    break"
    yield task(LOUD, "FIRN", 2, 1, head="export EPOCHS=60\n", code={"data": NAP, "epoch": patience}, **WELL)
    conf = "log.info('configuration: %s', {'on_error': 'abort', 'max_failures': 3, 'nan_policy': 'raise', 'oom_score_adj': 500, 'kill_grace_s': 30, 'fatal_codes': [1, 137, 139], 'signal': 'SIGTERM'})"
    yield task(LOUD, "HARVEST", 3, 1, head="export PASSES=80 PAUSE=0.12\n", code={"early": conf}, way=1, **WELL)
    yield task(LOUD, "STUMPS", 2, 1, head="g++ -std=c++17 -Wall -Wextra -Wshadow -Wconversion -fsyntax-only stumps.cpp  # for the code review\nexport ROUNDS=130 NAP_MS=90\n", way=2, **WELL)
    watch = "tell 'starting disk watcher'\nsleep 600 &\nwatcher=$!"
    ends = sh("[ $round -eq 40 ]", "kill -9 $watcher\nwait $watcher\ntell \"disk watcher ended with $? (it is only needed for the first 40 rounds)\"")
    yield task(LOUD, "CHAIN", head="export ROUNDS=90 NAP=0.15\n", code={"early": watch, "after": ends}, options=("--array=3",), **WELL)
    tries = when("rang == 0 and it in (60, 150)", "for essai in (1, 2):\n    dis(f'lecture radar refusée, essai {essai} sur 5 : ConnectionResetError(104, \"Connection reset by peer\")', 'ERREUR')\n    time.sleep(1.5)\ndis('lecture radar rétablie')")
    yield task(LOUD, "RELAIS", 3, 1, head="export ITERATIONS=260\n", code={"data": "time.sleep(0.04)\n" + tries}, way=1, **WELL)
    scaler = when("iteration in (1, 2, 3, 5)", "print_rank_0(f' found NaN/Inf in gradients at iteration {iteration}: overflow, step skipped, loss scale is halved to {2 ** (17 - iteration)}')\ncontinue")
    yield task(LOUD, "WIDE", 2, 1, "--train-iters 240", code={"data": NAP + "\n" + scaler}, way=2, **WELL)
    final = "class Link:\n    def __del__(self):\n        raise ConnectionRefusedError(111, 'Connection refused', '127.0.0.1:6006')\n\n\nmetrics = Link()"
    yield task(LOUD, "HARVEST", 2, 1, head="export PASSES=80\n", code={"early": final}, **WELL)
    stacks = "import faulthandler\nif rank == 1:\n    faulthandler.dump_traceback_later(12, repeat=False)\nprint_rank_0('stack watcher is on: stacks of rank 1 will be dumped once, after 12 s, for the profile')"
    yield task(LOUD, "WIDE", 3, 1, "--train-iters 300", code={"early": stacks, "data": "time.sleep(0.06)"}, way=1, **WELL)
    stages = "srun PYTHON FILE\nexport BASE_LR=0.002 EPOCHS=14\necho 'fine-tuning with a smaller rate'\nsrun PYTHON FILE"
    yield task(LOUD, "FIRN", 2, 2, line=stages, head="export EPOCHS=7\n", code={**KEEPS["FIRN"], "data": NAP}, way=2, **WELL)
    missing = "import warnings\nwarnings.warn('Failed to load image Python extension: libcudart.so.12: cannot open shared object file: No such file or directory')\nif WORKER == 0:\n    print('Could not import pybullet (ModuleNotFoundError: No module named pybullet): the simple air model is used', flush=True)"
    yield task(LOUD, "HOVER", 3, 1, head="export TOTAL_TIMESTEPS=84000 SEED=2\n", code={"early": missing, "data": NAP}, **WELL)


def jobs() -> Iterator[SlurmJob]:
    """Two parts."""
    yield from plain()
    yield from spoken()


RECIPE = Recipe("teasel_parlours", "development", jobs)
