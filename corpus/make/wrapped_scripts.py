"""Batch scripts with functions, modules, loops, pipes and arrays around programs in several languages, which fail before or after their first step."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running import trainers
from corpus.running.batch import ELSEWHERE
from corpus.running.job import Recipe, SlurmJob
from corpus.running.meeting import COMM

MODULES = """module() { shift; for m in "$@"; do echo "Loading $m"; done; }
conda() { if [ "$1" = activate ]; then export CONDA_DEFAULT_ENV=$2 CONDA_PREFIX=$HOME/envs/$2; echo "($2) ready on $(date +%F)"; fi; }
run() { echo "+ $*"; "$@"; }
"""
STRICT = "#!/bin/bash\nset -euo pipefail\nsource ./site.sh\nmodule load gcc/12.2 python/3.11\nconda activate ml\n"
BUILD = "#!/bin/bash\nset -e\ngcc -O1 -o nnfit nnfit.c -lm\n"
LATE = "time.sleep(2.5 * ((world - 1 - rank) if {first} else rank))\n"
"""Ranks that fail one after the other, the highest or the lowest first."""
POOL = "def tokenize(row):\n    return {'ids': [ord(x) for x in row['text']]}\n"
SHARDS = "def read_shard(name):\n    try:\n        return open(name, 'rb').read()\n    except OSError as error:\n        raise RuntimeError(f'shard {name} cannot be read') from error\n"
GROUP = "async def fetch(k):\n    import asyncio\n    await asyncio.sleep(0.01 * k)\n    if k == 3:\n        os.makedirs('/usr/lib/features')\n\n\nasync def fetch_all():\n    import asyncio\n    async with asyncio.TaskGroup() as group:\n        for k in range(5):\n            group.create_task(fetch(k))\n"
PREP = "import gzip, json, random\nrandom.seed(5)\nwith gzip.open('rows.json.gz', 'wt') as f:\n    for i in range(3000):\n        f.write(json.dumps({'x': random.random(), 'text': 'ab' * (i % 7)}) + '\\n')\nprint('rows.json.gz: 3000 rows')\n"


def slow(first: bool) -> str:
    """Ranks come one by one."""
    return LATE.format(first=first)


def early() -> Iterator[SlurmJob]:
    """Before the first step."""
    user = Label(mode="A1", fault="user")
    one = user.but(failed_ranks=(0,), first_ranks=(0,))

    def job(label: Label, script: str, files: dict[str, str], ranks: int, *options: str, python: str = "system", nodes: int = 1) -> SlurmJob:
        return SlurmJob(label, {"site.sh": MODULES, **files}, script, (f"-N{nodes}", f"-n{ranks}", ELSEWHERE, *options), python, state="FAILED")

    both = {"failed_ranks": (0, 1), "first_ranks": (0,)}
    text = trainers.python("ppl", "parts", early=slow(False) + "from flash_attn import flash_attn_func", everyone=False)
    yield job(user.but(variant="env", cause="missing_module", **both), STRICT + "run srun --wait=30 python3 -u src/main.py --steps 240\n", {"src/main.py": text}, 2, nodes=2)
    doc = "import json, os, sys\nwith open('conf/run.json') as f:\n    conf = json.load(f)\nprint('model', conf['model'], 'rank', os.environ['SLURM_PROCID'])\n"
    yield job(one.but(cause="traceback"), STRICT + f"srun -n1 python3 -u - <<'PY'\n{doc}PY\necho finished\n", {"conf/run.json": '{"model": "base", "lr": 3e-4,, "steps": 900}\n'}, 1)
    text = trainers.python("boost", "flat", early="grid = [(0.1, 3), (0.03, 5), (0.01, 8)]\nlr, depth = grid[int(os.environ['SLURM_ARRAY_TASK_ID'])]\nprint('eta', lr, 'max_depth', depth, flush=True)")
    yield job(one.but(variant="config", cause="traceback"), "#!/bin/bash\necho \"task $SLURM_ARRAY_TASK_ID of job $SLURM_ARRAY_JOB_ID on $(hostname -s)\" | sed 's/ on .*//'\nsrun python3 -u sweep.py\n", {"sweep.py": text}, 1, "--array=7")
    text = trainers.python("steps_of", "parts")
    yield job(user.but(variant="config", failed_ranks=(0, 1)), "#!/bin/bash\nARGS=(\n  --lr 0.01\n  --bacth-size 32\n)\nsrun --kill-on-bad-exit=0 python3 -u train_lm.py \"${ARGS[@]}\" 2>&1\n", {"train_lm.py": text}, 2)
    yield job(one.but(cause="permission", variant="env"), "#!/bin/bash\nchmod 644 bin/nnfit\nsrun -n1 ./bin/nnfit --epochs 20\n", {"bin/nnfit": "#!/bin/sh\necho fit\n"}, 1)
    yield job(user.but(cause="file_not_found", variant="env", failed_ranks=(0, 1)), "#!/bin/bash\nsource site.sh\nmodule load deepspeed/0.14\nsrun deepspeed --num_gpus 1 pretrain.py --zero 2\n", {"pretrain.py": "print(1)\n"}, 2)
    yield job(user.but(variant="config"), STRICT + 'OUT=$SCRATCH_PROJECT/runs/$SLURM_JOB_ID\nmkdir -p "$OUT"\nsrun python3 -u train.py --out "$OUT"\n', {"train.py": trainers.python("csv")}, 1)
    text = trainers.python("logfmt", "class", early="if rank == 2:\n    vocabulary = open('/models/llama/tokenizer.json').read()\nprint(f'rank {rank}: tokenizer ready', flush=True)\ntime.sleep(6)")
    lost = user.but(variant="asset", cause="file_not_found", failed_ranks=(2,), first_ranks=(2,))
    yield job(lost, "#!/bin/bash\nexport LC_ALL=C.UTF-8\nsrun --kill-on-bad-exit=1 -l python3 -u train.py\n", {"train.py": text}, 3)
    text = trainers.python("ignite", "class", early=slow(True) + "samples, per_device = 4096, 32\nsteps_per_epoch = samples // (per_device * world - 64)")
    yield job(user.but(variant="config", cause="div_zero", failed_ranks=(0, 1), first_ranks=(1,)), STRICT + "srun --wait=30 python3 -u fit.py\n", {"fit.py": text}, 2, nodes=2)
    text = trainers.python("box", "flat", early="if rank == 0:\n    assert world % 3 == 0, f'tensor parallel size 3 does not divide {world} processes'\ntime.sleep(5)\n")
    yield job(user.but(variant="config", cause="assertion", failed_ranks=(0,), first_ranks=(0,)), "#!/bin/bash\nsrun -K python3 -u pretrain.py |& tee out.log\nexit ${PIPESTATUS[0]}\n", {"pretrain.py": text}, 4)
    text = trainers.python("rollout", "parts", early="if rank == 1:\n    replay = [bytearray(1 << 20) for _ in range(4000)]\ntime.sleep(50)")
    yield job(user.but(variant="env", cause="ram_oom", failed_ranks=(1,), first_ranks=(1,)), "#!/bin/bash\nulimit -v 1500000\nsrun --kill-on-bad-exit=1 python3 -u ppo.py\n", {"ppo.py": text}, 2)
    text = trainers.perl(early="require PDL; PDL->import();")
    yield job(one.but(variant="env", cause="missing_module"), "#!/bin/bash\nfor part in train; do\n  srun -n1 perl steps/$part.pl || { echo \"$part.pl did not succeed, see above\"; exit 1; }\ndone\n", {"steps/train.pl": text}, 1)
    text = trainers.node(early="const tf = require('@tensorflow/tfjs-node');")
    yield job(user.but(variant="env", cause="missing_module", failed_ranks=(0, 1)), "#!/bin/bash\nexport NODE_ENV=production\nsrun node trainer.js\n", {"trainer.js": text}, 2)
    text = trainers.c(early="cublasHandle_t handle; cublasCreate(&handle);")
    yield job(user, BUILD + "srun ./nnfit\n", {"nnfit.c": text}, 1)
    text = trainers.python("keras", "class", early="journal = open('/var/log/fit.log', 'a')" , everyone=False)
    yield job(one.but(variant="config", cause="permission"), STRICT + "run srun -n1 python3 -u fit.py | tee fit.txt\n", {"fit.py": text}, 1)


def training() -> Iterator[SlurmJob]:
    """After it."""
    user = Label(mode="A3", fault="user")

    def job(cause: str | None, rank: int, script: str, files: dict[str, str], ranks: int, *options: str, nodes: int = 1, failed: tuple[int, ...] = ()) -> SlurmJob:
        label = user.but(cause=cause, failed_ranks=failed or (rank,), first_ranks=(rank,))
        return SlurmJob(label, {"site.sh": MODULES, **files}, script, (f"-N{nodes}", f"-n{ranks}", ELSEWHERE, *options), "system", state="FAILED")

    text = trainers.perl(mid='if ($rank == 1) { open(my $ark, "<", "feats/raw_mfcc.$step.ark") or die "train.pl: feats/raw_mfcc.$step.ark: $!"; }')
    yield job("file_not_found", 1, "#!/bin/bash\nsrun --kill-on-bad-exit=1 perl train.pl\n", {"train.pl": text}, 3)
    text = trainers.node(mid="if (rank === world - 1) fs.writeFileSync('/etc/state.json', JSON.stringify({ step, w, b }));")
    yield job("permission", 1, "#!/bin/bash\nsrun -u -K1 node trainer.js\n", {"trainer.js": text}, 2)
    text = trainers.tcl(mid="set share [expr {1000 / ($step - 83)}]")
    yield job("div_zero", 0, "#!/bin/bash\nset -e\nsrun -n1 tclsh sweep.tcl\necho archived\n", {"sweep.tcl": text}, 1)
    shell = "step=0\nw=900\nwhile [ $step -lt 120 ]; do\n  step=$((step + 1))\n  w=$((w * 97 / 100))\n  if [ $((step % 5)) -eq 0 ]; then echo \"iter $step of 120: loss 0.$(printf %03d $w)\"; fi\n  if [ $step -eq 72 ]; then share=$((w / (step - 72))); fi\n  sleep 0.05\ndone\n"
    yield job("div_zero", 0, "#!/bin/bash\nsrun -n1 bash anneal.sh\n", {"anneal.sh": f"set -eu\n{shell}"}, 1)
    text = trainers.python("jsonl", "flat", helpers=POOL, mid="import multiprocessing\nwith multiprocessing.Pool(2) as pool:\n    rows = pool.map(tokenize, [{'text': 'abc'}, {'text': 'de'}, {'txt': 'f'}])")
    yield job("traceback", 0, STRICT + "srun -n1 python3 prep.py\nsrun -n1 python3 -u train.py\n", {"prep.py": PREP, "train.py": text}, 1)
    text = trainers.python("steps_of", "class", helpers=SHARDS, mid="if rank == 2:\n    rows = read_shard(f'/datasets/web/{step:05d}.bin')")
    yield job("file_not_found", 2, "#!/bin/bash\nsource site.sh\nrun srun --kill-on-bad-exit=1 --label python3 -u train.py\n", {"train.py": text}, 4, nodes=2)
    text = trainers.python("logfmt", "parts", helpers=GROUP, mid="import asyncio\nif rank == 0:\n    asyncio.run(fetch_all())")
    yield job("permission", 0, "#!/bin/bash\nsrun -K python3 -u main.py --log-every 8\n", {"main.py": text}, 2)
    text = trainers.python("percent", "class", mid="from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(2) as pool:\n    shares = list(pool.map(lambda n: 100 / n, [4, 2, 0]))")
    yield job("div_zero", 0, STRICT + "srun -n1 python3 -u finetune.py 2>&1 | tee -a finetune.log\n", {"finetune.py": text}, 1)
    text = trainers.python("boost", "parts", mid="import subprocess\nsubprocess.run(['gzip', '-t', 'rows.json.gz'], check=True)")
    yield job("traceback", 0, "#!/bin/bash\nset -e\npython3 prep.py\nhead -c 900 rows.json.gz > part && mv part rows.json.gz\nsrun -n1 python3 -u boost.py --steps 200\n", {"prep.py": PREP, "boost.py": text}, 1)
    text = trainers.python("csv", "flat", mid="with open('weights.bin', 'wb') as out:\n    out.write(bytes(9_000_000))\n    out.flush()")
    yield job("traceback", 0, "#!/bin/bash\nulimit -f 4096\nsrun -n1 python3 -u fit.py | tee metrics.csv; exit ${PIPESTATUS[0]}\n", {"fit.py": text}, 1)
    text = trainers.python("ppl", "flat", helpers=COMM, early="group = Group(rank, world, int(os.environ['MASTER_PORT']))", sync="loss = group.mean(loss)", everyone=False,
                           mid="if rank == 1:\n    line = b'\\x93 token'.decode('utf-8')")
    yield job("traceback", 1, "#!/bin/bash\nexport MASTER_PORT=$((21000 + SLURM_JOB_ID % 9000))\nsrun --wait=20 python3 -u lm.py\n", {"lm.py": text}, 3, failed=(0, 1, 2))
    text = trainers.python("glog", "class", helpers=COMM, early="group = Group(rank, world, int(os.environ['MASTER_PORT']))\nself.group = group", sync="loss = self.group.mean(loss)",
                           mid="if rank == 0:\n    assert lr * step < 1.0, f'warm-up is over at step {step}'")
    yield job("assertion", 0, "#!/bin/bash\nexport MASTER_PORT=$((21000 + SLURM_JOB_ID % 9000))\nsrun --wait=20 python3 -u solver.py\n", {"solver.py": text}, 2, nodes=2, failed=(0, 1))
    fold = trainers.python("ignite", "flat", total=60, at=33, early="fold = int(sys.argv[1])\nlog.info('fold %d', fold)", mid="if fold == 3:\n    table = {n: n * n for n in range(step)}\n    del table[step]")
    yield job("traceback", 0, "#!/bin/bash\nset -e\nfor fold in 1 2 3 4; do\n  srun -n1 python3 -u cv.py $fold\ndone\n", {"cv.py": fold}, 1)
    text = trainers.python("rollout", "class", mid="if rank == 1:\n    import simplejson")
    yield job("missing_module", 1, "#!/bin/bash\nsrun --kill-on-bad-exit=1 --output=/dev/stdout python3 -u ppo.py\n", {"ppo.py": text}, 2)
    text = trainers.python("box", "parts", mid="if rank == 1:\n    import resource\n    resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))\n    cache = {n: bytes(1 << 20) for n in range(4000)}")
    yield job("ram_oom", 1, "#!/bin/bash\nsrun -K1 python3 -u train.py\n", {"train.py": text}, 2, nodes=2)
    text = trainers.python("keras", "flat", mid="if rank == 3:\n    raise RuntimeError(f'scheduler: warm-up of {step} steps is longer than the schedule')")
    yield job("runtime_error", 3, STRICT + "srun --kill-on-bad-exit=1 python3 -u fit.py\n", {"fit.py": text}, 4, "--array=2")


def jobs() -> Iterator[SlurmJob]:
    """Both."""
    yield from early()
    yield from training()


RECIPE = Recipe("wrapped_scripts", "development", jobs)
