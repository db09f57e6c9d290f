"""What a queue does to such parties: it loses their nodes, sends them back and lets them come again, cuts them off, and people call them off."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._survey_jobs import HARD, party, true, when
from corpus.running.job import Recipe, SlurmJob

DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
YES = ("--requeue",)
NO = ("--no-requeue",)
CALM = "-wn1"
"""A node that nothing happens to."""
RESUME = "--resume runs/sonar/last.pt --ckpt-every 1"
FLOW_LOAD = "if os.path.exists('flow.pt'):\n    kept = torch.load('flow.pt')\n    model.load_state_dict(kept['model'])\n    first = kept['turn'] + 1\n    emit(event='continues', after=kept['turn'], file='flow.pt')"
FLOW_KEEP = "if turn % 4 == 0 and site == 0:\n    torch.save({'model': model.state_dict(), 'turn': turn}, 'flow.pt')\n    emit(event='kept', n=turn, file='flow.pt')"
GLYPH_KEEP = "if rang == 0:\n    torch.save({'reseau': réseau.state_dict(), 'epoque': epoque}, 'glyphes.pt')\n    annonce(f'époque {epoque} gardée dans glyphes.pt')"
GLYPH_LOAD = "if os.path.exists('glyphes.pt'):\n    gardé = torch.load('glyphes.pt')\n    réseau.load_state_dict(gardé['reseau'])\n    première = gardé['epoque'] + 1\n    annonce(f'reprise de glyphes.pt après l\\'époque {première - 1}')"


def gone() -> Iterator[SlurmJob]:
    """F1. Each of these has a node of its own to lose."""
    over: dict[str, Any] = {"state": "NODE_FAIL", "options": NO}
    yield party(true("F1", None, 1, fault="node"), "RELIEF", 2, 2, "train.steps=90000", where="-wn1,n6", act="lose_node", after="n=100/", **over)
    yield party(true("F1", fault="node"), "SONAR", 2, 1, "--epochs 9000", where="-wn5", act="slurmd_dies", after="E03  20/", hand=1, **over)
    yield party(true("F1", fault="node"), "GLYPHES", 2, 2, head="export EPOQUES=9000\n", where="-wn1,n4", act="node_down", after="poque 2 :", hand=2, **over)


def again() -> Iterator[SlurmJob]:
    """F2."""
    twice = Label(mode="F2", variant="requeued_recovered", fault="none")
    yield party(twice.but(variant="preempted_recovered"), "RELIEF", 2, 1, "train.steps=420 init.resume=relief-latest.pt", where="-wn3", act="preempt", after="kept n=60 ", options=YES, **DONE)
    yield party(twice.but(variant="preempted"), "FLOW", 2, head="export ROUNDS=9000\n", code={"load": FLOW_LOAD, "after": FLOW_KEEP}, where="-wn2", act="preempt_for_good", after='"n": 8,', options=NO, state="PREEMPTED", hand=1)
    yield party(twice, "SONAR", 2, 1, f"--epochs 9 {RESUME}", where=CALM, act="requeue", after="E04 kept", options=YES, hand=2, **DONE)
    yield party(twice, "GLYPHES", 2, head="export EPOQUES=9\n", code={"load": GLYPH_LOAD, "epoch": GLYPH_KEEP}, where=CALM, act="requeue_by_owner", after="poque 4 gard", options=YES, **DONE)
    slice_ = "echo \"leg $((${SLURM_RESTART_COUNT:-0} + 1))\"\n[ ${SLURM_RESTART_COUNT:-0} -gt 0 ] || ( while ! grep -qs '\"n\": 16' slurm-*.out; do sleep 0.5; done; echo 'end of this leg, the next one is queued'; scontrol requeue $SLURM_JOB_ID ) &\n"
    yield party(twice, "FLOW", 2, head=slice_ + "export ROUNDS=36\n", code={"load": FLOW_LOAD, "after": FLOW_KEEP}, where=CALM, act="requeues_itself", after='"n": 16', options=YES, hand=1, **DONE)


def anew() -> Iterator[SlurmJob]:
    """E2: behind a requeue."""
    yield party(true("E2", variant="from_scratch"), "SONAR", 2, 1, "--epochs 7 --ckpt-every 1", where=CALM, act="requeue", after="E05 kept", options=YES, hand=1, **DONE)
    yield party(true("E2", variant="from_scratch"), "RELIEF", 2, 1, "train.steps=260 init.resume=relief_latest.pt", where=CALM, act="requeue_by_owner", after="kept n=180 ", options=YES, **DONE)
    wider = "[ ${SLURM_RESTART_COUNT:-0} -eq 0 ] || MORE=model.h=56\n"
    yield party(true("E2", "runtime_error", variant="size_mismatch", failed=(0, 1)), "RELIEF", 2, 1, "train.steps=420 init.resume=relief-latest.pt $MORE", head=wider, where=CALM, act="requeue", after="kept n=120 ", options=YES, hand=2, **FAILED)
    torn = "[ ${SLURM_RESTART_COUNT:-0} -eq 0 ] || truncate -s 2100 glyphes.pt\n"
    yield party(true("E2", "runtime_error", variant="corrupt", failed=(0, 1)), "GLYPHES", 2, head=torn + "export EPOQUES=12\n", code={"load": "time.sleep(1)\n" + GLYPH_LOAD, "epoch": GLYPH_KEEP}, where=CALM, act="requeue", after="poque 5 gard", options=YES, **FAILED)


def limits() -> Iterator[SlurmJob]:
    """F3, F4."""
    what = true("F3", variant="advancing")
    over: dict[str, Any] = {"state": "TIMEOUT"}
    yield party(what, "SONAR", 2, 1, f"--epochs 600 {RESUME}", where=CALM, **over)
    yield party(what, "PILOT", 3, 1, "90000", where=CALM, hand=1, **over)
    yield party(what, "FLOW", 2, srun="--time=1", head="export ROUNDS=9000\n", code={"after": FLOW_KEEP}, where=CALM, options=("--time=8",), hand=2)
    own, other = Label(mode="F4", variant="by_owner", fault="none"), Label(mode="F4", variant="by_other", fault="unknown")
    yield party(own, "SEISMO", 2, head="export PASSES=900\n", where=CALM, act="scancel", after="st00\t6\t20", state="CANCELLED")
    yield party(other, "GLYPHES", 2, head="export EPOQUES=900\n", how="torchrun", where=CALM, act="scancel_by_admin", after="poque 5 :", state="CANCELLED", hand=1)
    yield party(own, "RELIEF", 3, 1, "train.steps=90000", where=CALM, act="scancel_all_of_name", after="n=200/", state="CANCELLED", options=("--job-name=relief-z6",), hand=2)


def well() -> Iterator[SlurmJob]:
    """G1."""
    yield party(HARD, "SONAR", 2, 1, f"--epochs 8 {RESUME}", where=CALM, act="suspend", after="E04 kept", **DONE)
    base = when("RANK == 0", "say('warn', text='model.z: kept 8, wanted 6; decoder is taken from base-z8, encoder starts anew; step counter begins at 1 (new stage)')")
    yield party(HARD, "RELIEF", 2, 1, "train.steps=200", code={"load": base}, where=CALM, hand=1, **DONE)
    tries = "for go in 1 2 3; do\n  srun -K PYTHON -u FILE && break\n  echo \"go $go ended with $?; once more in 2 s\"\n  export PORT=$((PORT + 13)); sleep 2\ndone"
    cut = when("site == 1 and turn == 13 and not os.path.exists('.told')", "open('.told', 'w').close()\nraise TimeoutError('gauge archive: no answer within 30 s')")
    yield party(HARD, "FLOW", 2, line=tries, head="export ROUNDS=26\n", code={"load": FLOW_LOAD, "swap": cut, "after": FLOW_KEEP}, where=CALM, **DONE)
    legs = "srun PYTHON -u FILE\necho '--- première étape faite, la seconde reprend là'\nexport EPOQUES=9 PORT=$((PORT + 5)) MASTER_PORT=$((PORT + 5))\nsrun PYTHON -u FILE"
    yield party(HARD, "GLYPHES", 2, line=legs, head="export EPOQUES=4\n", code={"load": GLYPH_LOAD, "epoch": GLYPH_KEEP}, where=CALM, hand=1, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Those first whose nodes go."""
    for part in (gone, again, anew, limits, well):
        yield from part()


RECIPE = Recipe("cairn_relays", "development", jobs)
