"""What the queue does with several ranks: nodes go away, jobs come back, begin anew or go on behind another, run out of their time, are called off."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._weir import GOOD, HARD, gang, label
from corpus.make._weir_keeps import back, keep
from corpus.running.job import Recipe, SlurmJob

DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
AWAY = "-xn1,n2,n3,n4,n5"


def lost() -> Iterator[SlurmJob]:
    """F1."""
    what = label("F1", fault="node")
    over: dict[str, Any] = {"state": "NODE_FAIL", "options": ("--no-requeue",)}
    yield gang(label("F1", None, 1, failed=(1,), fault="node"), "WEIRS", 2, 2, "--sweeps 90000 --rest 0.1", where="-wn1,n6", act="lose_node", after="sweep 60/", **over)
    yield gang(label("F1", None, 1, failed=(1,), fault="node"), "PANIER", 2, 2, head="export TOURS=90000 SIESTE=0.1\n", where="-wn2,n6", act="lose_node", after="\n60/90000", **over)
    yield gang(label("F1", None, 2, 3, failed=(2, 3), fault="node"), "LACE", 4, 2, head="export CONF='epochs=9000 nap=0.1'\n", where="-wn1,n6", act="lose_node", after='"batch": 20', **over)
    yield gang(what, "BOTEN", 3, 1, "90000 0.1", where="-wn5", act="slurmd_dies", after="Runde 40 ", **over)
    yield gang(what, "KITES", 2, 2, "iters=90000 rest=0.1", where="-wn2,n4", act="node_down", after="iter=40/", **over)
    yield gang(what, "GRAIN", 3, head="export PASSES=90000 PAUSE=0.1\n", where="-wn4", act="node_down", after="\n +30 ", **over)


def again() -> Iterator[SlurmJob]:
    """F2."""
    twice = Label(mode="F2", variant="requeued_recovered", fault="none")
    yes = ("--requeue",)
    yield gang(twice, "WEIRS", 3, 1, "--sweeps 260 --rest 0.06", code={"load": back("WEIRS", "gauges.json"), "after": keep("WEIRS", "gauges.json")}, act="requeue", after="holds sweep 120", options=yes, **DONE)
    yield gang(twice.but(variant="preempted_recovered"), "LACE", 2, head="export CONF='epochs=9 nap=0.05'\n", code={"load": back("LACE", "bobbins.json"), "epoch": keep("LACE", "bobbins.json")}, where="-wn3", act="preempt", after='"checkpoint".* 3', options=yes, **DONE)
    yield gang(twice, "PANIER", 3, 2, head="export TOURS=240 SIESTE=0.06\n", code={"load": back("PANIER", "paniers.json"), "after": keep("PANIER", "paniers.json", 20)}, act="requeue_by_owner", after="au tour 100", options=yes, **DONE)
    own = "echo \"Lauf $((${SLURM_RESTART_COUNT:-0} + 1)) auf $SLURM_JOB_NODELIST\"\n[ ${SLURM_RESTART_COUNT:-0} -gt 0 ] || (sleep 16; echo 'Zeitscheibe zu Ende, stelle mich wieder an'; scontrol requeue $SLURM_JOB_ID) &\n"
    yield gang(twice, "BOTEN", 2, 1, "280 0.05", head=own, code={"load": back("BOTEN", "stand.json"), "after": keep("BOTEN", "stand.json", 25)}, act="requeues_itself", after="Stand der Runde 50 ", options=yes, **DONE)
    yield gang(twice.but(variant="preempted"), "BOTEN", 3, 1, "90000 0.1", where="-wn3", act="preempt_for_good", after="Runde 30 ", options=("--no-requeue",), state="PREEMPTED")
    yield gang(twice, "KITES", 2, 1, "iters=260 rest=0.1", where=AWAY, code={"load": back("KITES", "gusts.txt"), "after": keep("KITES", "gusts.txt", 20)}, act="lose_node_and_go_on", after="saved=gusts.txt iter=60", options=yes, **DONE)
    yield gang(twice.but(variant="preempted_recovered"), "WEIRS", 2, 1, "--sweeps 240 --rest 0.1", code={"load": back("WEIRS", "river.state"), "after": keep("WEIRS", "river.state", 20)}, where="-wn3", act="preempt", after="holds sweep 60", options=yes, **DONE)


def anew() -> Iterator[SlurmJob]:
    """E2: behind a requeue, or behind another job; and such as go on as they should."""
    scratch = Label(mode="E2", variant="from_scratch", fault="user")
    yes = ("--requeue",)
    yield gang(scratch, "WEIRS", 3, 1, "--sweeps 240 --rest 0.05", code={"after": keep("WEIRS", "gauges.json")}, act="requeue", after="holds sweep 150", options=yes, **DONE)
    path = "bobbins-${SLURM_RESTART_COUNT:-0}.json"
    elsewhere = {k: v.replace('"STATE"', "os.environ['STATE']") for k, v in (("load", back("LACE", "STATE")), ("epoch", keep("LACE", "STATE").replace('"STATE.part"', "os.environ['STATE'] + '.part'")))}
    yield gang(scratch, "LACE", 2, head=f"export CONF='epochs=8 nap=0.04' STATE={path}\n", code=elsewhere, act="requeue_by_owner", after='"checkpoint".* 5', options=yes, **DONE)
    bad = label("E2", "runtime_error", variant="corrupt", failed=(0, 1))
    torn = "[ ${SLURM_RESTART_COUNT:-0} -eq 0 ] || truncate -s 2100 telar.pt\n"
    yield gang(bad, "TEJEDOR", 2, head=torn + "export VUELTAS=30\n", code={"load": back("TEJEDOR", "telar.pt"), "epoch": keep("TEJEDOR", "telar.pt", 2)}, act="requeue", after="guardado, vuelta 8", options=yes, **FAILED)
    yield gang(GOOD, "PANIER", 2, head="export TOURS=200 VOIR=20\n", code={"after": keep("PANIER", "../paniers-mars.json", 40)}, key="mars", options=("--job-name=paniers",), **DONE)
    start = "chemin = '../paniers-mai.json'\nif os.path.exists(chemin):\n    import json\n    articles = json.load(open(chemin))['articles']\n    dire('reprise depuis', chemin)\nelse:\n    dire(chemin, 'absent')"
    yield gang(scratch, "PANIER", 2, head="export TOURS=220 VOIR=20\n", code={"load": start, "after": keep("PANIER", "../paniers-avril.json", 40)}, parent="mars", options=("--job-name=paniers",), **DONE)
    yield gang(GOOD, "MURMUR", 2, 1, "--epochs 6", code={"epoch": keep("MURMUR", "../flock.pt")}, key="flock", options=("--job-name=flock-1",), **DONE)
    wide = "net[4] = nn.Linear(48, 6)  # two species more"
    yield gang(label("E2", "runtime_error", variant="size_mismatch", failed=(0, 1)), "MURMUR", 2, 1, "--epochs 12 --warm-start ../flock.pt", code={"net": wide, "load": back("MURMUR", "")}, parent="flock", options=("--job-name=flock-2",), **FAILED)
    yield gang(HARD, "MURMUR", 2, 1, "--epochs 11 --warm-start ../flock.pt", code={"load": back("MURMUR", "")}, parent="flock", options=("--job-name=flock-2b",), **DONE)
    yield gang(GOOD, "BOTEN", 2, 1, "160", code={"after": keep("BOTEN", "../werk-a.json", 40)}, key="werk", options=("--job-name=pumpen",), **DONE)
    none = "sage('lade Checkpoint ../werk-a/stand_0160.json')\nanfang, w = json.loads(pathlib.Path('../werk-a/stand_0160.json').read_text())"
    yield gang(label("E2", "file_not_found", variant="no_valid_checkpoint", failed=(0, 1)), "BOTEN", 2, 1, "320", code={"load": none}, parent="werk", options=("--job-name=pumpen",), **FAILED)
    yield gang(HARD, "BOTEN", 3, 1, "330", code={"load": back("BOTEN", "../werk-a.json")}, parent="werk", options=("--job-name=pumpen-weiter",), **DONE)


def limits() -> Iterator[SlurmJob]:
    """F3."""
    what = label("F3", variant="advancing")
    over: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=1",)}
    yield gang(what, "WEIRS", 4, 2, "--sweeps 90000 --rest 0.1", **over)
    yield gang(what, "PANIER", 3, head="export TOURS=6000 SIESTE=0.1\n", code={"after": keep("PANIER", "paniers.json", 100)}, **over)
    yield gang(what, "KITES", 2, 1, "iters=4000 rest=0.12", **over)
    yield gang(what, "TEJEDOR", 2, head="export VUELTAS=900 PASOS=10 SIESTA=0.06\n", state="TIMEOUT", options=("--time=2",))
    yield gang(what, "LACE", 2, srun="--time=1", head="export CONF='epochs=900 nap=0.08'\n", options=("--time=6",))
    soon = "import signal\nsignal.signal(signal.SIGUSR1, lambda *_: sage('Signal: noch 20 Sekunden'))"
    yield gang(what, "BOTEN", 2, 1, "50000 0.1", code={"early": soon}, state="TIMEOUT", options=("--time=1", "--signal=USR1@20"))


def called() -> Iterator[SlurmJob]:
    """F4."""
    own, other = Label(mode="F4", variant="by_owner", fault="none"), Label(mode="F4", variant="by_other", fault="unknown")
    yield gang(own, "WEIRS", 3, 2, "--sweeps 90000", act="scancel", after="sweep 180/", state="CANCELLED")
    yield gang(other, "LACE", 3, head="export CONF='epochs=9000'\n", act="scancel_by_admin", after='"epoch": 6,', state="CANCELLED")
    yield gang(own, "PANIER", 2, head="export TOURS=90000\n", act="scancel_step", after="\n140/90000", **FAILED)
    yield gang(own, "KITES", 4, 2, "iters=90000", code={"early": "if ($me == 0) { for my $mast (1 .. 400) { note(\"unpack=mast$mast.gz\"); sleep 0.2 } }"}, act="scancel", after="mast40", state="CANCELLED")
    polite = "import signal\ndef ende(nummer, _):\n    sage(f'{signal.Signals(nummer).name} erhalten, raeume auf')\n    raise SystemExit(0)\nsignal.signal(signal.SIGTERM, ende)"
    yield gang(own, "BOTEN", 3, 1, "90000", code={"early": polite}, act="scancel_all_of_name", after="Runde 120 ", state="CANCELLED", options=("--job-name=pumpen-alle",))
    yield gang(other, "GRAIN", 2, head="export PASSES=90000\n", act="scancel_by_admin", after="\n +90 ", state="CANCELLED", options=("--comment=project-over-quota",))


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node lose it together."""
    for part in (lost, again, anew, limits, called):
        yield from part()


RECIPE = Recipe("towpath_hours", "development", jobs)
