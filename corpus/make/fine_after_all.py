"""Batch jobs that end as planned: in six languages, in loops, beside helpers, with retries, long silences, late ranks, and words that sound worse than they are."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.running import trainers
from corpus.running.batch import ELSEWHERE
from corpus.running.job import Recipe, SlurmJob
from corpus.running.meeting import COMM

GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)
PORT = "export MASTER_PORT=$((25000 + SLURM_JOB_ID * 3 % 5000))\n"
TOGETHER: dict[str, Any] = {"helpers": COMM, "early": "self.group = Group(rank, world, int(os.environ['MASTER_PORT']))", "sync": "loss = self.group.mean(loss)"}
PROBE = "#include <stdio.h>\nint main(void)\n{\n    int *door = 0;\n    printf(\"trying the fast reader\\n\");\n    fflush(stdout);\n    return *door;\n}\n"
AGAIN = "if os.path.exists('state.txt'):\n    fit.slope, fit.offset = map(float, open('state.txt').read().split())\n    print('resumed from state.txt, the second half follows', flush=True)\n"
FIRST = "if not os.path.exists('state.txt'):\n    open('state.txt', 'w').write(f'{fit.slope} {fit.offset}')\n    raise ConnectionResetError(104, 'Connection reset by peer')"
TASK = "async def beat():\n    raise OSError('telemetry.example.org does not answer')\n\n\nasync def watch():\n    import asyncio\n    asyncio.ensure_future(beat())\n    await asyncio.sleep(0.1)\n"
HISTORY = """cat <<'END'
JobID           JobName      State ExitCode    Elapsed
------------ ---------- ---------- -------- ----------
88121             lm-base     FAILED      1:0   00:03:11
88140             lm-base OUT_OF_ME+    0:125   00:41:09
88155             lm-base    TIMEOUT      0:0   12:00:21
88190             lm-base  NODE_FAIL      0:0   03:12:40
END
"""


def job(label: Label, files: dict[str, str], script: str, ranks: int, *options: str, nodes: int = 1, act: str = "", after: str = "") -> SlurmJob:
    """Slurm must call it COMPLETED."""
    return SlurmJob(label, files, f"#!/bin/bash\n{script}\n", (f"-N{nodes}", f"-n{ranks}", ELSEWHERE, *options), "system", act=act, after=after, state="COMPLETED")


def plain() -> Iterator[SlurmJob]:
    """Nothing is strange about them."""
    yield job(GOOD, {"train.pl": trainers.perl(total=260)}, "srun perl train.pl", 3)
    yield job(GOOD, {"trainer.js": trainers.node(total=260)}, "srun node trainer.js", 2, "--array=9", nodes=2)
    yield job(GOOD, {"nnfit.c": trainers.c(total=280)}, "gcc -O2 nnfit.c -o nnfit -lm\nsrun ./nnfit", 4, nodes=2)
    yield job(GOOD, {"fit.awk": trainers.awk(total=220), "sweep.tcl": trainers.tcl(total=200)}, "set -e\nsrun -n1 awk -f fit.awk\nsrun -n1 tclsh sweep.tcl\necho both fits are done", 1)
    text = trainers.python("steps_of", "class", total=260, lr=0.004, everyone=False, **TOGETHER)
    yield job(GOOD, {"train.py": text}, f"{PORT}srun -l python3 -u train.py | tee train.txt", 3, nodes=2)
    one, two = trainers.python("boost", "parts", total=200, lr=0.004), trainers.python("logfmt", "flat", total=230, lr=0.004, seed=4)
    yield job(GOOD, {"a.py": one, "b.py": two}, "srun --exact -n1 python3 -u a.py --steps 180 &\nsrun --exact -n1 python3 -u b.py &\nwait", 2)
    text = trainers.python("ppl", "class", total=900, lr=0.004, at=210, mid="print(f'early stopping at batch {step}: no gain in 5 evaluations', flush=True)\nself.total = step")
    yield job(GOOD, {"lm.py": text}, "srun python3 -u lm.py", 1)
    text = trainers.python("keras", "parts", total=240, lr=0.004)
    yield job(GOOD, {"fit.py": text, "roles.conf": "0 python3 -u fit.py --lr 0.01\n1-2 python3 -u fit.py --lr 0.003 --log-every 20\n"}, "srun --multi-prog roles.conf", 3)


def worse_than_it_is() -> Iterator[SlurmJob]:
    """They look as if something were wrong."""
    text = trainers.python("ignite", "class", total=220, lr=0.004, **TOGETHER, late="if rank == 2:\n    log.info('rank 2 merges the shards')\n    time.sleep(21)\n    log.info('merged')")
    yield job(HARD, {"fit.py": text}, f"{PORT}srun --wait=0 python3 -u fit.py", 3, nodes=2)
    text = trainers.python("steps_of", "flat", total=200, lr=0.004, late="print('evaluating on the full test set', flush=True)\ntime.sleep(26)\nprint('test accuracy 0.872', flush=True)")
    yield job(HARD, {"train.py": text}, "srun python3 -u train.py", 2)
    text = trainers.python("logfmt", "parts", total=200, lr=0.004, early="print('waiting for shards.ready', flush=True)\nwhile not os.path.exists('shards.ready'):\n    time.sleep(0.5)\nprint('shards are ready', flush=True)")
    yield job(HARD, {"train.py": text}, "(sleep 24; touch shards.ready) &\nsrun python3 -u train.py", 2, nodes=2)
    text = trainers.python("csv", "flat", total=160, lr=0.004, early=AGAIN.replace("if os", "fit = Fit(lr, 3)\nif os"), at=70, mid=FIRST)
    yield job(HARD, {"train.py": text}, "for attempt in 1 2 3; do\n  srun -n1 python3 -u train.py && break\n  echo \"attempt $attempt ended with $?, trying again\"\n  sleep 1\ndone", 1)
    text = trainers.perl(total=240, mid='my %stats; { no strict; warn "train.pl: WARNING no transcript for utterance 7731, skipped"; } my $n = "12a" + 1; my $u; print "mean: " . (0 + ($u // 0)) . "\\n"; eval { die "Segmentation of utt 8812 failed: lattice is empty\\n" }; print "ERROR (caught): $@";')
    yield job(HARD, {"train.pl": text}, "srun perl train.pl", 2)
    text = trainers.node(total=240, mid="process.emitWarning('MaxListenersExceeded: possible memory leak detected'); try { JSON.parse('{'); } catch (e) { console.error(e); console.error('batch 83: bad JSON in 1 row, row left out'); } Promise.reject(new Error('upload of metrics failed: ECONNREFUSED')).catch((e) => console.error(e.stack));")
    yield job(HARD, {"trainer.js": text}, "srun node trainer.js", 1)
    watch = "while true; do sleep 2; echo \"gpu 0: 0 errors, 61 C\"; done\n"
    text = trainers.python("box", "class", total=240, lr=0.004)
    yield job(HARD, {"train.py": text, "watch.sh": watch}, "srun --overlap -n1 bash watch.sh &\nwatcher=$!\nsrun -n1 python3 -u train.py\ncode=$?\nkill $watcher\nwait $watcher\nexit $code", 1)
    text = trainers.python("ignite", "flat", total=220, lr=0.004, at=90, mid="log.warning('loss of sample %d is %f', 17, 'nan')\nlog.error('overflow in %d of 512 samples, gradient clipped', 3)")
    yield job(HARD, {"fit.py": text}, "srun python3 -u fit.py", 2)
    text = trainers.python("jsonl", "class", total=220, lr=0.004, helpers=TASK, at=60, mid="import asyncio\nasyncio.run(watch())")
    yield job(HARD, {"train.py": text}, "set -e\nsrun -n1 python3 -u train.py", 1)
    text = trainers.python("steps_of", "class", total=220, lr=0.004)
    yield job(HARD, {"probe.c": PROBE, "train.py": text}, "gcc -O0 probe.c -o probe\nif ! srun -n1 ./probe; then echo 'the fast reader does not work here, the slow one is used'; fi\nsrun python3 -u train.py", 2)
    text = trainers.python("glog", "flat", total=220, lr=0.004, at=100, mid="print('sampled: \"RuntimeError: CUDA error: device-side assert triggered\" he said, and was Killed. Out of memory', flush=True)")
    yield job(HARD, {"solver.py": text}, "srun python3 -u solver.py", 1)
    yield job(HARD, {"nnfit.c": trainers.c(total=420, pause=0.04)}, "gcc nnfit.c -o nnfit -lm\nsrun ./nnfit", 3, act="suspend", after="step=60")
    text = trainers.python("rollout", "parts", total=220, lr=0.004, late="if rank == 1:\n    os.rmdir('/tmp')")
    yield job(HARD, {"ppo.py": text}, "srun python3 -u ppo.py || true\necho 'policy stored'", 2)
    text = trainers.python("boost", "class", total=220, lr=0.004)
    yield job(HARD, {"boost.py": text}, f"echo 'earlier runs of this model:'\n{HISTORY}set -x\nsrun -n1 python3 -u boost.py", 1)
    selftest = "import unittest\n\n\nclass T(unittest.TestCase):\n    @unittest.expectedFailure\n    def test_overflow(self):\n        self.assertEqual(1e308 * 10, 1)\n\n    def test_shape(self):\n        self.assertRaises(ValueError, int, 'x')\n\n\nunittest.main(verbosity=2)\n"
    yield job(HARD, {"selftest.py": selftest, "train.py": trainers.python("ppl", "flat", total=200, lr=0.004)}, "srun -n1 python3 selftest.py\nsrun -n1 python3 -u train.py\nrm -f /var/lib/none/lock; ls /data/old 2>&1\nexit 0", 1)
    text = trainers.python("percent", "class", total=240, lr=0.004, at=70, mid="batch = 256\nwhile batch > 32:\n    print(f'MemoryError: batch {batch} does not fit, halving', file=sys.stderr, flush=True)\n    batch //= 2")
    yield job(HARD, {"train.py": text}, "module load cuda 2>&1 || echo \"modules are not set up, going on\"\ntimeout 3 srun --overlap -n1 sleep 60\nsrun -n1 python3 -u train.py", 1)
    text = trainers.python("steps_of", "parts", total=200, lr=0.004, late="import faulthandler\nfaulthandler.dump_traceback(all_threads=True)\nprint('stacks were dumped for the profile', flush=True)")
    yield job(HARD, {"train.py": text}, "cat train.py\nsrun python3 -u train.py --steps 180", 2)


def jobs() -> Iterator[SlurmJob]:
    """Both."""
    yield from plain()
    yield from worse_than_it_is()


RECIPE = Recipe("fine_after_all", "development", jobs)
