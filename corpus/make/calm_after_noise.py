"""Crews that do what they were meant to, most of them with words around it that sound otherwise."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make.below_launchers import RUNNER
from corpus.make.fates_in_the_queue import BASH, C_CODE, COMPILE
from corpus.make.gathering_points import gloo
from corpus.running.crewed import task
from corpus.running.crews import at, crew
from corpus.running.job import Recipe, SlurmJob

GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)
DONE: dict[str, Any] = {"state": "COMPLETED"}
NET = "gpu{n:02d}:{pid}:{pid} [{n}] NCCL INFO cudaDriverVersion 12040\ngpu{n:02d}:{pid}:{pid} [{n}] NCCL INFO Bootstrap : Using ib0:10.31.4.1{n}<0>\ngpu{n:02d}:{pid}:{pid} [{n}] misc/ibvwrap.cc:95 NCCL WARN Call to ibv_open_device failed\ngpu{n:02d}:{pid}:{pid} [{n}] NCCL INFO NET/IB : No device found.\ngpu{n:02d}:{pid}:{pid} [{n}] NCCL INFO NET/Socket : Using [0]ib0:10.31.4.1{n}<0>\ngpu{n:02d}:{pid}:{pid} [{n}] NCCL INFO Using non-device net plugin version 0"
RELAY = """use strict; use warnings; use IO::Socket::INET;
$| = 1;
my ($rank, $world, $port) = ($ENV{SLURM_PROCID}, $ENV{SLURM_NTASKS}, $ENV{PORT});
my ($in, $out);
my $door = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $port + $rank, Listen => 1, ReuseAddr => 1) or die "door: $!";
my $tries = 0;
until ($out) { $out = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $port + ($rank + 1) % $world) and last; warn "[$rank] connect: $! (try ", ++$tries, ")\\n"; select(undef, undef, undef, 0.4); }
$in = $door->accept;
my $w = 5 + $rank;
for my $pass (1 .. 150) {
    print $out "$w\\n"; $out->flush;
    my $other = <$in>; chomp $other;
    $w = 0.49 * ($w + $other);
    select(undef, undef, undef, 0.03);
    printf "[%d] pass %3d of 150, perplexity %.4f\\n", $rank, $pass, exp($w / 3) if $pass % 15 == 0;
}
print "[$rank] model written\\n";
"""


def once(step: int, code: str, rank: int | None = 0) -> str:
    """At one step of one rank."""
    return at(rank, step, code)


def about_the_network() -> Iterator[SlurmJob]:
    """What NCCL, gloo and sockets complain of and get over."""
    say = "print('''" + NET + "'''.format(n=rank, pid=os.getpid()), flush=True)"
    yield task(HARD, crew("ring", early=say), 4, 2, **DONE)
    yield task(HARD, crew("box", mid=once(80, "say.warning('NCCL WARN NET/IB : Got completion from peer 10.31.4.12<41873> with status=12 opcode=32 len=0 vendor err 129 (Send) localGid fe80::ba59 remoteGids, retrying on mlx5_1')", 1)), 2, 2, **DONE)
    yield task(HARD, crew("star", mid=once(60, "sys.stderr.write('[W1122 09:12:44.101 socket.cpp:752] [c10d] The client socket has failed to connect to [gpu014]:29500 (errno: 111 - Connection refused).\\n[W1122 09:12:45.103 socket.cpp:752] [c10d] The client socket has failed to connect to [gpu014]:29500 (errno: 111 - Connection refused).\\n')", 1)), 3, **DONE)
    yield task(HARD, RELAY, 3, 2, name="relay.pl", command="perl relay.pl", **DONE)
    late = "if rank == 0:\n    time.sleep(6)\nelse:\n    log('no datagram from 0 yet, asking again each half second')"
    yield task(HARD, crew("gram", early=late), 3, 2, **DONE)
    store = "try:\n    dist.TCPStore('127.0.0.1', int(os.environ['PORT']) + 70, 2, False, timeout=timedelta(seconds=2))\nexcept RuntimeError as error:\n    print(f'{type(error).__name__}: {str(error)[:160]} (metrics store is down, going on without)', flush=True)"
    yield task(HARD, gloo(early=store), 2, python="torch", **DONE)
    quiet = gloo().rstrip("\n") + "\nprint(f'rank {rank}: end of training', flush=True)\n"
    yield task(HARD, quiet, 2, 2, python="torch", head="export TORCH_DISTRIBUTED_DEBUG=DETAIL TORCH_CPP_LOG_LEVEL=INFO TORCH_SHOW_CPP_STACKTRACES=1\n", **DONE)
    tries = "import socket\nfor attempt in (1, 2, 3):\n    try:\n        socket.create_connection(('127.0.0.1', 9), 1)\n    except OSError as error:\n        emit(event='metrics', level='ERROR', message=f'push to gateway failed: {error}', attempt=attempt)"
    yield task(HARD, crew("star", early=tries), 3, 1, srun="-l", **DONE)


def helpers() -> Iterator[SlurmJob]:
    """Helpers that die or are killed beside a run that does not need them any more."""
    kill = "import subprocess\nhelper = subprocess.Popen(['sleep', '900'])\ntime.sleep(0.3)\nhelper.kill()\nsys.stderr.write(f'prefetcher {helper.pid} ended with {helper.wait()}, starting it again\\n')"
    yield task(HARD, crew("ring", mid=once(70, kill, 2)), 4, 2, **DONE)
    crash = "import subprocess\nsubprocess.run([sys.executable, '-c', 'import ctypes; ctypes.string_at(0)'])\nsay.warning('the plotting process crashed (SIGSEGV), no picture for this round')"
    yield task(HARD, crew("box", mid=once(66, crash, 0)), 2, **DONE)
    watch = "(while sleep 2; do date +'%T nvidia-smi: Failed to initialize NVML: Driver/library version mismatch'; done) & watcher=$!\n"
    yield task(HARD, crew("desk"), 3, head=watch, tail="code=$?\nkill -9 $watcher\nwait $watcher\necho \"watcher left with $?\"\nexit $code\n", **DONE)
    yield task(HARD, C_CODE, 2, 2, name="relax.c", head=COMPILE + "python3 -c 'raise SystemExit(\"telemetry: no token, not sending\")'\n", command="./relax 260 30", **DONE)
    lost = "import multiprocessing\n\ndef decode():\n    os.kill(os.getpid(), 11)\n\nworker = multiprocessing.get_context('fork').Process(target=decode)\nworker.start()\nworker.join()\nlog('decoder', worker.pid, 'died with', worker.exitcode, '- its 12 files are read again in this process')"
    yield task(HARD, crew("gram", mid=once(50, lost, 1)), 2, 2, **DONE)
    yield task(HARD, crew("ring"), 3, tail="code=$?\nrsync -a out/ backup:/archive/ || echo \"backup: rsync came back with $?\" >&2\nexit $code\n", **DONE)
    tunnel = "python3 -m http.server --bind 127.0.0.1 $((PORT + 60)) > /dev/null 2>&1 & board=$!\n"
    yield task(HARD, crew("post"), 2, head=tunnel, tail="code=$?\nkill $board\nwait $board; echo \"board: $? (terminated)\"\nexit $code\n", **DONE)


def recovered() -> Iterator[SlurmJob]:
    """Errors that were caught, and mended."""
    caught = "import traceback\ntry:\n    open('/lake/shards/00007.tar')\nexcept OSError:\n    traceback.print_exc()\n    print(f'ring[{rank}/{world}] shard 7 left out', flush=True)"
    yield task(HARD, crew("ring", mid=once(90, caught, 1)), 3, 1, **DONE)
    memory = "try:\n    raise MemoryError('CUDA out of memory. Tried to allocate 2.00 GiB')\nexcept MemoryError as error:\n    say.error('%s; batch cut in two, trying again', error)"
    yield task(HARD, crew("box", mid=once(54, memory, 1)), 2, 2, **DONE)
    skips = "if step in (20, 21, 22):\n    emit(event='scaler', message='found inf or nan in gradients, step skipped', scale=65536 / 2 ** (step - 19))"
    yield task(HARD, crew("star", mid=skips), 2, **DONE)
    yield task(HARD, crew("desk", mid=once(75, "print(f'<{rank}> Segmentation fault in libjpeg worker was handled, sample 991 replaced', file=sys.stderr, flush=True)", 2)), 3, 2, **DONE)
    yield task(HARD, crew("post", mid=once(88, "import warnings\nwarnings.warn('RuntimeError: NaN in 3 of 4096 rows, rows dropped')", 0)), 2, **DONE)
    yield task(HARD, crew("gram", mid=once(64, "log('KILLED 0 FAILED 0 TIMEOUT 0 (job table of the sweep, all fine)')", 0)), 2, **DONE)
    again = "for try in 1 2 3; do\n  srun -n2 python3 -u train.py && break\n  echo \"attempt $try failed with $?, once more\" >&2\n  sleep 1\ndone\n"
    flaky = "import pathlib\nmarker = pathlib.Path(f'been-{rank}')\nif not marker.exists():\n    marker.write_text('x')\n    raise ConnectionError('licence server does not answer')"
    yield SlurmJob(HARD, {"train.py": crew("star", early=flaky)}, f"#!/bin/bash\nexport PORT=$((24000 + SLURM_JOB_ID * 13 % 7000))\n{again}", ("-N1", "-n2", "-xn3,n4,n5,n6"), "system", state="COMPLETED")
    check = "srun -n1 python3 -c 'import torch' || echo 'no torch on this node, the NumPy-free trainer will do'\n"
    yield task(HARD, crew("ring"), 2, head=check, **DONE)
    nan = "best = float('nan') if step < 20 else round(mae, 3)\nif step % 30 == 0 and rank == 0:\n    print(f'# best so far: {best} (nan until batch 20)', flush=True)"
    yield task(HARD, crew("post", mid=nan), 2, 2, **DONE)
    dump = "import faulthandler\nfaulthandler.dump_traceback(file=sys.stderr)\nlog('stack dump on request, nothing is wrong')"
    yield task(HARD, crew("gram", mid=once(44, dump, 1)), 3, **DONE)


def at_the_end() -> Iterator[SlurmJob]:
    """Noise behind the last step."""
    yield task(HARD, crew("ring", late="import atexit\natexit.register(lambda: sys.stderr.write('Exception ignored in: <function Pool.__del__ at 0x7f21c0>\\nAttributeError: NoneType object has no attribute dumps\\n'))"), 3, **DONE)
    yield task(HARD, crew("box", late="sys.stderr.write('[rank%d]:[W1122 10:02:11.220 ProcessGroupNCCL.cpp:1250] Warning: WARNING: process group has NOT been destroyed before we destruct ProcessGroupNCCL.\\n' % rank)"), 2, **DONE)
    yield task(HARD, crew("star", late="emit(event='upload', level='ERROR', message='503 Service Unavailable, run stays local')"), 2, 2, **DONE)
    yield task(HARD, crew("desk", late="import threading\nthreading.Thread(target=lambda: 1 / 0).start()\ntime.sleep(0.3)"), 2, **DONE)
    slow = at(0, None, "log('writing the index, the others have left')\ntime.sleep(11)\nlog('index written')")
    yield task(HARD, crew("gram", late=slow), 3, srun="--wait=0", **DONE)
    yield task(HARD, crew("ring"), 2, tail="code=$?\npython3 evaluate.py || echo \"evaluation is optional: $?\"\nexit $code\n", **DONE)
    yield task(HARD, BASH, 2, name="evolve.sh", command="bash evolve.sh 120 0.06", tail="code=$?\nscontrol show job 1 > /dev/null\nls /scratch/old-runs\nexit $code\n", **DONE)


def plain() -> Iterator[SlurmJob]:
    """Nothing to see."""
    yield task(GOOD, crew("desk", total=200), 4, 2, **DONE)
    yield task(GOOD, C_CODE, 4, 2, name="relax.c", head=COMPILE, command="./relax 300 30", **DONE)
    yield task(GOOD, crew("gram", total=180), 2, options=("--array=2",), **DONE)
    both = "0 python3 -u train.py\n1-2 python3 -u train.py\n"
    yield task(GOOD, crew("star", total=150), 3, srun="--multi-prog roles", command=" ", files={"roles": both}, **DONE)
    actors = "export PORT=$PORT\n"
    yield task(GOOD, crew("ring", total=140), 1, head=actors, command="python3 -u actors.py 3 train.py", files={"actors.py": RUNNER}, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All."""
    for part in (about_the_network, helpers, recovered, at_the_end, plain):
        yield from part()


RECIPE = Recipe("calm_after_noise", "development", jobs)
