"""Ranks that never come together: a neighbour looked for elsewhere, a world larger than the crew, a lock, a death before the first meeting."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.crewed import task
from corpus.running.crews import at, crew
from corpus.running.job import LocalJob, Recipe, SlurmJob

NEVER = Label(mode="C1", fault="unknown")
PERL = """use strict; use warnings; use IO::Socket::INET; use POSIX qw(strftime);
$| = 1;
my ($rank, $world, $port) = ($ENV{SLURM_PROCID}, $ENV{PARTS} || $ENV{SLURM_NTASKS}, $ENV{PORT});
sub note { print strftime("%H:%M:%S", localtime), " part $rank: @_\\n"; }
my @links;
if ($rank == 0) {
    my $door = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $port, Listen => 9, ReuseAddr => 1, Timeout => 6) or die "door: $!";
    while (@links < $world - 1) {
        my $link = $door->accept;
        if ($link) { push @links, $link; note("part ", scalar(@links), " of ", $world - 1, " has come"); }
        else { note("still waiting, ", scalar(@links), " of ", $world - 1); }
    }
} else {
    my $link;
    until ($link) { $link = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $port) or sleep 1; }
    push @links, $link;
    note("connected to part 0");
    my $go = <$link>;
}
print $_ "go\\n" for @links;
for my $pass (1 .. 40) { select(undef, undef, undef, 0.05); note("pass $pass likelihood ", -900 / (1 + $pass)) if $pass % 5 == 0; }
"""
NODE = """const net = require('net');
const rank = +process.env.SLURM_PROCID, world = +(process.env.MEMBERS || process.env.SLURM_NTASKS), port = +process.env.PORT;
const say = (...words) => console.log(new Date().toISOString(), `[member ${rank}]`, ...words);
function train() {
  let loss = 2.3, step = 0;
  const timer = setInterval(() => {
    loss = 0.3 + (loss - 0.3) * 0.96;
    if (++step % 10 === 0) say(`step=${step} crossEntropy=${loss.toFixed(4)}`);
    if (step === 90) { clearInterval(timer); process.exit(0); }
  }, 40);
}
if (rank === 0) {
  const here = [];
  const tick = setInterval(() => say(`${here.length + 1}/${world} members`), 4000);
  net.createServer((link) => { here.push(link); if (here.length === world - 1) { clearInterval(tick); here.forEach((l) => l.write('start\\n')); train(); } }).listen(port, '127.0.0.1');
} else {
  const call = () => { const link = net.connect(port, '127.0.0.1'); link.on('error', () => setTimeout(call, 500)); link.on('data', train); link.on('connect', () => say('joined, waiting for the start')); };
  call();
}
"""
STORE = """import datetime
import os
import time
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
print(f"p{rank}: store at 127.0.0.1:{os.environ['PORT']}", flush=True)
MEET
print(f"p{rank}: together", flush=True)
w = 4.0
for step in range(1, 61):
    w *= 0.95
    time.sleep(0.03)
    if step % 10 == 0:
        print(f"p{rank}: {step:>3} / 60, cost {w:.4f}", flush=True)
"""
GLOO = """import os
import sys
import time
from datetime import timedelta
import torch
import torch.distributed as dist

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", os.environ["PORT"])
EARLY
dist.init_process_group("gloo", rank=rank, world_size=world, timeout=timedelta(seconds=PATIENCE))
AFTER
a = torch.zeros(4)
for step in range(1, 101):
    x = torch.randn(16, 4)
    e = x @ a - x.sum(1)
    g = x.T @ e / 16
    dist.all_reduce(g)
    a -= 0.05 * g / world
    time.sleep(0.03)
    if step % 20 == 0 and rank == 0:
        print(f"@{step} sq={e.square().mean().item():.4f}", flush=True)
"""
LAUNCH = """import os
import subprocess
import sys
import time

