"""Two or three ranks on one machine, without Slurm, that do what they were meant to among loud words, second tries and late peers."""

from collections.abc import Iterator, Mapping

from corpus.label import Label
from corpus.make._stage import FILES, PROGRAMS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

HARD = Label(mode="G1", fault="none", hard=True)
RUN = "PYTHON -m torch.distributed.run --nproc-per-node 2 --master-port PORT"


def home(label: Label, name: str, command: str, code: Mapping[str, str] | None = None, python: str = "torch", **env: str) -> LocalJob:
    """One of the programs under a shell."""
    return LocalJob(label, {FILES[name].rpartition("/")[2]: fill(PROGRAMS[name], **(code or {}))}, ("bash", "-c", command), python=python, env=env, ends=lambda status: status == 0)


def jobs() -> Iterator[LocalJob]:
    """All well."""
    ranks = "for r in 2 1; do SLURM_PROCID=$r PYTHON -u probe_ps.py & done; SLURM_PROCID=0 PYTHON -u probe_ps.py; s=$?; wait; exit $s"
    light = {"SLURM_NTASKS": "3", "ROUNDS": "200"}
    stale = "if RANK == 2 and n in (70, 150):\n    try:\n        socket.create_connection(('127.0.0.1', 9), timeout=2)\n    except OSError:\n        import traceback\n        say('FATAL: metrics collector is unreachable\\n%s', traceback.format_exc())"
    yield home(HARD, "SERVE", f"export 'P'ORT=PORT; {ranks}", {"work": stale}, "system", **light)
    late = "if RANK == 0:\n    say('mapping the feature table, this takes a while')\n    time.sleep(31)"
    refused = "if int(time.time()) % 4 == 0:\n    say('ERROR: could not reach the server: %s; trying again', error)"
    yield home(HARD, "SERVE", f"export 'P'ORT=PORT; {ranks}", {"early": late, "refused": refused}, "system", **light)
    tool = "python3 -c 'import ctypes; ctypes.string_at(0)' || echo \"memcheck ended with $?; not needed\"; "
    yield home(HARD, "SERVE", f"export 'P'ORT=PORT; {tool}{ranks}", None, "system", **light)
    copy = "for try in 1 2 3; do\n    cp part-$me.csv work-$me.csv && break\n    echo \"shard $me: try $try failed, fetching the part again\" >&2\n    seq 50 > part-$me.csv\ndone"
    yield home(HARD, "SHARDS", "for r in 0 1 2; do SLURM_PROCID=$r bash shards.sh 24 0.4 & done; wait; echo 'all shards are over'", {"early": copy}, "system")
    parting = "if RANK:\n    import traceback\n    try:\n        time.sleep(1)\n        raise ConnectionAbortedError(103, 'server is leaving')\n    except OSError:\n        traceback.print_exc()\n        say('parting message was not taken; that is fine')"
    yield home(HARD, "SERVE", f"export 'P'ORT=PORT; {ranks}", {"bye": parting}, "system", **light)
    over = "if updates in (2, 3, 5, 130):\n    logger.warning('gradient overflow detected, ignoring gradient, setting loss scale to: %s (loss is nan on rank %d)', 2.0 ** (7 - updates % 4), RANK)\n    continue"
    yield home(HARD, "FSEQ", f"{RUN} fseq_train.py", {"before": "store = 'env://'", "data": over}, CFG='{"max_update": 180}')
    flush = "if me == 1:\n    import threading, urllib.request\n    last = threading.Thread(target=urllib.request.urlopen, args=('http://127.0.0.1:9/runs/flush',), name='flush')\n    last.start()\n    last.join()"
    yield home(HARD, "BYTES", f"{RUN} bytelm.py --iters 160", {"bye": flush})
    pool = "if rank == 1 and epoch == 3:\n    import multiprocessing, signal, traceback\n    from concurrent.futures import ProcessPoolExecutor\n    from concurrent.futures.process import BrokenProcessPool\n    with ProcessPoolExecutor(1, multiprocessing.get_context('fork')) as pool:\n        try:\n            pool.submit(signal.raise_signal, signal.SIGKILL).result()\n        except BrokenProcessPool:\n            traceback.print_exc()\n            print('worker 1: decoder process was killed; a new one is started', flush=True)"
    yield home(HARD, "SPAWN", "export 'P'ORT=PORT; PYTHON -u hogs.py 2", {"epoch": pool})
    spike = "if iteration in (90, 91):\n    loss = loss * 40\nif iteration == 92:\n    print_last('WARNING: loss spike (x40) at iteration 90; straggler report: rank 1 took 2.4x the median; nothing was skipped')"
    yield home(HARD, "MEGA", f"{RUN} pretrain_small.py --train-iters 180", {"loss": spike})


RECIPE = Recipe("open_rehearsals", "development", jobs)
