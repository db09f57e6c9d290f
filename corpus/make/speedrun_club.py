"""A club of hobbyists with one file and hand-made averaging of gradients, started by torchrun or srun, in arrays, in loops of shell, with whatever else stands in the script."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._bureaus import on
from corpus.make._hauls import DONE, ENDLESS, FAILED, OVER, haul
from corpus.running.job import Recipe, SlurmJob

NAME = "SPEED"
SAVE = "if step % 50 == 0 and rank == 0:\n    torch.save(dict(step=step, code=__doc__, params=[p.detach() for p in params]), f'state_step{step:06d}.pt')\n    print0(f'saved state_step{step:06d}.pt')"
LOAD = "import glob\nbegin, states = 0, sorted(glob.glob('state_step*.pt'))\nif states:\n    state = torch.load(states[-1], weights_only=True)\n    begin = state['step']\n    for p, q in zip(params, state['params']):\n        p.data.copy_(q)\n    print0(f'resuming from {states[-1]}, next step {begin + 1}')"
SHORT = ", timeout=__import__('datetime').timedelta(seconds=12)"


def waiting() -> Iterator[SlurmJob]:
    """C1, C2."""
    never, hang = Label(mode="C1", fault="unknown"), Label(mode="C2", fault="user")
    yield haul(never, NAME, 3, head="# one port for each node, says the wiki\nsed -i 's/MASTER_PORT=.*/MASTER_PORT=$((PORT + SLURM_PROCID))/' ranked.sh\n", srun="-u", **OVER)
    sleepy = on(1, None, "print('rank 1: tokenizing fineweb shard 0, please wait', flush=True)\nimport select\nselect.select([], [], [])")
    yield haul(never.but(fault="user"), NAME, 2, 2, given={"before": sleepy, "meet": SHORT}, srun="-K", **FAILED)
    yield haul(never.but(trigger="A1", cause="assertion", fault="user", first_ranks=(0,), failed_ranks=(0,)), NAME, 2, given={"before": "print(f'{rank}/{world} on', os.uname().nodename, flush=True)\n" + on(0, None, "files = [f for f in os.listdir('.') if f.startswith('fineweb_train_')]\nassert files, 'did not find any files that match fineweb_train_*.bin'")}, act="scancel_late", after="AssertionError", state="CANCELLED")
    writer = on(2, None, "import threading\nthreading.Thread(target=lambda: time.sleep(900), name='metrics-writer').start()")
    lost = on(2, 70, "shard = {0: 'a', 1: 'b'}[rank]")
    yield haul(hang.but(trigger="A3", cause="traceback", first_ranks=(2,)), NAME, 4, 2, given={"early": writer, "mid": lost, "steps": ENDLESS}, **OVER)
    branch = "if step == 64 and rank == 0:\n    gathered = torch.zeros(3, 1)\n    dist.recv(gathered, src=1)"
    yield haul(hang, NAME, 2, how="torchrun", given={"mid": branch, "steps": ENDLESS}, **OVER)
    pipe = on(1, 80, "import subprocess\nprint('uploading step 80 to the bucket', flush=True)\nsubprocess.run(['sleep', '1000'])")
    yield haul(hang.but(cause="runtime_error"), NAME, 4, 2, "torchrun", given={"mid": pipe, "steps": ENDLESS, "meet": SHORT}, **FAILED)


def stopping() -> Iterator[SlurmJob]:
    """A1, A2, A3, E1, E2, E3."""
    yield haul(Label(mode="A1", cause="traceback", variant="data", fault="user"), NAME, 2, how="torchrun", given={"early": "import array\nheader = array.array('i', open('fineweb_val.bin', 'rb').read(16))\nif header[0] != 20240520:\n    raise ValueError('magic number mismatch in fineweb_val.bin')"}, head="head -c 4096 /dev/urandom > fineweb_val.bin\n", **FAILED)
    yield haul(Label(mode="A1", cause="runtime_error", variant="config", fault="user"), NAME, 3, given={"before": "if os.environ.get('REQUIRE_FLASH', '1') == '1':\n    raise RuntimeError('FlashAttention kernels were not compiled for this architecture (sm_70)')"}, srun="-K", **FAILED)
    yield haul(Label(mode="A3", cause="traceback", fault="user", first_ranks=(1,)), NAME, 2, 2, given={"mid": on(1, 90, "y = y[:3]")}, srun="-K", **FAILED)
    yield haul(Label(mode="A2", fault="unknown", first_ranks=(1,)), NAME, 2, how="torchrun", given={"early": on(1, None, "open('pid-1', 'w').write(str(os.getpid()))"), "steps": ENDLESS}, act="kill_rank", after="step:60/", **FAILED)
    yield haul(Label(mode="A2", cause="oom_killer", fault="user", first_ranks=(0,)), NAME, 2, how="torchrun", given={"mid": on(0, 60, "globals().setdefault('val_tokens', []).append(torch.ones(4, 1 << 20))"), "steps": ENDLESS, "pause": 0.02}, options=("--mem=1800M",), bed="cgroup", where="")
    spike = "if step == 160:\n    with torch.no_grad():\n        for p in params:\n            p.mul_(-9)"
    yield haul(Label(mode="E1", variant="non_finite", cause="nan_loss", fault="user"), NAME, 2, how="torchrun", given={"mid": spike, "after": "momentum = [m * 0 for m in momentum] if step >= 160 else momentum", "rate": 0.02, "steps": 240}, **DONE)
    yield haul(Label(mode="E2", variant="from_scratch", fault="user"), NAME, 2, given={"after": SAVE, "steps": 220}, act="requeue", after="saved state_step000100.pt", options=("--requeue",), **DONE)
    yield haul(Label(mode="E2", variant="corrupt", cause="runtime_error", fault="user"), NAME, 2, how="torchrun", given={"early": LOAD, "start": "begin"}, head="printf 'PK\\003\\004 half of it' > state_step000500.pt\necho 'resume from checkpoint state_step000500.pt'\n", **FAILED)
    yield haul(Label(mode="E3", fault="user"), NAME, 4, 2, given={"steps": 2, "every": 1}, **DONE)


def queued() -> Iterator[SlurmJob]:
    """F2 to F4, in arrays and alone."""
    yield haul(Label(mode="F2", variant="requeued_recovered", fault="none"), NAME, 2, where="-xn1,n2,n3,n4,n5", given={"early": LOAD, "after": SAVE, "start": "begin", "steps": 300, "pause": 0.06}, act="lose_node_and_go_on", after="saved state_step000050", options=("--requeue",), **DONE)
    own = "echo \"### try ${SLURM_RESTART_COUNT:-0}\"\n[ ${SLURM_RESTART_COUNT:-0} -gt 0 ] || (until ls state_step*.pt > /dev/null 2>&1; do sleep 1; done; sleep 3; echo '### one hour slice is over'; scontrol requeue $SLURM_JOB_ID) &\n"
    yield haul(Label(mode="F2", variant="requeued_recovered", fault="none"), NAME, 2, how="torchrun", head=own, given={"early": LOAD, "after": SAVE, "start": "begin", "steps": 260}, act="requeues_itself", after="saved state_step000050", options=("--requeue",), **DONE)
    yield haul(Label(mode="F3", variant="advancing", fault="user"), NAME, 2, given={"steps": 5000, "pause": 0.1}, options=("--array=2",), **OVER)
    yield haul(Label(mode="F3", variant="advancing", fault="user"), NAME, 2, how="torchrun", given={"steps": 6000, "pause": 0.08, "early": "import signal\nsignal.signal(signal.SIGUSR2, lambda *_: None)\nprint0('Traceback printing on SIGUSR1 is enabled')"}, **OVER)
    yield haul(Label(mode="F4", variant="by_owner", fault="none"), NAME, 2, how="torchrun", given={"steps": ENDLESS}, act="scancel_step", after="step:120/", **FAILED)


def finished() -> Iterator[SlurmJob]:
    """G1."""
    hard = Label(mode="G1", fault="none", hard=True)
    sweep = "for lr in 0.3 0.02; do\n  echo \"== lr $lr\"\n  timeout 8 python3 -c \"raise SystemExit('no such preset: $lr')\" || echo 'preset failed (exit 1), using defaults'\ndone\n"
    yield haul(hard, NAME, 2, how="torchrun", head=sweep, given={"steps": 260}, **DONE)
    leave = "import atexit\natexit.register(lambda: print('Exception ignored in: <function Shards.__del__ at 0x7f11>\\nTraceback (most recent call last):\\n  File \"shards.py\", line 40, in __del__\\nAttributeError: \\'NoneType\\' object has no attribute \\'close\\'', file=sys.stderr, flush=True))"
    yield haul(hard, NAME, 2, 2, given={"top": leave}, **DONE)
    yield haul(Label(mode="G1", fault="none"), NAME, 3, given={"steps": 240}, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node first."""
    for part in (queued, waiting, stopping, finished):
        yield from part()


RECIPE = Recipe("speedrun_club", "development", jobs)
