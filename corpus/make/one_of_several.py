"""Crews of which one fails first, and whose others then tell of lost neighbours, closed streams and refused connections."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make.fates_in_the_queue import C_CODE, COMPILE
from corpus.make.gathering_points import gloo
from corpus.running.crewed import task
from corpus.running.crews import at, crew
from corpus.running.job import Recipe, SlurmJob


def one(mode: str, cause: str | None, rank: int, failed: int | tuple[int, ...], variant: str | None = None, fault: str = "user") -> Label:  # noqa: PLR0917
    """``failed``: how many ranks end badly, or which."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, failed_ranks=tuple(range(failed)) if isinstance(failed, int) else failed, first_ranks=(rank,))


def before() -> Iterator[SlurmJob]:
    """At their start."""
    bad: dict[str, Any] = {"state": "FAILED"}
    yield task(one("A1", "traceback", 2, (2,), "config"), crew("star", early=at(2, None, "time.sleep(1)\noptions = {'lr': 0.1, 'beta': 0.9}\nmomentum = options['momentum']")), 4, srun="-K", **bad)
    yield task(one("A1", "file_not_found", 1, (1,), "data"), crew("ring", early="print(f'ring[{rank}/{world}] reading its shard', flush=True)\ntime.sleep(1)\n" + at(1, None, "shard = open(f'/datasets/waves/train-{rank}-of-{world}.npy', 'rb').read()")), 3, srun="--kill-on-bad-exit=1", **bad)
    yield task(one("A1", "missing_module", 0, 3, "env").but(first_ranks=()), crew("box", early="from apex.parallel import convert"), 3, 1, **bad)
    yield task(one("A1", "permission", 0, 3, "env"), crew("desk", early=at(0, None, "os.mkdir('/var/lib/desk')")), 3, 2, srun="--wait=0", **bad)
    yield task(one("A1", "assertion", 1, (1,), "config"), crew("post", early=at(1, None, "time.sleep(1.5)\nassert world % 4 == 0, f'world size {world} does not divide by the four stages'")), 3, srun="-K -l", **bad)
    keeper = "python3 -c \"import os, socket, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('127.0.0.1', int(os.environ['PORT']))); time.sleep(40)\" &\nsleep 0.7\n"
    yield task(one("A1", "traceback", 0, (0,), "env"), crew("gram", early="time.sleep(0.5)"), 2, srun="-K", head=keeper, **bad)
    shape = at(1, None, "print('rank 1: first batch', flush=True)\nlayer = torch.nn.Linear(4, 2)\nlayer(torch.randn(16, 5))") + "\nother = torch.zeros(1)\ndist.all_reduce(other)"
    yield task(one("A1", "runtime_error", 1, 2, "data"), gloo(after=shape), 2, srun="--wait=12", python="torch", **bad)
    yield task(one("A1", "file_not_found", 0, 4, "env").but(first_ranks=()), crew("ring"), 4, 2, command="./ring_train --world 4", **bad)


def killed() -> Iterator[SlurmJob]:
    """By a signal, in training."""
    bad: dict[str, Any] = {"state": "FAILED"}
    yield task(one("A2", "segfault", 2, 4), crew("ring", total=600, mid=at(2, 146, "import ctypes\nctypes.cast(0, ctypes.POINTER(ctypes.c_int)).contents.value = 1")), 4, 2, srun="--wait=15", **bad)
    yield task(one("A2", None, 1, 3), crew("star", total=600, mid=at(1, 133, "sys.stderr.write('terminate called after throwing an instance of std::length_error\\n')\nos.abort()")), 3, srun="--wait=15", **bad)
    yield task(one("A2", None, 1, (1,), fault="unknown"), crew("gram", total=900, early=at(1, None, "open('pid-1', 'w').write(str(os.getpid()))")), 3, srun="-K", act="kill_rank", after="batch=120 ", **bad)
    null = C_CODE.replace("usleep(pause", "if (rank == 3 && t == 210) { double *halo = NULL; halo[t] = residual; }\n        usleep(pause")
    yield task(one("A2", "segfault", 3, (3,)), null, 4, 2, name="relax.c", head=COMPILE, command="./relax 900 40", srun="-K", **bad)
    bus = "import mmap\nwith open('feed.bin', 'w+b') as feed:\n    feed.truncate(1 << 16)\n    view = mmap.mmap(feed.fileno(), 0)\n    feed.truncate(0)\nfirst = view[9000]"
    yield task(one("A2", None, 2, (2,)), crew("post", total=600, every=5, mid=at(2, 97, bus)), 3, 1, srun="-K", **bad)
    zero = C_CODE.replace("usleep(pause", "if (rank == 1) { int left = 260 - t; if (t % (left ? left : (t > 259 ? 0 : 1)) == 77) puts(\"halo\"); }\n        usleep(pause")
    yield task(one("A2", "div_zero", 1, (1,)), zero.replace("-O1", "-O0"), 3, name="relax.c", head="gcc -O0 -o relax relax.c\n", command="./relax 900 40", srun="-K", **bad)
    busy = at(1, 40, "sum(n * n for n in range(1_500_000))", since=True)
    yield task(one("A2", None, 1, 3), crew("ring", total=900, mid=busy), 3, head="ulimit -S -t 4\n", srun="--wait=15", **bad)
    ill = "sys.stderr.write('fused_adam: this binary was built for avx512_bf16\\n')\nimport signal\nos.kill(os.getpid(), signal.SIGILL)"
    yield task(one("A2", None, 2, (2,)), crew("desk", total=600, mid=at(2, 108, ill)), 3, 2, srun="-K", **bad)


