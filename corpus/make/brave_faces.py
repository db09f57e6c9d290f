"""Companies of PyTorch ranks that do what they were meant to; what most of them say on their way would frighten somebody who reads one line."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._stands import crew, here
from corpus.make._troupes import only
from corpus.running.job import LocalJob, Recipe, SlurmJob

GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)
DONE: dict[str, Any] = {"state": "COMPLETED"}
ATTEMPT = "int(os.environ.get('TORCHELASTIC_RESTART_COUNT', 0)) == 0"


def caught(code: str, words: str) -> str:
    """It goes wrong, is told with its traceback, and does not matter."""
    return f"import logging, traceback\ntry:\n    {code}\nexcept Exception as error:\n    print({words}, flush=True)\n    traceback.print_exc()"


def on_one_machine() -> Iterator[LocalJob]:
    """Under gpualert-run."""
    yield here(GOOD, "SEG", 2, 0)
    yield here(GOOD, "GPT", 3, 0, python="torch")
    yield here(GOOD, "VIT", 2, 0)
    restart = ("--max-restarts=2",)
    yield here(HARD, "ASR", 2, 0, options=restart, places={"mid": only(1, 60, f"if {ATTEMPT}:\n    raise OSError(5, 'Input/output error', '/mnt/nfs/feats/ark.17')")})
    yield here(HARD, "DET", 2, 0, options=restart, places={"mid": only(0, 50, f"if {ATTEMPT}:\n    import ctypes\n    ctypes.string_at(32)")}, python="torch")
    yield here(HARD, "ZERO", 2, 0, options=("--max-restarts=1", "--tee=3", "--log-dir=logs"), places={"early": only(1, None, f"if {ATTEMPT}:\n    raise RuntimeError('local disk of this node is still being cleaned')")})
    yield here(HARD, "EACH", 2, 0, places={"mid": only(1, 70, caught("open('/mnt/s3/part-00070.parquet')", "me, 'shard is missing on the mirror, reading it from the origin'"))})
    yield here(HARD, "CLIP", 2, 0, places={"top": "import faulthandler\nfaulthandler.dump_traceback_later(3, repeat=True)", "after": only(None, 150, "faulthandler.cancel_dump_traceback_later()"), "total": 200})
    probe = "size = 1 << 50\nwhile True:\n    try:\n        torch.empty(size)\n        break\n    except RuntimeError as error:\n        print(f'batch size search: {size} does not fit: {str(error).splitlines()[0]}', flush=True)\n        size >>= 10\nprint('batch size search: settled', flush=True)"
    yield here(HARD, "SEG", 2, 0, places={"early": probe})
    scale = only(0, None, "if step in (4, 9, 31):\n    print(f'Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {65536 >> step // 4}: found inf in 2 tensors', flush=True)")
    yield here(HARD, "ZERO", 3, 0, places={"after": scale}, python="torch")
    leave = "import threading\ndef report():\n    time.sleep(0.2)\n    raise ConnectionRefusedError(111, 'metrics server is gone')\nthreading.Thread(target=report).start()\ntime.sleep(0.5)"
    yield here(HARD, "GPT", 2, 0, places={"late": leave})
    child = only(0, 90, "import subprocess, sys\nstatus = subprocess.run([sys.executable, '-c', 'import os; os.abort()']).returncode\nprint(json.dumps({'event': 'preview', 'status': status, 'note': 'renderer died, preview left out'}), flush=True)")
    yield here(HARD, "GAN", 2, 0, command=("PYTHON", "fit_moments.py"), env={"NPROC": "2", "PORT": "31991"}, places={"mid": child})
    yield here(HARD, "GAN", 3, 0, command=("bash", "go.sh"), files={"go.sh": "python -c 'import apex' || echo 'no fused kernels here, using plain ones'\nmodule load cuda/12.8\nrm run/*.lock\nNPROC=3 PORT=31993 python -u fit_moments.py\n"}, places={"early": "print(json.dumps({'event': 'init', 'resume': None, 'reason': 'no checkpoint found in run/, starting from scratch'}), flush=True)"})
    yield here(HARD, "DET", 2, 0, places={"after": "if step >= 170:\n    if rank == 0:\n        logging.getLogger('engine.hooks').warning('EarlyStopping: metric did not improve for 5 evaluations, stopping at iteration %d', step)\n    return", "total": 2000, "rate": 0.02})
    test = "for value in (float('nan'), float('inf')):\n    try:\n        assert value == value and value < 1e9, f'checked: {value} is refused'\n    except AssertionError as error:\n        print(f'self test, AssertionError as it should be: {error}', flush=True)"
    yield here(HARD, "EACH", 3, 0, python="torch", places={"early": test})
    saves = only(0, None, "if step == 80:\n    for target in ('/mnt/scratch/ckpt.pt', 'ckpt.pt'):\n        try:\n            torch.save(model.state_dict(), target)\n            logger.info('Saved checkpoint %s', target)\n            break\n        except (OSError, RuntimeError):\n            logger.exception('could not save checkpoint to %s, trying the next place', target)")
    yield here(HARD, "ASR", 3, 0, places={"after": saves})
    yield here(HARD, "VIT", 2, 0, python="torch", places={"after": only(1, 100, "os.kill(os.getpid(), 10)"), "early": "import signal\nsignal.signal(signal.SIGUSR1, lambda number, _: print(f'rank {rank}: caught signal {number} (SIGUSR1), dumping state: no deadlock, 0 pending collectives', flush=True))"})


def on_nodes() -> Iterator[SlurmJob]:
    """On Slurm."""
    yield crew(GOOD, "SEG", 2, **DONE)
    yield crew(GOOD, "EACH", 4, 2, "srun", launch={"srun": "-l"}, **DONE)
    yield crew(GOOD, "ZERO", 2, 2, python="torch", **DONE)
    yield crew(GOOD, "GAN", 3, how="spawn", **DONE)
    yield crew(HARD, "GPT", 2, launch={"options": "--max-restarts=3"}, places={"mid": only(1, 66, f"if {ATTEMPT}:\n    os._exit(17)")}, **DONE)
    yield crew(HARD, "CLIP", 2, how="srun", places={"late": only(1, None, "logging.error('rank 1 writes the embeddings, rank 0 has left')\ntime.sleep(12)")}, launch={"srun": "--wait=0"}, python="torch", **DONE)
    before = "echo 'sacct of the last one:'\necho '39871  asr-ft  FAILED  1:0  slurmstepd: error: *** JOB 39871 ON n4 CANCELLED AT 2026-11-20T03:11:09 DUE TO TIME LIMIT ***'\necho 'torch.OutOfMemoryError: CUDA out of memory. (batch 64; now 32)'\n"
    yield crew(HARD, "ASR", 2, how="srun", head=before, **DONE)
    monitor = "(while :; do sleep 1; done) &\nwatcher=$!\n"
    yield crew(HARD, "DET", 2, how="srun", head=monitor, tail="code=$?; kill -9 $watcher; wait $watcher; echo \"watcher ended with $?\"; exit $code\n", **DONE)
    yield crew(HARD, "VIT", 2, 2, "srun", places={"mid": only(0, 60, "print('evaluating EMA weights on the full set, this takes a while', flush=True)\ntime.sleep(16)")}, python="torch", **DONE)
    yield crew(HARD, "EACH", 2, places={"total": 420, "pause": 0.05}, act="suspend", after="step 80 ", **DONE)
    skip = "if not torch.isfinite(torch.tensor(float('nan')) if step in (33, 71) else loss):\n    print(f'[rank{rank}] non-finite loss in micro batch {step}, skipped (2 of 1000 are allowed)', flush=True)"
    yield crew(HARD, "ZERO", 3, how="srun", places={"after": skip}, **DONE)
    noisy = "import warnings\nwarnings.warn('lr_scheduler.step() before optimizer.step(): the first value of the schedule is lost', UserWarning)\nlogging.getLogger('c10d').error('[c10d] The IPv6 network addresses of (head, 29500) cannot be retrieved (gai error: -2 - Name or service not known).')"
    yield crew(HARD, "DET", 4, 2, places={"early": noisy}, python="torch", **DONE)
    clean = "class Handle:\n    def __del__(self):\n        raise ReferenceError('segment /dev/shm/psm_41 is already unlinked')\nhandle = Handle()\n"
    yield crew(HARD, "SEG", 2, how="srun", places={"early": clean}, **DONE)
    yield crew(HARD, "GPT", 3, how="srun", tail="code=$?; cp -r tensorboard /archive/alice/ ; sleep 0.3; exit $code\n", places={"after": only(2, 120, "print(f'WARNING: rank {rank} is slow: 412 ms against a median of 31 ms (is the node throttled?)', flush=True)")}, python="torch", **DONE)
    worker = "if index == 700 and not os.path.exists('seen'):\n    open('seen', 'w').close()\n    raise ValueError(f'truncated image {index}, taking its neighbour')"
    guarded = "try:\n    " + worker.replace("\n", "\n    ") + "\nexcept ValueError as error:\n    import traceback\n    traceback.print_exc()"
    yield crew(HARD, "SEG", 2, 2, places={"item": guarded, "shuffle": False, "total": 200, "workers": 1}, **DONE)


def jobs() -> Iterator[SlurmJob | LocalJob]:
    """On one machine and on nodes."""
    yield from on_one_machine()
    yield from on_nodes()


RECIPE = Recipe("brave_faces", "development", jobs)
