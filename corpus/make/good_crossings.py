"""Several ranks that do what they were meant to, most of them among words, exits and silences that sound otherwise."""

from collections.abc import Iterator
from typing import Any

from corpus.make._quay import GOOD, HARD, ashore, ship
from corpus.running.job import LocalJob, Recipe, SlurmJob

DONE: dict[str, Any] = {"state": "COMPLETED"}


def noisy() -> Iterator[SlurmJob]:
    """What fails is caught, tried again, or was never needed."""
    first = "tries = int(os.environ['TORCHELASTIC_RESTART_COUNT'])\nif tries and r == 0:\n    os.makedirs('cache', exist_ok=True)\n    open('cache/captions.idx', 'w').write('0')\nwhile tries and not os.path.exists('cache/captions.idx'):\n    time.sleep(0.3)\nopen('cache/captions.idx').read()"
    again = "srun -N1 -n1 PYTHON -m torch.distributed.run --standalone --nproc-per-node 3 --max-restarts 3 towers.py --iters 220\n"
    yield ship(HARD, "PAIRS", 3, body=again, code={"before": first}, **DONE)
    late = "if rank == 2:\n    for part in range(8):\n        time.sleep(5)\n        print(f'rank 2: uploading part {part + 1}/8 of the n-best lists', flush=True)"
    yield ship(HARD, "SPEECH", 3, given="conf.json", files={"conf.json": '{"max_update": 200}'}, srun="--wait=0", code={"late": "dist.barrier()\n" + late}, **DONE)
    fabric = "if rank == 0:\n    for line in (\n        'n1:4121:4121 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal net plugin.',\n        'n1:4121:4188 [0] misc/ibvwrap.cc:111 NCCL WARN Call to ibv_open_device failed',\n        'n1:4121:4188 [0] NCCL INFO NET/IB : No device found.',\n        'n1:4121:4188 [0] NCCL INFO Failed to initialize NET plugin IB',\n        'n1:4121:4188 [0] NCCL INFO NET/Socket : Using [0]eno1:10.12.0.7<0>',\n    ):\n        print(line, file=sys.stderr, flush=True)"
    yield ship(HARD, "GPT", 4, 2, given="--train-iters=220", code={"early": fabric}, **DONE)
    scaler = "if done in (3, 4, 130):\n    screen.warning('step={} gradient overflow: grads contain inf/nan (loss scale {}), update skipped', done, 65536 >> (done % 3))\n    adam.zero_grad()\n    continue"
    yield ship(HARD, "TAGGER", 2, given="optim.steps=260", code={"loss": scaler}, **DONE)
    tell = "if rank == 1 and n in (8, 31):\n    try:\n        import urllib.request\n        urllib.request.urlopen('http://127.0.0.1:9/worker/1', timeout=3)\n    except OSError:\n        import traceback\n        sys.stderr.write('heartbeat was not sent, trying again in the next round:\\n')\n        traceback.print_exc()"
    yield ship(HARD, "OUTER", 3, 1, head="export ROUNDS=56\n", code={"sent": tell}, **DONE)
    probe = "import sys\nprint('fabric check: 4 ranks, 2 nodes', flush=True)\nsys.exit('fabric check FAILED: RuntimeError: NCCL error: unhandled system error (no InfiniBand device)')\n"
    yield ship(HARD, "CLICKS", 4, 2, head="srun PYTHON check_fabric.py || echo 'continuing over Ethernet'\n", files={"check_fabric.py": probe}, given="steps:260", **DONE)
    watch = "(while :; do sleep 2; done) &\nlogger_pid=$!\n"
    yield ship(HARD, "SWIM", 4, given="240 0.05", head=watch, code={"early": "if rank == 1:\n    sys.stderr.write('--------------------------------------------------------------------------\\nWARNING: No preset parameters were found for the device that was detected:\\n\\n  Local host:            n1\\n  Device name:           mlx5_bond_0\\n\\nThe job will go on with default parameters; this may hurt its speed.\\n--------------------------------------------------------------------------\\n')"}, tail="status=$?\nkill -9 $logger_pid\nwait $logger_pid\necho \"power logger: exit $?\"\nexit $status\n", **DONE)
    tries = "for try in 1 2 3; do\n  srun bash -c 'RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS exec PYTHON -u towers.py --iters 220' && break\n  echo \"try $try ended with $?; the index is built and the ranks are started again\"\n  mkdir -p index && seq 8 > index/rows\ndone\n"
    yield ship(HARD, "PAIRS", 2, body=tries, code={"early": "rows = open('index/rows').read().split()\nsay(f'{len(rows)} rows in the index')"}, **DONE)
    tpu = "logging.error('process %d: TPU metadata server not found (HTTP 404), assuming no TPU', rank)\nlogging.warning('heartbeat of process %d is late by 31 s', 1 - rank)"
    yield ship(HARD, "PATCHES", 2, 2, given="--num_steps 180", code={"early": tpu}, **DONE)
    answers = "if step % 60 == 0 and rank == 0:\n    trainer.print(f'Q: what does \"RuntimeError: CUDA error: device-side assert triggered\" mean? A: step {step}')"
    yield ship(HARD, "LOAD", 2, code={"after": answers.replace("trainer.print", "print")}, given="--epochs 3", **DONE)