def thrown() -> Iterator[SlurmJob]:
    """By an exception, in training."""
    bad: dict[str, Any] = {"state": "FAILED"}
    yield task(one("A3", "traceback", 2, 3), crew("star", total=600, mid=at(2, 121, "raise ValueError(f'update {step}: 3 classes in labels, 2 in the head')")), 3, srun="--wait=15", **bad)
    yield task(one("A3", "div_zero", 1, 3), crew("ring", total=600, mid=at(1, 164, "accuracy = sum(1 for e in errors if e < 0) / len([r for r in rows if r[0] > 99])")), 3, 2, srun="--wait=15", **bad)
    yield task(one("A3", "file_not_found", 3, 4), crew("ring", total=600, mid=at(3, 142, "more = open('/datasets/waves/epoch-2/part-3.npy', 'rb')")), 4, srun="--label --wait=15", **bad)
    yield task(one("A3", "assertion", 1, (1,)), crew("box", total=600, mid=at(1, 118, "assert len(set(centres)) < 3, 'centres have not merged'")), 3, srun="-K", **bad)
    yield task(one("A3", "traceback", 0, 3), crew("desk", total=600, mid=at(0, 139, "best = {}['u']")), 3, 2, srun="--wait=25", **bad)
    full = "with open('/dev/full', 'w') as out:\n    out.write('state ' * 9000)"
    yield task(one("A3", "traceback", 0, 2), crew("post", total=600, mid=at(0, 104, full)), 2, srun="--wait=25", **bad)
    yield task(one("A3", "permission", 2, (2,)), crew("gram", total=600, mid=at(2, 126, "with open('/etc/gram.state', 'w') as state:\n    state.write(repr(a))")), 3, srun="-K", **bad)
    yield task(one("A3", "missing_module", 0, 3), crew("star", total=600, mid=at(0, 111, "import tensorboardX as writer")), 3, srun="--wait=15", **bad)
    hungry = "import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\nreplay = [bytearray(1 << 28) for _ in range(8)]"
    yield task(one("A3", "ram_oom", 2, 4), crew("ring", total=600, mid=at(2, 151, hungry)), 4, 2, srun="--wait=15", **bad)
    yield task(one("A3", "traceback", 1, 2), gloo(after="").replace("    dist.all_reduce(g)", "    if rank == 1 and step == 65:\n        labels = x.argmax(1).tolist()[16]\n    dist.all_reduce(g)"), 2, srun="--wait=15", python="torch", **bad)
    yield task(one("A3", "device_mismatch", 0, 2), gloo(after="").replace("    dist.all_reduce(g)", "    if rank == 0 and step == 58:\n        g = g + torch.ones(4, device='meta')\n    dist.all_reduce(g)"), 2, 2, srun="--wait=15", python="torch", **bad)
    yield task(one("A3", "runtime_error", 1, 3), crew("star", total=600, mid=at(1, 116, "raise RuntimeError(f'worker {rank}: solver did not converge in update {step}')")), 3, 2, srun="--wait=15", **bad)


def jobs() -> Iterator[SlurmJob]:
    """All."""
    yield from before()
    yield from killed()
    yield from thrown()


RECIPE = Recipe("one_of_several", "development", jobs)
