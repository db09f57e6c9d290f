"""What the queue, its operators and its nodes do to jobs in several languages: cancelled, out of time, run again, preempted, left by a node."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running import trainers
from corpus.running.batch import ELSEWHERE
from corpus.running.job import Recipe, SlurmJob
from corpus.running.meeting import COMM

KEEP = "if rank == 0 and step % 40 == 0:\n    with open('state.part', 'w') as out:\n        out.write(f'{step} {fit.slope} {fit.offset}')\n    os.replace('state.part', 'state.txt')\n    print(f'wrote state.txt at step {step}', flush=True)"
RESUME = "saved = open('state.txt').read().split() if os.path.exists('state.txt') else []\n"
GO_ON = "if saved:\n    fit.slope, fit.offset = float(saved[1]), float(saved[2])\n    print(f'resuming from state.txt: continuing at step {saved[0]}', flush=True)\n"
HANDLER = "import signal\ndef leave(number, frame):\n    print(f'signal {number} received, closing files', flush=True)\n    sys.exit(0)\nsignal.signal(signal.SIGTERM, leave)"


def resumed(text: str) -> str:
    """The program goes on where its state file says."""
    lines = text.splitlines()
    at = next(n for n, line in enumerate(lines) if "fit = Fit(" in line or "self.fit = Fit(" in line)
    return text.replace(lines[at], f"{lines[at]}\n{RESUME}{GO_ON}step = int(saved[0]) if saved else 0").replace("step = int(saved[0]) if saved else 0\nstep = 0\n", "step = int(saved[0]) if saved else 0\n")


def sbatch(command: str, ranks: int, nodes: int = 1, *, head: str = "", tail: str = "") -> str:
    """A script with its options inside."""
    return f"#!/bin/bash\n#SBATCH --nodes={nodes}\n#SBATCH --ntasks={ranks}\n{head}srun {command}\n{tail}"


def cancelled() -> Iterator[SlurmJob]:
    """Their owner does it, or somebody else."""
    own, other = Label(mode="F4", variant="by_owner", fault="none"), Label(mode="F4", variant="by_other", fault="unknown")
    long = 20_000

    def job(label: Label, files: dict[str, str], script: str, act: str, after: str, *options: str, state: str = "CANCELLED") -> SlurmJob:
        return SlurmJob(label, files, script, (ELSEWHERE, *options), "system", act=act, after=after, state=state)

    yield job(own, {"train.pl": trainers.perl(total=long, pause=0.06)}, sbatch("perl train.pl", 2), "scancel", "iteration 60 of")
    yield job(other, {"trainer.js": trainers.node(total=long, pause_ms=50)}, sbatch("node trainer.js", 2, 2), "scancel_by_admin", "batch 90/")
    text = trainers.python("logfmt", "class", total=long, pause=0.05)
    yield job(own, {"train.py": text}, sbatch("python3 -u train.py", 2, tail="code=$?\necho \"step came back with $code\"\nexit $code\n"), "scancel_step", "step=90", state="FAILED")
    text = trainers.python("boost", "parts", total=long, pause=0.05)
    yield job(own, {"boost.py": text}, sbatch("python3 -u boost.py", 1), "scancel_all_of_name", r"\[80\]", "--array=3", "--job-name=sweep-eta")
    text = trainers.python("ppl", "flat", total=long, pause=0.05, early=HANDLER)
    yield job(own, {"lm.py": text}, sbatch("python3 -u lm.py", 2, head="trap 'echo \"batch script got TERM\"' TERM\n"), "scancel", " 100/")
    yield job(other, {"nnfit.c": trainers.c(total=long, pause=0.05)}, sbatch("./nnfit", 3, head="gcc -O2 nnfit.c -o nnfit -lm\n"), "scancel_by_admin", "step=110")
    text = trainers.python("ignite", "class", total=long, pause=0.04, at=120, mid="log.info('evaluating on 50000 samples')\ntime.sleep(300)")
    yield job(own, {"fit.py": text}, sbatch("python3 -u fit.py", 1), "scancel", "evaluating on")
    text = trainers.python("keras", "parts", total=long, pause=0.05, early="for part in range(400):\n    print(f'reading part {part} of 400', flush=True)\n    time.sleep(0.5)")
    yield job(own, {"fit.py": text}, sbatch("python3 -u fit.py", 2, 2), "scancel", "part 16 of")
    yield job(other, {"fit.awk": trainers.awk(total=4000)}, sbatch("awk -f fit.awk", 1), "scancel_by_admin", "  120 ", "--comment=nightly")
    yield job(own, {"sweep.tcl": trainers.tcl(total=long)}, sbatch("tclsh sweep.tcl", 2), "scancel", "sweep 150/")


def out_of_time() -> Iterator[SlurmJob]:
    """They advance until the limit of the job, or of the step."""
    label = Label(mode="F3", variant="advancing", fault="user")
    long = 20_000

    def job(files: dict[str, str], script: str, *options: str, state: str = "TIMEOUT") -> SlurmJob:
        return SlurmJob(label, files, script, (ELSEWHERE, *options), "system", state=state)

    yield job({"train.pl": trainers.perl(total=long, pause=0.1)}, sbatch("perl train.pl", 1), "--time=1")
    yield job({"trainer.js": trainers.node(total=long, pause_ms=120)}, sbatch("node trainer.js", 2, 2), "--time=1")
    text = trainers.python("steps_of", "class", total=long, pause=0.1)
    yield job({"train.py": text}, "#!/bin/bash\n#SBATCH --signal=B:USR1@25 --time=00:01:00\ntrap 'echo \"less than half a minute left\"' USR1\nsrun -n1 python3 -u train.py &\nwait\nwait\n")
    text = trainers.python("glog", "parts", total=long, pause=0.08)
    yield job({"solver.py": text}, "#!/bin/bash\n#SBATCH --time=5 -n2\nsrun --time=1 python3 -u solver.py\ncode=$?\nsleep 0.5\nexit $code\n", state="")
    text = trainers.python("jsonl", "flat", total=long, pause=0.1, each="if step % 50 == 0:\n    json.dump({'step': step, 'w': [fit.slope, fit.offset]}, open(f'ck-{step}.json', 'w'))\n    print(json.dumps({'level': 'INFO', 'msg': f'Saved checkpoint ck-{step}.json'}), flush=True)")
    yield job({"train.py": text}, sbatch("python3 -u train.py", 1), "--time=1", "--array=11")
    yield job({"nnfit.c": trainers.c(total=long, pause=0.1)}, sbatch("./nnfit", 4, 2, head="gcc nnfit.c -o nnfit -lm\n"), "--time=1")
    yield job({"fit.awk": trainers.awk(total=9000, every=4)}, sbatch("awk -f fit.awk", 1, head="set -e\n"), "--time=1")
    fold = trainers.python("box", "flat", total=110, pause=0.15, at=90_000)
    yield job({"cv.py": fold}, "#!/bin/bash\nfor fold in $(seq 10); do\n  echo \"fold $fold of 10\"\n  srun -n1 python3 -u cv.py || exit\ndone\n", "--time=1", state="")
    text = trainers.python("percent", "class", total=long, pause=0.1)
    yield job({"train.py": text, "roles.conf": "0 python3 -u train.py\n1-2 python3 -u train.py\n"}, sbatch("--multi-prog roles.conf", 3), "--time=1")


def again() -> Iterator[SlurmJob]:
    """Requeued by operator, owner, themselves or for a lost node; preempted."""
    twice = Label(mode="F2", variant="requeued_recovered", fault="none")

    def job(label: Label, files: dict[str, str], script: str, act: str, after: str, *options: str, state: str = "COMPLETED") -> SlurmJob:
        return SlurmJob(label, files, script, options, "system", act=act, after=after, state=state)

    yield job(twice, {"train.pl": trainers.perl(total=300, pause=0.05)}, sbatch("perl train.pl", 2), "requeue", "iteration 70 of", "--requeue", ELSEWHERE)
    text = resumed(trainers.python("logfmt", "flat", total=300, pause=0.05, each=KEEP, at=9000))
    yield job(twice, {"train.py": text}, sbatch("python3 -u train.py", 2, 2), "requeue_by_owner", "at step 120", "--requeue", ELSEWHERE)
    text = resumed(trainers.python("ignite", "flat", total=300, pause=0.05, each=KEEP, at=9000))
    self_asked = "#!/bin/bash\n#SBATCH --requeue\necho \"run number ${SLURM_RESTART_COUNT:-0}\"\nif [ \"${SLURM_RESTART_COUNT:-0}\" = 0 ]; then (sleep 11; echo 'slice is over, back into the queue'; scontrol requeue $SLURM_JOB_ID) & fi\nsrun -n1 python3 -u fit.py\n"
    yield job(twice, {"fit.py": text}, self_asked, "requeues_itself", "step 80", ELSEWHERE)
    yield job(twice, {"trainer.js": trainers.node(total=250, pause_ms=60)}, sbatch("node trainer.js", 1), "requeue_by_owner", "batch 90/", "--requeue", "--array=5", ELSEWHERE)
    where = "-wn3"
    recovered, ended = twice.but(variant="preempted_recovered"), twice.but(variant="preempted")
    text = resumed(trainers.python("jsonl", "flat", total=360, pause=0.08, each=KEEP, at=9000))
    yield job(recovered, {"train.py": text}, sbatch("python3 -u train.py", 2), "preempt", "at step 80", "--requeue", where)
    yield job(recovered, {"sweep.tcl": trainers.tcl(total=350, pause_ms=80)}, sbatch("tclsh sweep.tcl", 1), "preempt", "sweep 40/", "--requeue", where)
    text = trainers.python("rollout", "class", total=20_000, pause=0.08)
    yield job(ended, {"ppo.py": text}, sbatch("python3 -u ppo.py", 2), "preempt_for_good", "iterations      | 40 ", "--no-requeue", where, state="PREEMPTED")
    yield job(ended, {"train.pl": trainers.perl(total=20_000, pause=0.08)}, sbatch("perl train.pl", 1), "preempt_for_good", "iteration 40 of", "--no-requeue", where, state="PREEMPTED")
    only = "-xn1,n2,n3,n4,n5"
    text = resumed(trainers.python("steps_of", "flat", total=420, pause=0.08, each=KEEP, at=9000))
    yield job(twice, {"train.py": text}, sbatch("python3 -u train.py", 1), "lose_node_and_go_on", "at step 80", "--requeue", only)
    yield job(twice, {"nnfit.c": trainers.c(total=420, pause=0.08)}, sbatch("./nnfit", 2, head="gcc nnfit.c -o nnfit -lm\n"), "lose_node_and_go_on", "step=60", "--requeue", only)


def left() -> Iterator[SlurmJob]:
    """A node of theirs dies, its slurmd dies, or an operator sets it down."""
    label = Label(mode="F1", fault="node")
    long = 20_000

    def job(files: dict[str, str], script: str, act: str, after: str, where: str, ranks: tuple[int, ...] = ()) -> SlurmJob:  # noqa: PLR0917
        return SlurmJob(label.but(failed_ranks=ranks, first_ranks=ranks[-1:]), files, script, (where, "--no-requeue"), "system", act=act, after=after, state="NODE_FAIL")

    yield job({"train.pl": trainers.perl(total=long, pause=0.1)}, sbatch("perl train.pl", 2, 2), "lose_node", "iteration 30 of", "-wn2,n6", (1,))
    text = trainers.python("box", "class", total=long, pause=0.1)
    yield job({"train.py": text}, sbatch("python3 -u train.py", 1), "lose_node", "    40 │", "-wn6")
    text = trainers.python("steps_of", "class", total=long, pause=0.1, helpers=COMM, early="self.group = Group(rank, world, int(os.environ['MASTER_PORT']))", sync="loss = self.group.mean(loss)", everyone=False)
    yield job({"train.py": text}, sbatch("--wait=0 python3 -u train.py", 3, 3, head="export MASTER_PORT=$((21000 + SLURM_JOB_ID % 9000))\n"), "lose_node", "step 40 of", "-wn1,n2,n6", (0, 1, 2))
    yield job({"trainer.js": trainers.node(total=long, pause_ms=100)}, sbatch("node trainer.js", 1), "slurmd_dies", "batch 40/", "-wn5")
    text = trainers.python("ignite", "parts", total=long, pause=0.1)
    yield job({"fit.py": text}, sbatch("python3 -u fit.py", 2, 2), "slurmd_dies", r"\[40/", "-wn1,n5")
    yield job({"nnfit.c": trainers.c(total=long, pause=0.1)}, sbatch("./nnfit", 2, head="gcc nnfit.c -o nnfit -lm\n"), "slurmd_dies", "step=40", "-wn5")
    text = trainers.python("csv", "flat", total=long, pause=0.1)
    yield job({"fit.py": text}, sbatch("python3 -u fit.py", 2, 2), "node_down", "\n40,", "-wn2,n4")
    yield job({"sweep.tcl": trainers.tcl(total=long, pause_ms=100)}, sbatch("tclsh sweep.tcl", 3), "node_down", "sweep 40/", "-wn4")
    text = trainers.python("keras", "class", total=long, pause=0.1)
    yield job({"fit.py": text}, sbatch("python3 -u fit.py", 1), "node_down", "Epoch 4/", "-wn4")


def jobs() -> Iterator[SlurmJob]:
    """All of it on one bed; jobs that lose a node lose it together."""
    yield from left()
    yield from again()
    yield from cancelled()
    yield from out_of_time()


RECIPE = Recipe("queue_events", "development", jobs)
