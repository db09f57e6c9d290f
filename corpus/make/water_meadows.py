"""Several ranks that do well, most with words and pauses that do not look so."""

from collections.abc import Iterator
from typing import Any

from corpus.make._weir import GOOD, HARD, gang, when
from corpus.make._weir_keeps import keep
from corpus.running.job import Recipe, SlurmJob

DONE: dict[str, Any] = {"state": "COMPLETED"}


def frightening() -> Iterator[SlurmJob]:
    """They say bad words, and go on."""
    fetch = "for attempt in range(1, 4):\n    try:\n        socket.create_connection(('127.0.0.1', 9), 1)\n    except OSError as problem:\n        log(f'attempt {attempt}: telemetry service: {problem!r}', 'ERROR')\n        time.sleep(1)\nlog('telemetry is off for this run', 'WARNING')"
    yield gang(HARD, "WEIRS", 4, 2, "--sweeps 320", code={"before": fetch}, **DONE)
    odd = when("R == 1 and batch == 7 and epoch % 3 == 1", "import traceback\ntry:\n    json.loads('{\"prev\": 3, \"here\": ')\nexcept ValueError:\n    traceback.print_exc()\n    emit('skipped', line=epoch * 30 + batch)")
    yield gang(HARD, "LACE", 3, head="export CONF='epochs=11'\n", code={"data": odd}, **DONE)
    early = "bestes = min(globals().get('bestes', 9.0), verlust)\nohne = 0 if verlust < globals().get('vorher', 9.0) - 2e-4 else globals().get('ohne', 0) + 1\nvorher = verlust\nif ohne >= 5:\n    sage(f'Runde {runde}: seit 5 Runden keine Verbesserung, Abbruch des Trainings (bester Verlust {bestes:.4f})')\n    break"
    yield gang(HARD, "BOTEN", 3, 1, "900", code={"after": early}, **DONE)
    wobble = "erreur *= 1 + 0.5 * (tour % 7 == 3)\nif tour == 1:\n    dire('attention : 212 valeurs NaN dans les prix, remplacees par la mediane')"
    yield gang(HARD, "PANIER", 3, 2, head="export TOURS=210\n", code={"loss": wobble}, **DONE)
    look = "if (open my $f, '<', 'gusts.prev') { note('loaded=1') } else { note('level=warn', \"msg=\\\"gusts.prev: $!, starting with zeros\\\"\") }"
    yield gang(HARD, "KITES", 3, 1, "iters=240", code={"load": look}, tail="rm -v gusts.prev || true\nexit 0\n", **DONE)
    warn = "import warnings\nfrom sklearn.exceptions import ConvergenceWarning\nwarnings.warn('Maximum number of iteration reached before convergence. Consider increasing max_iter to improve the fit.', ConvergenceWarning)\nlogging.error('rank %d: %d rows with a label out of range were dropped', rank, 3 + rank)"
    yield gang(HARD, "GRAIN", 3, head="export PASSES=110\n", code={"load": warn}, **DONE)
    helper = "sleep 300 & helper=$!\n(sleep 6; kill -9 $helper) &\nnvidia-smi || echo 'no nvidia-smi on this node, going on'\n"
    yield gang(HARD, "PANIER", 2, head=helper + "export TOURS=180 VOIR=15\n", **DONE)
    scale = "if paso % 9 == 4 and vuelta < 4:\n    decir(f'gradiente con inf en la capa 2, paso omitido, escala {65536 >> vuelta}')\n    perdida = perdida * 0 + 0.69"
    yield gang(HARD, "TEJEDOR", 2, head="export VUELTAS=16\n", code={"loss": scale}, **DONE)


def slow_spots() -> Iterator[SlurmJob]:
    """They rest, or save often, for good reasons."""
    yield gang(HARD, "TEJEDOR", 3, head="export VUELTAS=40 PASOS=6\n", code={"epoch": keep("TEJEDOR", "telar.pt", 1)}, **DONE)
    held = when("R == 2", "emit('waiting', what='volume /data/lace is mounting')\ntime.sleep(22)\nemit('mounted')")
    yield gang(HARD, "LACE", 3, head="export CONF='epochs=9'\n", code={"early": held}, **DONE)
    score = "if me == 0 and sweep == 150:\n    log('scoring the flood of 1997 on this process, the others wait', 'WARNING')\n    time.sleep(25)\n    log('nse 0.83, peak missed by 4 h')"
    yield gang(HARD, "WEIRS", 3, 1, "--sweeps 300", code={"after": score}, **DONE)
    yield gang(HARD, "BOTEN", 4, 2, "300 0.05", act="suspend", after="Runde 120 ", **DONE)


def again() -> Iterator[SlurmJob]:
    """More than one attempt, fold or program in a job."""
    fails = when("rank == 1 and epoch == 2 and i == 5 and not os.path.exists('.stream-lost')", "open('.stream-lost', 'w').close()\nraise ConnectionResetError('object store closed the stream of part 7')")
    tries = "for go in 1 2 3; do\n  srun -K PYTHON -u FILE --epochs 6 && break\n  echo \"go $go ended with $?; once more in 3 s\"\n  sleep 3\n  export PORT=$((PORT + 11))\ndone"
    yield gang(HARD, "MURMUR", 2, 1, line=tries, code={"data": fails}, **DONE)
    tune = "if rank == 0:\n    print('head of flock_base.pt has 9 classes, ours 4: head starts from random weights, trunk is taken over', flush=True)\n    print('  missing keys: 4.weight, 4.bias', flush=True)"
    yield gang(HARD, "MURMUR", 2, 1, "--epochs 7 --lr 0.01", code={"load": tune}, **DONE)
    sweep = "for lr in 0.05 abc 0.02; do\n  export PORT=$((PORT + 40))\n  echo \"### eta $lr\"\n  srun PYTHON -u FILE --sweeps 160 --rest 0.01 --eta $lr || echo \"### eta $lr left out of the table\"\ndone\necho '### two of three are in the table'"
    yield gang(HARD, "WEIRS", 2, 1, line=sweep, **DONE)
    twice = "srun PYTHON -u FILE missing=1 || { echo 'no such option in this version; without it then'; export PORT=$((PORT + 9)); srun PYTHON -u FILE; }"
    refuse = "import sys\nif 'missing=1' in sys.argv:\n    raise SystemExit('unknown option missing')"
    yield gang(HARD, "GRAIN", 2, line=twice, code={"early": refuse}, **DONE)


def plain() -> Iterator[SlurmJob]:
    """Nothing strange."""
    yield gang(GOOD, "SLUICE", 2, 1, head="export STEPS=150\n", **DONE)
    yield gang(GOOD, "GRAIN", 4, 2, head="export PASSES=80\n", **DONE)
    yield gang(GOOD, "KITES", 4, 2, "iters=220", srun="-l", **DONE)
    yield gang(GOOD, "MURMUR", 3, 1, "--epochs 6", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All."""
    for part in (frightening, slow_spots, again, plain):
        yield from part()


RECIPE = Recipe("water_meadows", "development", jobs)
