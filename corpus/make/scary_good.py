"""Runs that learn and end as planned, and print on their way what reads like an end: caught errors, finalisers, other programs' words, names."""

from collections.abc import Iterator
from dataclasses import dataclass

from corpus.label import Label
from corpus.running.job import LocalJob, Recipe
from corpus.running.programs import Program

DEL = "class Handle:\n    def __init__(self, path):\n        self.path = path\n    def __del__(self):\n        raise OSError(f'cannot release {self.path}')\n"
TB = "import logging, traceback\n"


@dataclass(frozen=True)
class Scare:
    """``code`` at ``stage``; ``shell`` is a batch script around the program instead."""

    code: str
    stages: tuple[str, ...] = ("data", "mid")
    helpers: str = ""
    shell: str = ""
    model: str = ""


ONCE = "if step == {s}:\n"
SCARES = (
    Scare("handle = Handle('shard.lock')\ndel handle", helpers=DEL),
    Scare("import traceback\ntry:\n    open('/data/optional/stats.json')\nexcept OSError:\n    traceback.print_exc()\n    print('no statistics file, computing them', flush=True)"),
    Scare("import logging\ntry:\n    import apex\nexcept ImportError:\n    logging.getLogger('setup').exception('apex is not there, using the plain optimizer')", ("config", "data")),
    Scare("print('config: {on_error: abort, retry_on: [OutOfMemoryError, ConnectionResetError, RuntimeError], nan_policy: raise}', flush=True)", ("config", "data")),
    Scare("print('columns: nanometers, nancy_split, is_nan, inf_count, error_rate', flush=True)"),
    Scare("import inspect\nprint(inspect.getsource(main)[:900], flush=True)\nprint(inspect.getsource(guard), flush=True)", ("config",),
          helpers="def guard(value):\n    if value != value:\n        raise RuntimeError('CUDA out of memory. Tried to allocate 2.00 GiB')\n    assert value >= 0, 'Segmentation fault'\n"),
    Scare("size = 64\nwhile size > 8:\n    try:\n        if size > 16:\n            raise MemoryError(f'batch of {size} does not fit')\n        break\n    except MemoryError as error:\n        print(f'{error}; trying {size // 2}', flush=True)\n        size //= 2"),
    Scare("import subprocess\nprint('gpu query:', subprocess.run('nvidia-smi', shell=True, capture_output=True, text=True).stderr.strip(), flush=True)", ("config", "data")),
    Scare("import subprocess\nchild = subprocess.run([sys.executable, '-c', 'import ctypes; ctypes.string_at(0)'])\nprint(f'probe of the fast decoder ended with {child.returncode}, using the slow one', flush=True)"),
    Scare("import subprocess\nsubprocess.run(['bash', '-c', 'kill -9 $$'])\nprint('stale worker removed', flush=True)"),
    Scare("import warnings\nwarnings.warn('overflow encountered in exp: RuntimeWarning expected for the first batches')"),
    Scare("for attempt in range(3):\n    try:\n        if attempt < 2:\n            raise ConnectionResetError(104, 'Connection reset by peer')\n    except ConnectionResetError as error:\n        print(f'ERROR upload failed ({error}), attempt {attempt + 1} of 5', flush=True)", ("mid", "after")),
    Scare("print('Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0', flush=True)", ("mid",)),
    Scare("print('number of skipped iterations: 0 | number of nan iterations: 0 |', flush=True)", ("mid", "after")),
    Scare("print('errors: 0, warnings: 3, failures: 0, killed: 0', flush=True)", ("after", "mid")),
    Scare("import atexit\natexit.register(lambda: 1 / 0)", ("config", "after")),
    Scare("import threading\ndef watch():\n    raise KeyError('heartbeat')\nthread = threading.Thread(target=watch, name='telemetry')\nthread.start()\nthread.join()"),
    Scare("from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(2) as pool:\n    bad = [f.exception() for f in [pool.submit(int, x) for x in ('1', 'two', '3')]]\nprint('unparsed rows:', bad, flush=True)"),
    Scare("import multiprocessing\ncontext = multiprocessing.get_context('fork')\nworker = context.Process(target=fail)\nworker.start()\nworker.join()\nprint('worker came back with', worker.exitcode, 'and its rows are read again', flush=True)",
          helpers="def fail():\n    raise ValueError('bad row 1731')\n"),
    Scare("import logging\nlogging.getLogger('dataset').error('FileNotFoundError: 3 of 41233 images are missing, left out')"),
    Scare("import logging\nlogging.getLogger('nvme').critical('spool is 91 % full, older entries are removed')"),
    Scare("print('segmentation fault lines: mIoU 0.71, boundary F1 0.64', flush=True)", ("mid", "after")),
    Scare("print('predicted text: Traceback (most recent call last): File \"a.py\", line 1 ZeroDivisionError: division by zero', flush=True)", ("after", "mid")),
    Scare("print('sample 17 >>> Process killed. Out of memory: Killed process 4711 (python)', flush=True)", ("data", "mid")),
    Scare("print('NCCL_ASYNC_ERROR_HANDLING=1 NCCL_DEBUG=WARN TORCH_NCCL_BLOCKING_WAIT=0 CUDA_LAUNCH_BLOCKING=0', flush=True)", ("config",)),
    Scare("print('n1:4711:4750 [0] NCCL WARN NET/IB : No device found.', flush=True)", ("config", "data")),
    Scare("sys.stderr.write('[W socket.cpp:697] [c10d] The client socket has failed to connect to [localhost]:29500 (errno: 97 - Address family not supported by protocol).\\n')", ("config",)),
    Scare("try:\n    raise TimeoutError('metadata service did not answer in 5 s')\nexcept TimeoutError as error:\n    sys.stderr.write(f'warning: {error}; using the copy on disk\\n')"),
    Scare("try:\n    assert loss < 0, 'never'\nexcept AssertionError as error:\n    print('self test: AssertionError raised as it should be:', error, flush=True)", ("mid",)),
    Scare("print('usage: metrics [-h] [--fail-fast] [--abort-on-nan]\\nerror handling: see docs/errors.md', flush=True)", ("config", "data")),
    Scare("loss_text = float('nan')\nprint(f'auxiliary head is off: aux_loss={loss_text}', flush=True)", ("mid",)),
    Scare("print(f'val ppl inf for language xx (no samples)', flush=True)", ("mid",)),
    Scare("import signal\nsignal.signal(signal.SIGUSR1, lambda *a: print('received SIGUSR1, writing a state file', flush=True))\nos.kill(os.getpid(), signal.SIGUSR1)"),
    Scare("import resource\nprint('RLIMIT_CORE', resource.getrlimit(resource.RLIMIT_CORE), 'cgroup oom_kill 0 oom 0 failcnt 0', flush=True)", ("config", "after")),
    Scare("import faulthandler\nfaulthandler.dump_traceback()"),
    Scare("try:\n    try:\n        {}['lr']\n    except KeyError as cause:\n        raise RuntimeError('schedule has no lr') from cause\nexcept RuntimeError:\n    import traceback\n    print(traceback.format_exc(), flush=True)\n    print('default schedule taken', flush=True)", ("config", "mid")),
    Scare("print('Exception hierarchy of the retry policy: ' + ', '.join(c.__name__ for c in (PermissionError, FileNotFoundError, MemoryError, ZeroDivisionError)), flush=True)", ("config",)),
    Scare("", shell="rm data/stale.lock\nls /data/previous || true\npython3 train.py"),
    Scare("", shell="nvidia-smi\nmodule load cuda/12.4\npython3 train.py"),
    Scare("", shell="cat /etc/shadow > /dev/null\nmkdir /opt/cache\npython3 train.py"),
    Scare("", shell="python3 -c 'import apex' || echo 'without apex'\npython3 train.py"),
    Scare("", shell="bash -c 'kill -SEGV $$'\necho \"probe said $?\"\npython3 train.py"),
    Scare("", shell="timeout 1 sleep 5\necho \"warm-up ended with $?\"\npython3 train.py"),
    Scare("", shell="python3 -c 'raise SystemExit(3)'\necho \"lint: $?\"\nset -e\npython3 train.py"),
    Scare("", shell="python3 -c 'assert 1 == 2, \"old cache\"' 2>&1 | tail -1\npython3 train.py"),
)
STYLES = ("plain", "logging", "epochs", "json", "dict", "nano", "lists", "wandbish", "table", "rank_logging", "bar")


def jobs() -> Iterator[LocalJob]:
    """Each scare at each of its stages, in two programs."""
    number = 0
    for copy in range(2):
        for scare in SCARES:
            for stage in scare.stages:
                number += 1
                style = STYLES[(number + copy) % len(STYLES)]
                model = ("line", "logistic", "line", "np_mlp", "mlp")[number % 5 if scare.shell == "" else number % 2]
                code = scare.code
                if stage == "mid" and code:
                    code = f"if step == {40 + 3 * copy}:\n" + "\n".join("    " + line for line in code.splitlines())
                at = {} if scare.shell else {stage: code}
                script = Program(model, style, total=(120, 160, 200)[number % 3], every=(5, 10)[copy], mid_step=1, seed=number, at=at, helpers=scare.helpers).text()
                files = {"train.py": script, "job.sh": f"#!/bin/bash\n{scare.shell}\n"}
                command = ("bash", "job.sh") if scare.shell else ("PYTHON", "train.py")
                yield LocalJob(Label(mode="G1", fault="none", hard=True), files, command, "torch" if model in ("np_mlp", "mlp") else "system", folders=("data",), ends=lambda s: s == 0)
                if scare.shell and stage == "mid":
                    break


RECIPE = Recipe("scary_good", "development", jobs)
