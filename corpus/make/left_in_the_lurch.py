"""Companies of PyTorch ranks that never come together, or that wait in the midst of training for one that stands still, is elsewhere, or is dead."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._stands import crew, here
from corpus.make._troupes import only
from corpus.running.job import LocalJob, Recipe, SlurmJob

NEVER = Label(mode="C1", fault="unknown")
HANG = Label(mode="C2", fault="user")
OVER = "TIMEOUT"
LONG = 40_000


def never_together() -> Iterator[SlurmJob | LocalJob]:
    """C1."""
    yield crew(NEVER, "GPT", 4, 2, launch={"agents": 3}, state=OVER)
    ports = "#!/bin/bash\nexport MASTER_PORT=$((30000 + RANDOM % 9000))\nexport RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS\necho \"$(hostname -s): $SLURM_PROCID of $SLURM_NTASKS, master $MASTER_ADDR:$MASTER_PORT\"\nexec \"$@\"\n"
    yield crew(NEVER, "ASR", 3, how="srun", files={"task.sh": ports}, state=OVER)
    patience = ", timeout=__import__('datetime').timedelta(seconds=17)"
    yield crew(NEVER, "EACH", 2, 2, "srun", head="export WORLD_SIZE=4\n", places={"meet": patience, "top": "os.environ['WORLD_SIZE'] = '4'"}, state="FAILED")
    yield crew(NEVER, "ZERO", 2, how="srun", head="export WORLD=3\n", places={"before": "log_dist(f'initialising the process group, {world} ranks', ranks=range(world))"}, state=OVER)
    groups = only(2, None, "dist.distributed_c10d._get_default_store().wait(['vocabulary/ready'])") + "\ndist.barrier()"
    yield crew(NEVER.but(fault="user"), "CLIP", 3, places={"early": groups}, state=OVER)
    one = "if rank == 0:\n    dist.barrier()\nstate = [None]\ndist.broadcast_object_list(state, src=0)"
    yield crew(NEVER.but(fault="user"), "VIT", 2, how="srun", launch={"srun": "-l"}, places={"early": "say('synchronising the initial weights')\n" + only(0, None, "dist.recv(torch.zeros(1), src=1)") + "\n" + one.splitlines()[-2] + "\n" + one.splitlines()[-1]}, python="torch", state=OVER)
    name = "address = os.environ['MASTER_ADDR'] = '127.0.0.1' if rank == 0 else '127.0.0.2'\nos.environ['MASTER_PORT'] = str(int(os.environ['MASTER_PORT']) + (0 if rank == 0 else 1))"
    yield crew(NEVER, "DET", 4, 2, "srun", places={"before": name}, act="scancel_late", state="CANCELLED")
    trigger = NEVER.but(fault="user", trigger="A1", cause="missing_module", first_ranks=(1,), failed_ranks=(1,))
    yield crew(trigger, "SEG", 3, 1, "srun", places={"before": only(1, None, "import nvidia_dali_lite") + "\ntime.sleep(2)"}, state=OVER)
    trigger = NEVER.but(fault="user", trigger="A2", cause="segfault", first_ranks=(2,), failed_ranks=(2,))
    yield crew(trigger, "GPT", 3, 1, "srun", launch={"srun": "--wait=0"}, python="torch", places={"before": only(2, None, "import ctypes\nctypes.string_at(24)") + "\ntime.sleep(2)"}, state=OVER)
    rank_of = "rank = 0 if 'SLURM_LOCALID' in os.environ and os.environ['SLURM_LOCALID'] == '0' else rank\nos.environ['RANK'] = str(rank)\nif os.environ['SLURM_PROCID'] != '0':\n    os.environ['MASTER_PORT'] = str(int(os.environ['MASTER_PORT']) + 40)"
    yield crew(NEVER, "CLIP", 2, 2, "srun", places={"before": rank_of, "meet": patience}, state="FAILED")
    yield here(NEVER, "EACH", 2, 124, command=("bash", "go.sh"), timeout_s=40, files={"go.sh": "for r in 0 1; do RANK=$r WORLD_SIZE=3 MASTER_ADDR=127.0.0.1 MASTER_PORT=31877 python -u run.py & done\nwait\n"})


def in_the_midst() -> Iterator[SlurmJob | LocalJob]:
    """C2."""
    lock = only(1, 70, "import threading\nguard = threading.Lock()\nguard.acquire()\nguard.acquire()")
    yield crew(HANG, "SEG", 3, places={"mid": lock, "total": LONG}, state=OVER)
    fifo = only(0, 90, "logger.info('writing speech_90.pt through a pipe')\nos.mkfifo('upload')\nopen('upload', 'wb').write(b'x')")
    yield crew(HANG, "ASR", 2, 2, "srun", places={"mid": fifo, "total": LONG}, state=OVER)
    skip = only(2, 66, "x = y = None\nrefs = torch.zeros(1)\ndist.broadcast(refs, src=2)\ndist.recv(refs, src=0)")
    yield crew(HANG, "GPT", 4, 2, places={"mid": skip, "total": LONG}, python="torch", state=OVER)
    pid = only(1, None, "open('pid-1', 'w').write(str(os.getpid()))")
    yield crew(HANG.but(fault="unknown"), "DET", 2, places={"early": pid, "total": LONG}, act="stop_rank", after="iter: 59", state=OVER)
    yield crew(HANG.but(fault="unknown"), "EACH", 4, 2, "srun", places={"early": pid, "total": LONG}, act="stop_rank", after="step 60 ", state=OVER)
    patience = ", timeout=__import__('datetime').timedelta(seconds=13)"
    shard = only(1, 50, "print('[rank1] reading the next tar of shards', flush=True)\ntime.sleep(600)")
    yield crew(HANG.but(cause="runtime_error"), "CLIP", 3, places={"mid": shard, "meet": patience}, state="FAILED")
    yield crew(HANG.but(cause="runtime_error"), "ZERO", 2, 2, "srun", launch={"srun": "-K"}, places={"mid": shard.replace("[rank1] ", ""), "meet": patience}, state="FAILED", python="torch")
    # its interpreter stays for a thread's sake, and the others wait for a rank that has told its end
    thread = "import threading\nthreading.Thread(target=time.sleep, args=(900,)).start()"
    died = HANG.but(trigger="A3", first_ranks=(1,))
    yield crew(died.but(cause="traceback"), "EACH", 3, how="srun", places={"early": only(1, None, thread), "mid": only(1, 84, "raise ValueError(f'user id {int(x[0]) + 50} is not in the table of 50')"), "total": LONG}, state=OVER)
    yield crew(died.but(cause="file_not_found", first_ranks=(0,)), "VIT", 2, places={"early": only(0, None, thread), "after": only(0, 80, "os.rename('epoch-1.part', 'epoch-1.pt')"), "total": LONG}, state=OVER)
    yield crew(died.but(cause="div_zero", first_ranks=(2,)), "GPT", 3, 1, "srun", places={"early": only(2, None, thread), "mid": only(2, 72, "weight = 1 / (len(x) - 4)"), "total": LONG}, act="scancel_late", after="iteration       70/", state="CANCELLED")
    fork = only(0, 60, "dist.barrier()\npool = mp.get_context('fork').Pool(2)\npool.apply(os._exit, (3,))", since=False) + "\n" + only(1, 60, "dist.barrier()")
    yield crew(HANG, "GAN", 2, how="spawn", places={"mid": fork, "total": LONG}, state=OVER)
    odd = only(None, 77, "if rank % 2:\n    dist.all_reduce(torch.zeros(3))\n    dist.barrier()\n    dist.barrier()")
    yield crew(HANG, "EACH", 2, places={"mid": odd.replace("dist.all_reduce(torch.zeros(3))\n", "dist.recv(torch.zeros(3), src=0)\n"), "total": LONG}, state=OVER, launch={"srun": "-u"})
    ask = only(0, 55, "import socket\nserver = socket.create_server(('127.0.0.1', 0))\nprint('waiting for an annotator at', server.getsockname()[1], flush=True)\nserver.accept()")
    yield here(HANG, "ZERO", 2, 124, places={"mid": ask, "total": LONG}, timeout_s=45)
    yield here(HANG, "DET", 3, 124, places={"mid": only(2, 60, "import queue\nqueue.Queue(1).get()"), "total": LONG}, timeout_s=45, options=("--tee=3", "--log-dir=logs"))


def jobs() -> Iterator[SlurmJob | LocalJob]:
    """Before and in training."""
    yield from never_together()
    yield from in_the_midst()


RECIPE = Recipe("left_in_the_lurch", "development", jobs)