def still() -> Iterator[SlurmJob]:
    """They rest, end early on purpose, are held for a while, or go on where another ended."""
    yield ship(HARD, "SEG", 3, head="export MAX_ITERS=220 VAL=110\n", code={"val": "if self.iter == 110 and self.rank == 0 and not right.any():\n    self.log('validating on the large split: 12000 images')\n    time.sleep(36)"}, **DONE)
    agree = "flag = torch.tensor([float(time.time() - t0 > 14)])\ndist.all_reduce(flag)\nif flag.item() > 0:\n    if r == 0: say(f'time slice used up at it {it}; stopping here by design, state is in {opt.ckpt}')\n    break"
    yield ship(HARD, "PAIRS", 2, 2, given="--iters 90000 --ckpt-every 40", code={"end": agree}, **DONE)
    yield ship(HARD, "CLICKS", 6, 2, given="steps:300", act="suspend", after="step=80/", **DONE)
    keep = "mkdir -p ../keep-towers\nMORE=\n[ -s ../keep-towers/t.pth ] && MORE=--resume\nexport MORE\n"
    yield ship(GOOD, "PAIRS", 2, how="env", head=keep, given="--iters 200 --ckpt-every 50 --ckpt ../keep-towers/t.pth $MORE", key="one", options=("--job-name=towers",), **DONE)
    yield ship(HARD, "PAIRS", 2, how="env", head=keep, given="--iters 360 --ckpt-every 50 --ckpt ../keep-towers/t.pth $MORE", parent="one", options=("--job-name=towers",), **DONE)
    yield ship(GOOD, "SORTER", 2, given="--output_dir out --use_cpu --max_steps 120 --logging_steps 10 --learning_rate 8e-3 --report_to none --disable_tqdm true", **DONE)


def ashore_too() -> Iterator[LocalJob]:
    """Below gpualert-run, without Slurm."""
    agent = "python -m torch.distributed.run --nproc_per_node=2 --master_port=PORT --max_restarts=1 pretrain_decoder.py --train-iters=220 --save-interval=60"
    first = "if os.environ['TORCHELASTIC_RESTART_COUNT'] == '0':\n    raise ConnectionResetError(104, 'Connection reset by peer: object store closed the stream')"
    yield ashore(HARD, "GPT", agent, code={"before": first}, ends=lambda s: s == 0)
    yield ashore(GOOD, "TAGGER", "python -m torch.distributed.run --nproc-per-node 2 --master-port PORT tagger.py optim.steps=200 log=10", ends=lambda s: s == 0)


def jobs() -> Iterator[SlurmJob | LocalJob]:
    """Three parts."""
    for part in (noisy, still, ashore_too):
        yield from part()


RECIPE = Recipe("good_crossings", "development", jobs)
