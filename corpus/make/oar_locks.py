"""What waiting, operators, owners and lost nodes make of jobs: groups that never meet or stop together, runs that begin again, and some that only waited a little."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make import _bridle_nets as nets
from corpus.make import _bridle_plain as plain
from corpus.make import _bridle_tongues as tongues
from corpus.make._bridle import HARD, made, sbatch
from corpus.running.job import Recipe, SlurmJob

DONE = {"state": "COMPLETED"}
OVER = {"state": "TIMEOUT"}
GONE = {"state": "CANCELLED"}
LONG = 30_000
MASTER = "export MASTER_ADDR=127.0.0.1 MASTER_PORT=$((15000 + SLURM_JOB_ID * 9))\n"
PORT = "export PORT=$((16000 + SLURM_JOB_ID * 11))\n"
RANKED = "srun {o} bash -c 'RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS exec PYTHON -u {f}'"


def orte(**more: object) -> dict[str, str]:
    """The German program with its module."""
    codes = {k: str(v) for k, v in more.items() if k in ("top", "early", "setup", "step", "after", "late")}
    values = {k: v for k, v in more.items() if k not in codes}
    return {"boden.py": made(plain.ORTE, {**plain.ORTE_DEFAULTS, **values}, **codes), "austausch.py": plain.NOTES}


def fed(*, meet: str = "Hub", **more: object) -> dict[str, str]:
    """The sites with one of their ways to meet."""
    codes = {k: str(v) for k, v in more.items() if k in ("top", "early", "setup", "step", "after", "late")}
    values = {k: v for k, v in more.items() if k not in codes}
    if meet == "Gossip":
        values = {"module": "gossip", "cls": "Gossip", "join": "Gossip(SITE, SITES)", "mean": "link.average", **values}
    return {"client.py": made(plain.FED, {**plain.FED_DEFAULTS, **values}, **codes), **({"gossip.py": plain.GOSSIP} if meet == "Gossip" else {"hub.py": plain.HUB})}


def never_together() -> Iterator[SlurmJob]:
    """C1."""
    label = Label(mode="C1", fault="user")
    each = "srun -l bash -c 'export MASTER_PORT=$((20000 + RANDOM % 20000)); exec PYTHON -u finetune.py'\n"
    own_port = made(nets.FAIRSEQ, {**nets.FAIRSEQ_DEFAULTS, "init": "tcp://127.0.0.1:" + "%s"}).replace('%s", rank)', '%s", rank, os.environ["MASTER_PORT"])').replace('init_method="tcp://127.0.0.1:%s"', 'init_method=f"tcp://127.0.0.1:{os.environ[\'MASTER_PORT\']}"')
    yield sbatch(label, {"finetune.py": own_port}, f"#SBATCH -N2 -n2\n{each}", name="w2v-ctc", python="torch", **OVER)
    yield sbatch(label, fed(join="Hub(SITE, int(os.environ['EXPECTED_SITES']), int(os.environ['PORT']))", total=LONG), f"#SBATCH -N2 -n4\n{PORT}export EXPECTED_SITES=5   # Basel, Bern, Genf, Lausanne, Chur\nsrun python3 -u client.py\n", name="fed-ch", act="scancel_late", after=r"(?s)(4/5 workers.*){3}", **GONE)
    yield sbatch(label, {"train.py": made(nets.CLOUD, {"all": False, "epochs": 99, "iters": 20, "pause": 0.05, "init": "env://"})}, f"#SBATCH --nodes=2 --ntasks-per-node=1\n{MASTER}set -x\nsrun PYTHON -m torch.distributed.run --nnodes=3 --nproc_per_node=1 --rdzv-id=$SLURM_JOB_ID --rdzv-backend=c10d --rdzv-endpoint=$MASTER_ADDR:$MASTER_PORT train.py\n", name="cloud-3n", python="torch", **OVER)
    yield sbatch(label, orte(join="Notes(f\"/tmp/tausch-{os.environ['SLURM_JOB_ID']}-{os.environ['SLURMD_NODENAME']}\", RANG, ANZAHL)", early="melde(f\"Austausch über /tmp/tausch-{os.environ['SLURM_JOB_ID']}-{os.environ['SLURMD_NODENAME']}\")", total=LONG), "#SBATCH -N 2\n#SBATCH -n 4\nsrun python3 boden.py\n", name="boden-tmp", **OVER)
    dies = "if SITE == 3:\n    import torch_geometric"
    yield sbatch(label.but(trigger="A1", failed_ranks=(3,), first_ranks=(3,)), fed(early=dies, total=LONG, join="Hub(SITE, SITES, int(os.environ['PORT']))"), f"#SBATCH -N2 -n4\n{PORT}srun --wait=0 python3 -u client.py\n", name="fed-graph", **OVER)
    gate = "open(my $fh, '>', \"ready.$ENV{SLURM_PROCID}\"); close $fh;\nmy $n = $ENV{SLURM_JOB_NUM_NODES} * 2;\nnote \"worker $ENV{SLURM_PROCID} at the gate, need $n\";\nmy $t = 0;\nwhile (my @miss = grep { !-e \"ready.$_\" } 0 .. $n - 1) {\n    sleep(0.2);\n    note \"worker $ENV{SLURM_PROCID} still at the gate, no ready.$miss[0] yet\" if ++$t % 75 == 0;\n}"
    yield sbatch(label, {"tagger.pl": made(tongues.PERL, {**tongues.PERL_DEFAULTS, "total": LONG}, early=gate)}, "#SBATCH -N2\n#SBATCH -n3\nsrun -l perl tagger.pl\n", name="ofs-par", act="scancel_late", after=r"(?s)(worker 0 still at.*){3}", **GONE)


def stuck_together() -> Iterator[SlurmJob]:
    """C2."""
    label = Label(mode="C2", fault="user")
    uneven = "if RANG == 2 and durchlauf == 90:\n    melde('Daten erschöpft nach 90 Durchläufen, warte am Abschluss')\n    netz.gather('abschluss', 0)"
    yield sbatch(label, orte(step=uneven, total=400, pause=0.06, every=10), "#SBATCH -N2 -n4\nsrun python3 boden.py\n", name="boden-teile", **OVER)
    own = "if SITE == 1 and rnd == 1:\n    open('pid-1', 'w').write(str(os.getpid()))"
    yield sbatch(label.but(trigger="A2", fault="unknown", failed_ranks=(1,), first_ranks=(1,)), fed(meet="Gossip", step=own, total=LONG), f"#SBATCH -N2 -n4\n{PORT}srun -l python3 -u client.py\n", name="gossip-sgd", act="kill_rank", after='"n": 80', **OVER)
    odd = "if RANG == 3 and durchlauf == 70:\n    zelle = {'lat': 48.1, 'lon': 11.5}\n    melde(f\"Zelle {zelle['hoehe']}\")"
    yield sbatch(label.but(trigger="A3", failed_ranks=(3,), first_ranks=(3,)), orte(step=odd, total=LONG, pause=0.06, every=10), "#SBATCH -N2 -n4\n#SBATCH --exclusive=user\nsrun python3 boden.py\necho \"Ende mit $?\"\n", name="boden-alpen", **OVER)
    mine = "if SITE == 1 and rnd == 1:\n    open('pid-1', 'w').write(str(os.getpid()))"
    yield sbatch(label.but(fault="unknown"), fed(step=mine, total=LONG, every=20, pause=0.08), f"#SBATCH -N1 -n3\n{PORT}srun -l python3 -u client.py\n", name="fed-wards", act="stop_rank", after='"n": 160', **OVER)
    only_first = "if rnd == 120 and SITE == 0:\n    out('note', message='aggregating audit log of all sites')\n    link.files[1].readline()"
    yield sbatch(label, fed(step=only_first, total=LONG, pause=0.07), f"#SBATCH -N1 -n3\n{PORT}srun python3 -u client.py\n", name="fed-audit", act="scancel_late", after="aggregating audit", **GONE)
    pipe = "if rank == 1 and update == 90:\n    os.path.exists('stats.pipe') or os.mkfifo('stats.pipe')\n    logger.info('reading global CMVN statistics from stats.pipe')\n    open('stats.pipe').read()"
    text = made(nets.FAIRSEQ, {**nets.FAIRSEQ_DEFAULTS, "init": "env://", "epochs": 40, "every": 10, "pause": 0.08}, step=pipe)
    yield sbatch(label, {"finetune.py": text}, f"#SBATCH -N2 -n2\n{MASTER}{RANKED.format(o='-l', f='finetune.py')}\n", "--time=2", name="w2v-cmvn", python="torch", **OVER)


def nodes_lost() -> Iterator[SlurmJob]:
    """F1: those of one node lose it together."""
    label = Label(mode="F1", fault="node")
    bad = {"state": "NODE_FAIL", "where": ""}
    keep = "--no-requeue"
    yield sbatch(label, {"tagger.pl": made(tongues.PERL, {**tongues.PERL_DEFAULTS, "total": LONG, "tau": 60})}, "srun -l perl tagger.pl\n", "-wn2,n6", "-N2", "-n2", keep, name="ofs-tagger", act="lose_node", after="iteration 10/", **bad)
    yield sbatch(label, fed(meet="Gossip", total=LONG, pause=0.1), f"{PORT}srun --wait=0 python3 -u client.py\n", "-wn1,n2,n6", "-N3", "-n3", keep, name="gossip-sgd", act="lose_node", after='"n": 30', **bad)
    yield sbatch(label, {"bpr.js": made(tongues.NODE, {**tongues.NODE_DEFAULTS, "total": LONG, "pause": 90})}, "srun node bpr.js\n", "-wn6", "-n1", keep, name="nexttrack", act="lose_node", after="batch 40 ", **bad)
    yield sbatch(label, {"gauge.c": made(tongues.CNET, {**tongues.CNET_DEFAULTS, "total": LONG, "usec": 90000})}, "gcc -O2 gauge.c -o gauge -lm && srun ./gauge\n", "-wn1,n5", "-N2", "-n2", keep, name="tides", act="slurmd_dies", after="sweep   50", **bad)
    yield sbatch(label, {"dcgan.py": made(plain.DCGAN, {**plain.DCGAN_DEFAULTS, "epochs": 900, "pause": 0.1})}, "srun python3 dcgan.py --niter 900\n", "-wn5", "-n1", keep, name="tiles-gan", act="slurmd_dies", after=r"\[0/900\]\[40/", **bad)
    yield sbatch(label, {"chain.py": made(tongues.KALDI, {**tongues.KALDI_DEFAULTS, "total": LONG, "pause": 0.1})}, "python3 chain.py\n", "-wn5", "-n1", "--array=9", keep, name="chain-tdnn", act="slurmd_dies", after="minibatches 20-39", **bad)
    yield sbatch(label, {"boost.py": made(tongues.CSVW, {**tongues.CSVW_DEFAULTS, "total": LONG, "seed": 2})}, "srun python3 boost.py\n", "-wn4", "-n1", keep, name="yield", act="node_down", after=r"\n24\t", **bad)
    yield sbatch(label, {"train_lib.py": made(tongues.ABSL, {**tongues.ABSL_DEFAULTS, "total": LONG, "pause": 0.1})}, "srun -l python3 -u train_lib.py\n", "-wn2,n4", "-N2", "-n2", keep, name="tabular-probe", act="node_down", after=r"\[50\]", **bad)


KEEP_TREES = "if tree % 20 == 0:\n    import pickle\n    pickle.dump((tree, pred, random.getstate()), open('yield.part', 'wb'))\n    os.replace('yield.part', 'yield.state')\n    print(f'# state kept at tree {tree}', file=sys.stderr, flush=True)"
TAKE_TREES = "import pickle\nstate = pickle.load(open('yield.state', 'rb')) if os.path.exists('yield.state') else None\nif state:\n    pred = state[1]\n    random.setstate(state[2])\n    print(f'# going on from tree {state[0]} of yield.state', file=sys.stderr, flush=True)"
KEEP_ABSL = "if step % 50 == 0:\n    open('ckpt_tmp', 'w').write(f'{step} ' + ' '.join(map(repr, w)))\n    os.replace('ckpt_tmp', f'checkpoint_{step}')\n    I(140, 'Saved checkpoint at %d.', step)"
TAKE_ABSL = "import glob\nfound = sorted(glob.glob('checkpoint_*'), key=lambda n: int(n.split('_')[1]))\nif found:\n    step, *w = [float(v) for v in open(found[-1]).read().split()]\n    step = int(step)\n    I(104, 'Restored checkpoint from %s.', found[-1])"


def again() -> Iterator[SlurmJob]:
    """F2."""
    twice = Label(mode="F2", variant="requeued_recovered", fault="none")
    taken, ended = twice.but(variant="preempted_recovered"), twice.but(variant="preempted")
    yield sbatch(twice, {"themes.py": made(plain.THEMES, {**plain.THEMES_DEFAULTS, "total": 70})}, "#SBATCH -n1 --requeue\nsrun python3 themes.py\n", name="pv-themes", act="requeue", after="passe 25/", **DONE)
    yield sbatch(twice, {"train_lib.py": made(tongues.ABSL, {**tongues.ABSL_DEFAULTS, "total": 400}, after=KEEP_ABSL, early="", setup=TAKE_ABSL)}, "#SBATCH -n1 --requeue --open-mode=append\nsrun python3 -u train_lib.py\n", name="tabular-long", act="requeue_by_owner", after="checkpoint at 150", **DONE)
    slice_ = "#SBATCH -n1 --requeue\n#SBATCH --open-mode=append\necho \"### slice ${SLURM_RESTART_COUNT:-0} begins $(date +%T)\"\nif [ -z \"$SLURM_RESTART_COUNT\" ]; then\n  ( sleep 12; echo '### 12 s slice used up, handing the node back'; scontrol requeue $SLURM_JOB_ID ) &\nfi\nsrun -n1 python3 boost.py\n"
    yield sbatch(twice, {"boost.py": made(tongues.CSVW, {**tongues.CSVW_DEFAULTS, "total": 180, "first": "(state[0] + 1 if state else 1)"}, setup=TAKE_TREES, after=KEEP_TREES)}, slice_, name="yield-slices", act="requeues_itself", after="kept at tree 60", **DONE)
    spot = {"where": "-wn3"}
    yield sbatch(taken, {"train_lib.py": made(tongues.ABSL, {**tongues.ABSL_DEFAULTS, "total": 500, "pause": 0.08, "seed": 5}, after=KEEP_ABSL, setup=TAKE_ABSL)}, "#SBATCH -n1 --requeue\nsrun python3 -u train_lib.py\n", name="probe-spot", act="preempt", after="checkpoint at 50", **DONE, **spot)
    yield sbatch(taken, {"tagger.pl": made(tongues.PERL, {**tongues.PERL_DEFAULTS, "total": 75})}, "#SBATCH -n2 --requeue\nsrun -l perl tagger.pl\n", name="ofs-low", act="preempt", after="iteration 10/", **DONE, **spot)
    yield sbatch(ended, {"sleep.py": made(tongues.EM, {**tongues.EM_DEFAULTS, "total": LONG, "tau": 40})}, "#SBATCH -n2\nsrun python3 sleep.py\n", "--no-requeue", name="hmm-sleep", act="preempt_for_good", after="EM  10 ", state="PREEMPTED", **spot)
    yield sbatch(ended, {"ppo.py": made(plain.PPO, {**plain.PPO_DEFAULTS, "total": LONG})}, "#SBATCH -n1\n#SBATCH --no-requeue\ntrap 'echo \"caught TERM at $(date +%T)\"' TERM\nsrun python3 -u ppo.py & wait\n", "--no-requeue", name="crane-swing", act="preempt_for_good", after="iterations             | 6 ", state="PREEMPTED", **spot)
    yield sbatch(twice, {"themes.py": made(plain.THEMES, {**plain.THEMES_DEFAULTS, "total": 110})}, "#SBATCH -n1 --requeue\nsrun python3 themes.py\n", "-xn1,n2,n3,n4,n5", name="pv-nuit", act="lose_node_and_go_on", after="passe 15/", where="", **DONE)


def called_off() -> Iterator[SlurmJob]:
    """F4."""
    own, other = Label(mode="F4", variant="by_owner", fault="none"), Label(mode="F4", variant="by_other", fault="unknown")
    yield sbatch(own, {"dcgan.py": made(plain.DCGAN, {**plain.DCGAN_DEFAULTS, "epochs": 80, "seed": 12})}, "#SBATCH -n1\nsrun python3 dcgan.py\n", name="tiles-gan2", act="scancel", after=r"\[2/80\]\[40/", **GONE)
    yield sbatch(other, {"ernte.py": made(tongues.KERASY, {**tongues.KERASY_DEFAULTS, "epochs": 50})}, "#SBATCH -n1\nsrun python3 -u ernte.py\n", name="ernte-cnn", act="scancel_by_admin", after="Epoch 4/", **GONE)
    yield sbatch(other.but(variant=None), {"tagger.pl": made(tongues.PERL, {**tongues.PERL_DEFAULTS, "total": LONG, "tau": 80, "every": 3})}, "#SBATCH -n1\nsrun perl tagger.pl\nrc=$?\necho \"tagger ended with $rc\"\nexit $rc\n", name="ofs-sweep", act="scancel_step", after="iteration 24/", state="FAILED")
    yield sbatch(own, {"bpr.js": made(tongues.NODE, {**tongues.NODE_DEFAULTS, "total": LONG})}, "#SBATCH -n2\nsrun -l node bpr.js\n", "--array=2", name="bpr-grid-41", act="scancel_all_of_name", after="batch 160 ", **GONE)
    clean = "import signal\ndef bye(n, f):\n    I(201, 'Received signal %d, flushing metrics and leaving.', n)\n    sys.exit(0)\nsignal.signal(signal.SIGTERM, bye)"
    yield sbatch(own, {"train_lib.py": made(tongues.ABSL, {**tongues.ABSL_DEFAULTS, "total": LONG}, early=clean)}, "#SBATCH -N2 -n2\nsrun -l python3 -u train_lib.py\n", name="probe-late", act="scancel", after=r"\[225\]", **GONE)
    yield sbatch(other, orte(total=LONG), "#SBATCH -N2 -n3\nsrun python3 boden.py\n", name="boden-sued", act="scancel_by_admin", after="Durchlauf 200 ", **GONE)


def only_late() -> Iterator[SlurmJob]:
    """G1."""
    yield sbatch(HARD, orte(early="if RANG == 2:\n    melde('entpacke Kacheln nach /tmp, das dauert etwas')\n    time.sleep(13)"), "#SBATCH -N2 -n3\nsrun python3 boden.py\n", name="boden-kachel", **DONE)
    yield sbatch(HARD, {"sleep.py": made(tongues.EM, tongues.EM_DEFAULTS)}, "#SBATCH -n1\nsrun python3 sleep.py\n", name="hmm-pause", act="suspend", after="EM  15 ", **DONE)
    yield sbatch(HARD, fed(total=140, join="Hub(SITE, SITES, int(os.environ['PORT']))", early="time.sleep(17 if SITE == 1 else 0)"), f"#SBATCH -N2 -n3\n{PORT}srun python3 -u client.py\n", name="fed-slowstart", **DONE)
    step = "#SBATCH -n2\nsrun -n1 --time=00:05:00 perl tagger.pl &\nfirst=$!\nsrun -n1 --exact bash -c 'sleep 4; echo \"lint: 3 malformed trees skipped (sentence 118, 904, 2210)\"; exit 3'\necho \"lint exit status $? (not fatal)\"\nwait $first\n"
    yield sbatch(HARD, {"tagger.pl": made(tongues.PERL, {**tongues.PERL_DEFAULTS, "total": 55, "seed": 4})}, step, name="ofs-lint", **DONE)
    yield sbatch(HARD, {"train_lib.py": made(tongues.ABSL, {**tongues.ABSL_DEFAULTS, "total": 250, "seed": 9}, after="if step == 130:\n    sys.stderr.write(f\"W{time.strftime('%m%d %H:%M:%S')}.000000 {PID:>7} checkpointer.py:88] Async save of step 130 exceeded 5.0s deadline; FAILED_PRECONDITION: previous write pending. Will be skipped, next save at 250.\\n\")")}, "#SBATCH -n1\nsrun python3 -u train_lib.py\n", name="probe-async", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node come first anyhow."""
    for part in (nodes_lost, again, never_together, stuck_together, called_off, only_late):
        yield from part()


RECIPE = Recipe("oar_locks", "development", jobs)