slots = int(sys.argv[1])
wanted = int(sys.argv[2])
print(f"launch: {wanted} workers wanted, starting {slots} on this host, the others on hosts of hosts.txt", flush=True)
workers = [subprocess.Popen([sys.executable, "-u", *sys.argv[3:]], env={**os.environ, "RANK": str(r), "WORLD": str(wanted)}) for r in range(slots)]
sys.exit(max(w.wait() for w in workers))
"""
LOCK = "import fcntl\nprint(f'{rank}: asking for prep.lock', flush=True)\nlock = open('prep.lock', 'w')\nfcntl.flock(lock, fcntl.LOCK_EX)\nprint(f'{rank}: has prep.lock', flush=True)"


def gloo(early: str = "", after: str = "", patience: int = 1800) -> str:
    """The program with code before and after the meeting."""
    return GLOO.replace("EARLY\n", early + "\n").replace("AFTER\n", after + "\n").replace("PATIENCE", str(patience))


def missing() -> Iterator[SlurmJob]:
    """All live, and some are not where they are looked for."""
    yield task(NEVER, crew("ring", early="global port\nif os.environ['SLURMD_NODENAME'] == 'n2':\n    port += 100"), 4, 2, state="TIMEOUT")
    yield task(NEVER, crew("ring", total=200), 4, head="export WORLD=5\n", state="TIMEOUT")
    own = "if os.environ['SLURMD_NODENAME'] == 'n2':\n    os.makedirs(f'scratch-{os.environ[\"SLURMD_NODENAME\"]}', exist_ok=True)\n    os.chdir(f'scratch-{os.environ[\"SLURMD_NODENAME\"]}')"
    yield task(NEVER.but(cause="traceback", failed_ranks=(0, 1, 2, 3)), crew("box", early=own, patience=22), 4, 2, state="FAILED", options=("--time=3",))
    yield task(NEVER, crew("gram", early="global port\nlog('looking for', world - 1, 'others from port', port)\nif rank == 2:\n    port -= 200"), 3, state="TIMEOUT")
    yield task(NEVER.but(fault="user"), crew("post", early=LOCK), 3, state="TIMEOUT")
    yield task(NEVER, crew("star"), 4, 2, head="export WORLD=6\n", state="CANCELLED", act="scancel_late", after="connected")
    yield task(NEVER, crew("desk", early="print(f'<{rank}> desk at {port}', flush=True)"), 3, srun="-l", head="export WORLD=4\n", state="TIMEOUT")
    yield task(NEVER, PERL, 3, name="em.pl", command="perl em.pl", head="export PARTS=4\n", state="TIMEOUT")
    yield task(NEVER, NODE, 3, 2, name="member.js", command="node member.js", head="export MEMBERS=4\n", state="TIMEOUT")
    store = "store = dist.TCPStore('127.0.0.1', int(os.environ['PORT']), world + 1, rank == 0, timeout=datetime.timedelta(seconds=18))\nstore.wait(['begin'], datetime.timedelta(seconds=25))"
    yield task(NEVER.but(failed_ranks=(0, 1)), STORE.replace("MEET", store), 2, state="FAILED", python="torch")
    key = "store = dist.TCPStore('127.0.0.1', int(os.environ['PORT']), world, rank == 0)\nstore.set(f'ready-{rank}-{os.environ[\"SLURM_LOCALID\"]}', '1')\nstore.wait([f'ready-{r}-0' for r in range(world)], datetime.timedelta(hours=1))"
    yield task(NEVER, STORE.replace("MEET", key), 3, state="TIMEOUT", python="torch")
    yield task(NEVER.but(failed_ranks=(0, 1)), gloo("os.environ['GLOO_SOCKET_IFNAME'] = 'ib0'"), 2, 2, state="FAILED", python="torch")
    agent = "-m torch.distributed.run --nnodes=2 --nproc-per-node=1 --node-rank=$SLURM_NODEID --master-addr=127.0.0.1 --master-port=$((PORT + SLURM_NODEID)) train.py"
    text = GLOO.replace('os.environ["SLURM_PROCID"]', 'os.environ["RANK"]').replace('os.environ["SLURM_NTASKS"]', 'os.environ["WORLD_SIZE"]').replace("EARLY\n", "").replace("AFTER\n", "").replace("PATIENCE", "900")
    yield task(NEVER, text, 2, 2, command=f"bash -c 'PYTHON {agent}'", state="TIMEOUT", python="torch")


def gone() -> Iterator[SlurmJob]:
    """One has died before, and the others do not know."""

    def died(rank: int, cause: str, fault: str = "user") -> Label:
        return NEVER.but(trigger="A1", cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))

    yield task(died(1, "traceback"), crew("desk", early=at(1, None, "token = {'desk': b'mtl'}['desk-secret']")), 3, state="TIMEOUT")
    yield task(died(2, "file_not_found"), crew("gram", early=at(2, None, "rows = open(f'shards/part-{rank:05d}.jsonl').read()")), 3, 1, state="TIMEOUT")
    yield task(died(1, "missing_module"), crew("ring", early=at(1, None, "import webdataset")), 4, 2, state="TIMEOUT")
    yield task(died(3, "permission"), crew("box", early=at(3, None, "os.makedirs('/srv/cache/k-means')")), 4, 2, srun="--label", state="CANCELLED", act="scancel_late", after="PermissionError")


def local() -> Iterator[LocalJob]:
    """A launcher of one's own starts fewer than the program wants, on a machine without Slurm."""
    label = NEVER
    yield LocalJob(label, {"train.py": crew("star", early="emit(event='start', of=world)"), "launch.py": LAUNCH}, ("PYTHON", "launch.py", "3", "4", "train.py"), "system", {"PORT": "27411"}, timeout_s=27, ends=lambda s: s == 124)
    yield LocalJob(label, {"train.py": crew("gram", early="log('ready')"), "launch.py": LAUNCH}, ("PYTHON", "launch.py", "2", "8", "train.py"), "system", {"PORT": "27437"}, timeout_s=24, ends=lambda s: s == 124)


def jobs() -> Iterator[SlurmJob | LocalJob]:
    """All."""
    yield from missing()
    yield from gone()
    yield from local()


RECIPE = Recipe("gathering_points", "development", jobs)
