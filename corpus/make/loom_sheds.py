"""Looms that lose a node, are put back into the queue, run out of time, or are called off."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._loom_jobs import at
from corpus.make._loom_jobs import loom as loom_on_any
from corpus.running.batch import ELSEWHERE
from corpus.running.job import Recipe, SlurmJob

AGAIN = ("--requeue",)
LOST = Label(mode="F1", fault="node")
TWICE = Label(mode="F2", variant="requeued_recovered", fault="none")
LATE = Label(mode="F3", variant="advancing", fault="user")
OWN, OTHER = Label(mode="F4", variant="by_owner", fault="none"), Label(mode="F4", variant="by_other", fault="unknown")


def loom(*what: Any, where: str = ELSEWHERE, **more: Any) -> SlurmJob:
    """Away from the nodes that are lost, unless it is to lose one."""
    return loom_on_any(*what, where=where, **more)


def lost() -> Iterator[SlurmJob]:
    """F1: n6 loses its power, n5 its slurmd, n4 is set down."""
    gone: dict[str, Any] = {"state": "NODE_FAIL", "options": ("--no-requeue",)}
    last = LOST.but(failed_ranks=(2,), first_ranks=(2,))
    yield loom(last, "PINBALL", 3, 3, args="ticks=40000 nap=0.1", where="-wn1,n2,n6", act="lose_node", after="tick=40 ", **gone)
    yield loom(LOST, "TAGGER", 4, 2, agents=True, args="--updates 40000 --pause 0.1", where="-wn1,n6", act="lose_node", after="upd 00020/", **gone)
    yield loom(LOST, "FINCHES", 4, 2, env="GENERATIONS=90000 REST=0.12", where="-wn2,n6", act="lose_node", after="generation 50/", **gone)
    yield loom(LOST, "RUCHER", 2, 2, env="TOURS=60000 SOMMEIL=0.12", where="-wn1,n5", act="slurmd_dies", after="tour 40 ", **gone)
    yield loom(LOST, "DRIFT", 3, 1, env="CONF='{\"rounds\": 20000}'", where="-wn5", act="slurmd_dies", after='"round": 16,', **gone)
    yield loom(LOST, "PEGEL", 4, 2, env="RUNDEN=70000 PAUSE=0.1", where="-wn2,n4", act="node_down", after="Runde    40 ", **gone)


def again() -> Iterator[SlurmJob]:
    """F2: most go on where they had been."""
    done: dict[str, Any] = {"options": AGAIN, "state": "COMPLETED"}
    keep = at("PINBALL", 0, None, "import json\nwith open('depots.tmp', 'w') as file:\n    json.dump({'tick': tick, 'weights': weights}, file)\nos.replace('depots.tmp', 'depots.json')\ntell('state written', file='depots.json', tick=tick)", each=30)
    back = "if os.path.exists('depots.json'):\n    import json\n    state = json.load(open('depots.json'))\n    weights, globals()['first'] = state['weights'], state['tick'] + 1\n    tell('continuing from depots.json', tick=state['tick'])"
    yield loom(TWICE, "PINBALL", 3, code={"after": keep, "met": back}, args="ticks=330", act="requeue", after="written.*tick=90", **done)
    keep = at("PEGEL", 0, None, "open('stand.neu', 'w').write(json.dumps([runde, gewichte]))\nos.rename('stand.neu', 'stand.json')\nmelde(f'Stand der Runde {runde} gesichert')", each=40)
    back = "if os.path.exists('stand.json'):\n    runde, gewichte = json.load(open('stand.json'))\n    beginn = runde + 1\n    melde(f'Stand der Runde {runde} geladen, es geht weiter')"
    yield loom(TWICE, "PEGEL", 4, 2, code={"after": keep, "met": back}, env="RUNDEN=300", act="requeue_by_owner", after="Runde 120 gesichert", **done)
    keep = at("FINCHES", 0, None, 'open(my $f, ">", "beaks.new"); print $f join(" ", $generation, $sigma, @beak); close $f; rename "beaks.new", "beaks.txt"; note("beaks of generation $generation are in beaks.txt")', each=50)
    back = 'if (open(my $f, "<", "beaks.txt")) { ($begin, $sigma, @beak) = split " ", <$f>; note("taking up beaks.txt of generation $begin"); $begin++ }'
    own = "if [ \"${SLURM_RESTART_COUNT:-0}\" -eq 0 ]; then (sleep 18; echo \"$(date +%T) handing the slot back\"; scontrol requeue \"$SLURM_JOB_ID\") & fi\n"
    yield loom(TWICE, "FINCHES", 3, 2, code={"after": keep, "met": back}, env="GENERATIONS=420 REST=0.06", before=own, act="requeues_itself", after="beaks of generation 100 ", **done)
    keep = at("TAGGER", 0, None, "torch.save({'update': update, 'model': model.state_dict(), 'opt': optimizer.state_dict()}, 'tagger.ckpt.tmp')\nos.replace('tagger.ckpt.tmp', 'tagger.ckpt')\nlog.info('tagger.ckpt <- upd %05d', update)", each=40)
    back = "if os.path.exists('tagger.ckpt'):\n    state = torch.load('tagger.ckpt')\n    model.load_state_dict(state['model'])\n    optimizer.load_state_dict(state['opt'])\n    begin = state['update'] + 1\n    log.info('tagger.ckpt -> continuing behind upd %05d', state['update'])"
    yield loom(TWICE.but(variant="preempted_recovered"), "TAGGER", 2, where="-wn3", code={"after": keep, "met": back}, args="--updates 420 --pause 0.06", act="preempt", after="ckpt <- upd 00040", **done)
    keep = at("MARES", 0, None, "with open('mareas.tmp', 'w') as f:\n    print(vuelta, *fase, file=f)\nos.rename('mareas.tmp', 'mareas.txt')\nprint(f'# guardado en la vuelta {vuelta}', flush=True)", each=40)
    back = "if os.path.exists('mareas.txt'):\n    vuelta, *fase = map(float, open('mareas.txt').read().split())\n    primera = int(vuelta) + 1\n    print(f'# puesto {puesto}: reanudado en la vuelta {primera}', flush=True)"
    yield loom(TWICE.but(variant="preempted_recovered"), "MARES", 3, where="-wn3", code={"after": keep, "met": back}, args="360 0.06", act="preempt", after="guardado en la vuelta 40", **done)
    keep = at("DRIFT", 0, None, "torch.save([turn, model.state_dict()], 'sites.part')\nos.rename('sites.part', 'sites.pt')\nout(kind='stored', file='sites.pt', round=turn)", each=8)
    back = "if pathlib.Path('sites.pt').exists():\n    turn, weights = torch.load('sites.pt')\n    model.load_state_dict(weights)\n    at = turn + 1\n    out(kind='loaded', file='sites.pt', round=turn)"
    yield loom(TWICE, "DRIFT", 2, where="-xn1,n2,n3,n4,n5", code={"after": keep, "met": back}, env="CONF='{\"rounds\": 130, \"pause\": 0.04}'", act="lose_node_and_go_on", after='"round": 8,', **done)


def late() -> Iterator[SlurmJob]:
    """F3."""
    over: dict[str, Any] = {"state": "TIMEOUT"}
    yield loom(LATE, "PINBALL", 4, 2, args="ticks=25000 nap=0.12 every=50", **over)
    yield loom(LATE, "HEAT", 2, env="SWEEPS=9000 NAP=0.1", **over)
    yield loom(LATE, "FINCHES", 3, env="GENERATIONS=12000 REST=0.15", srun="-l", **over)
    probe = at("TAGGER", None, None, "with torch.no_grad():\n    held = torch.randint(0, WORDS, (64, 10))\n    wrong = (model(held).argmax(-1) != held * 3 // 11 % TAGS).float().mean()\nlog.info('held-out sentences: %.2f%% of the tags are wrong', 100 * wrong)", each=100)
    yield loom(LATE, "TAGGER", 4, 2, agents=True, code={"after": probe}, args="--updates 15000 --pause 0.1", **over)
    near = "import signal\nsignal.signal(signal.SIGUSR1, lambda *_: melde('Zeichen des Wartens: das Ende der Zuteilung naht'))"
    yield loom(LATE, "PEGEL", 2, 2, code={"early": near}, env="RUNDEN=9000 PAUSE=0.12", options=("--signal=USR1@25",), **over)
    yield loom(LATE, "RUCHER", 3, env="TOURS=5000 SOMMEIL=0.1", srun="--time=1", options=("--time=6",))
    yield loom(LATE, "DRIFT", 4, 2, env="CONF='{\"rounds\": 3000, \"pause\": 0.05}'", options=("--time=30",), act="shorten", after='"round": 40,', **over)
    slow = "if turn == 20 and k == 0 and rank == 0:\n    out(kind='note', text='statistics over 90 tables')\n    time.sleep(9)"
    yield loom(LATE, "DRIFT", 2, code={"data": slow}, env="CONF='{\"rounds\": 1500, \"local\": 6, \"pause\": 0.03}'", **over)


def called_off() -> Iterator[SlurmJob]:
    """F4."""
    gone: dict[str, Any] = {"state": "CANCELLED"}
    yield loom(OWN, "MARES", 4, args="50000 0.05", act="scancel", after="150,50000", **gone)
    yield loom(OWN, "HEAT", 3, env="SWEEPS=20000 NAP=0.04", srun="-l", act="scancel", after=" 180/", **gone)
    yield loom(OTHER, "PINBALL", 2, 2, args="ticks=30000", act="scancel_by_admin", after="tick=140 ", **gone)
    yield loom(OTHER, "TAGGER", 3, args="--updates 30000", act="scancel_by_admin", after="upd 00160/", **gone)
    bye = "import signal\ndef adieu(numero, _):\n    journal.warning('signal %d recu, on range les cadres', numero)\n    os._exit(0)\nsignal.signal(signal.SIGTERM, adieu)"
    yield loom(OWN, "RUCHER", 4, 2, code={"early": bye}, env="TOURS=40000", act="scancel", after="tour 130 ", **gone)
    yield loom(OWN, "DRIFT", 2, code={"early": "for part in range(500):\n    out(kind='unpack', archive=f'site{rank}.tar.zst', member=part)\n    time.sleep(0.25)"}, act="scancel", after='"member": 60', **gone)


def jobs() -> Iterator[SlurmJob]:
    """All on one bed."""
    for part in (lost, again, late, called_off):
        yield from part()


RECIPE = Recipe("loom_sheds", "development", jobs)
