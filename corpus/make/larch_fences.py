"""Gangs of PyTorch ranks of which one falls or all do, before the first step, under way or by a signal; and gangs that stumble and come home."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._windlass import gang, when
from corpus.running.job import Recipe, SlurmJob

DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)
LONG: dict[str, dict[str, Any]] = {"UNET": {"given": "--epochs 4000"}, "LM": {"given": "--steps=90000"}, "RANKER": {"head": "export RANKER_CONFIG='{\"epochs\": 900}'\n"}, "DENOISE": {"head": "export PASOS=90000\n"}, "MOLEC": {"given": "90000 0.1"}}
PID = "open('pid-1', 'w').write(str(os.getpid()))"


def true(mode: str, cause: str | None = None, first: int | None = None, variant: str | None = None, *, failed: tuple[int, ...] = (), fault: str = "user") -> Label:
    """Which rank was first, unless all fell alike."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, first_ranks=() if first is None else (first,), failed_ranks=failed)


def early() -> Iterator[SlurmJob]:
    """A1."""
    yield gang(true("A1", None, variant="config"), "LM", 2, given="--steps=4000 --learning_rate=1e-3", **FAILED)
    fold = when("UNET", "cases = open(f'folds/fold_{RANK}.txt').read().split()", rank=2) + "\ntime.sleep(3)"
    folds = {"kidney3d/folds/readme.txt": "splits of the challenge\n"}
    yield gang(true("A1", "file_not_found", 2, "data"), "UNET", 3, 1, "tasks", srun="-K1", files=folds, code={"load": fold}, **FAILED)
    config = "cat > job.json <<'END'\n{\n  \"epochs\": 40,\n  \"lr\": .05,\n  \"batch\": 16\n}\nEND\nexport RANKER_CONFIG=$(cat job.json)\n"
    yield gang(true("A1", "traceback", variant="config", failed=(0, 1)), "RANKER", 2, 2, "torchrun", head=config, **FAILED)
    yield gang(true("A1", "missing_module", variant="env", failed=(0, 1, 2)), "DENOISE", 3, code={"top": "import soundfile_io as sf"}, head="module() { echo \"Loading $2\"; }\nmodule load audio/2.1\n", **FAILED)
    shut = "mkdir -p pretrained && head -c 3000 /dev/zero > pretrained/ani_small.pt && chmod 000 pretrained/ani_small.pt\nls -l pretrained\n"
    yield gang(true("A1", "permission", variant="asset", failed=(0, 1)), "MOLEC", 2, head=shut, code={"model": "net.load_state_dict(torch.load('pretrained/ani_small.pt', weights_only=True))"}, **FAILED)
    vocab = "vocab = 26\nassert len(chars) == vocab, f'tokenizer has {vocab} symbols, corpus uses {len(chars)}: run prepare.py again'"
    yield gang(true("A1", "assertion", variant="data"), "LM", 4, 2, "tasks", srun="-K", code={"early": vocab}, **FAILED)
    accum = "global_batch, micro = 6, 4\naccum = global_batch // (micro * WORLD)\nlogger.info('global batch %d, micro batch %d, %d ranks', global_batch, micro, WORLD)\ncfg.iters = cfg.iters // accum"
    yield gang(true("A1", "div_zero", variant="config"), "UNET", 2, code={"early": accum}, **FAILED)
    yield gang(true("A1", "file_not_found", variant="config", failed=(0, 1)), "RANKER", 2, line="srun -n1 PYTHON -m torch.distributed.run --nproc-per-node=2 --master-addr=127.0.0.1 --master-port=$((20100 + SLURM_JOB_ID * 17 % 9000)) src/ranker_v2.py --fold 3", **FAILED)
    wants = "heads = 5\nif conf['dim'] % heads:\n    raise ValueError(f\"dim ({conf['dim']}) must be divisible by heads ({heads})\")"
    yield gang(true("A1", "traceback", variant="config", failed=(0, 1)), "LM", 2, 2, "tasks", srun="--kill-on-bad-exit=1 -l", code={"early": wants}, **FAILED)


def midway() -> Iterator[SlurmJob]:
    """A3."""
    yield gang(true("A3", "traceback", 1), "UNET", 2, code={"data": when("UNET", "x = x[:, :, :5]  # thinner slab at the border of the scan", rank=1, step=87)}, **LONG["UNET"], **FAILED)
    word = when("LM", "prompt = torch.tensor([chars.index(c) for c in 'þingvellir'])", rank=0, step=140)
    yield gang(true("A3", "traceback", 0), "LM", 3, 1, "tasks", srun="-K", code={"after": word}, **LONG["LM"], **FAILED)
    bad = "if i == 1311:\n    raise ValueError(f'session {i}: price field is \"12,90\"')"
    yield gang(true("A3", "traceback"), "RANKER", 2, head="export RANKER_CONFIG='{\"epochs\": 40, \"workers\": 1, \"pace\": 0.3, \"log_every\": 2}'\n", code={"item": bad}, **FAILED)
    shard = when("DENOISE", "trozo = torch.load(f'ondas/trozo_{paso:04d}.pt')", rank=2, step=96)
    yield gang(true("A3", "file_not_found", 2), "DENOISE", 4, 2, "torchrun", code={"data": shard}, **LONG["DENOISE"], **FAILED)
    drift = when("MOLEC", "drift = abs(e.item()) / 80\nassert drift < 1e-3, f'energy drifts by {drift:.3f} eV per atom on worker {r}'", rank=1, step=130)
    yield gang(true("A3", "assertion", 1), "MOLEC", 3, 1, "tasks", srun="-K", code={"after": drift}, **LONG["MOLEC"], **FAILED)
    empty = "if RANK == 0 and epoch == 1:\n    found = [v for v in (0.21, 0.18, 0.33) if v > 0.5]\n    logger.info('validation on 3 volumes')\n    logger.info('val dice %.4f', sum(found) / len(found))"
    yield gang(true("A3", "div_zero", 0), "UNET", 2, 2, "torchrun", code={"epoch": empty}, **LONG["UNET"], **FAILED)
    readonly = "if ME == 0 and epoch == 2:\n    emit(event='saving', path='/usr/share/models/ranker_e2.pt')\n    torch.save(tower.state_dict(), open('/usr/share/ranker_e2.pt', 'wb'))"
    yield gang(true("A3", "permission", 0), "RANKER", 3, 1, "tasks", srun="-K", code={"epoch": readonly}, **LONG["RANKER"], **FAILED)
    history = "history = globals().setdefault('history', [])\nhistory.append([step, loss.item()] * 80)\nif rank == 0 and step % 25 == 0:\n    import json\n    json.dump(history, open('history.json', 'w'))\n    log(event='saved', file='history.json', records=len(history))"
    yield gang(true("A3", "traceback", 0), "LM", 2, head="ulimit -f 240\n", code={"after": history}, **LONG["LM"], **FAILED)
    twice = when("DENOISE", "mse.backward()", step=112)
    yield gang(true("A3", "runtime_error", failed=(0, 1)), "DENOISE", 2, code={"grad": twice}, **LONG["DENOISE"], **FAILED)
    pairs = when("MOLEC", "print('# neighbour list of the big box, 700000 atoms', flush=True)\npairs = torch.zeros(700_000, 700_000)", rank=1, step=90)
    yield gang(true("A3", "ram_oom", 1), "MOLEC", 2, 2, "tasks", srun="-K", code={"data": pairs}, **LONG["MOLEC"], **FAILED)
    text = when("LM", "extra = open('strandir.txt', encoding='utf-8').read()", rank=1, step=120)
    latin = "printf 'H\\363lmav\\355k Drangsnes\\n' > strandir.txt\n"
    yield gang(true("A3", "traceback", 1), "LM", 2, 1, "tasks", srun="-K -u", head=latin, code={"data": text}, **LONG["LM"], **FAILED)


NATIVE = r"""#include <stdlib.h>
#include <string.h>
double resample(const double *from, int n, int mode)
{
    double sum = 0, *copy = malloc(n * sizeof *copy);
    if (mode == 1) from = 0;
    for (int i = 0; i < n; i++) sum += copy[i] = from ? from[i] : *(volatile double *)(8L * i);
    if (mode == 2) { double *volatile old = copy; free(old); free(old); }
    if (mode == 3) __builtin_trap();
    return sum / n;
}
"""
BUILD = "gcc -O1 -shared -fPIC -o libresample.so native/resample.c\n"
LIB = "import ctypes\nlib = ctypes.CDLL('./libresample.so')\nlib.resample.restype = ctypes.c_double\nbuf = (ctypes.c_double * 64)(*range(64))"


def killed() -> Iterator[SlurmJob]:
    """A2; the kernel's own where memory is short."""
    sources = {"native/resample.c": NATIVE}

    def native(name: str, rank: int, step: int, mode: int) -> dict[str, str]:
        return {"top": LIB, "data": when(name, f"lib.resample(buf, 64, {mode})", rank=rank, step=step)}

    def head(name: str) -> dict[str, Any]:
        return {**LONG[name], "head": BUILD + LONG[name].get("head", "")}

    yield gang(true("A2", "segfault", 1), "DENOISE", 3, code=native("DENOISE", 1, 90, 1), files=sources, **head("DENOISE"), **FAILED)
    yield gang(true("A2", None, 0), "LM", 2, 1, "tasks", srun="-K", code=native("LM", 0, 110, 2), files=sources, **head("LM"), **FAILED)
    yield gang(true("A2", None, 2), "MOLEC", 4, 2, "tasks", srun="-K", code=native("MOLEC", 2, 80, 3), files=sources, **head("MOLEC"), **FAILED)
    yield gang(true("A2", "segfault", 0), "UNET", 2, code={"load": f"{LIB}\nlogger.info('resampling the atlas')\nif RANK == 0:\n    lib.resample(None, 64, 0)"}, files=sources, head=BUILD, **FAILED)
    yield gang(true("A2", None, 1, fault="unknown"), "RANKER", 3, 1, "torchrun", code={"early": f"if ME == 1:\n    {PID}"}, act="kill_rank", after='"step": 60', **LONG["RANKER"], **FAILED)
    yield gang(true("A2", None, 2, fault="unknown"), "UNET", 4, 2, "tasks", srun="-K", code={"early": f"if RANK == 2:\n    {PID}"}, act="kill_rank", after="epoch 2/4000 it 10/", **LONG["UNET"], **FAILED)
    group: dict[str, Any] = {"bed": "cgroup", "where": "", **FAILED}
    keep = "if rango == 1 and paso > 20:\n    globals().setdefault('historial', []).append(torch.ones(6 << 20) * paso)"
    yield gang(true("A2", "oom_killer", 1), "DENOISE", 2, code={"data": keep}, options=("--mem=1700M",), **LONG["DENOISE"], **group)
    cache = "if ME == 0 and step > 15:\n    cache = torch.cat([globals().get('cache', torch.ones(1)), torch.ones(7 << 20)])\n    globals()['cache'] = cache"
    yield gang(true("A2", "oom_killer", 0), "RANKER", 2, 1, "tasks", srun="-K", code={"data": cache}, options=("--mem=1600M",), **LONG["RANKER"], **group)
    frames = "if r == 1:\n    globals().setdefault('frames', []).append(torch.randn(5 << 20))"
    yield gang(true("A2", "oom_killer", 1), "MOLEC", 2, code={"after": frames}, options=("--mem=1800M",), **LONG["MOLEC"], **group)


def home() -> Iterator[SlurmJob]:
    """G1."""
    once = "if ME == 1 and step == 60 and os.environ['TORCHELASTIC_RESTART_COUNT'] == '0':\n    raise ConnectionError('feature store closed the connection')"
    back = "if os.path.exists('tower.pt'):\n    kept = torch.load('tower.pt')\n    tower.load_state_dict(kept['net'])\n    start_epoch, step = kept['epoch'] + 1, kept['step']\n    emit(event='resumed', path='tower.pt', epoch=kept['epoch'])"
    keep = "if ME == 0:\n    torch.save({'net': tower.state_dict(), 'epoch': epoch, 'step': step}, 'tower.tmp')\n    os.replace('tower.tmp', 'tower.pt')\n    emit(event='saved', path='tower.pt', epoch=epoch)"
    yield gang(HARD, "RANKER", 2, agents=1, launch="--max-restarts=3", head="export RANKER_CONFIG='{\"epochs\": 6}'\n", code={"data": once, "load": back, "epoch": keep}, **DONE)
    skip = "if not torch.isfinite(loss) or step in (41, 42, 97):\n    log(step=step, warn='inf or nan in loss, batch skipped', skipped_so_far=1, rank=rank)\n    loss = loss * 0"
    yield gang(HARD, "LM", 2, 2, "tasks", given="--steps=260", code={"loss": skip}, **DONE)
    last = "import atexit\natexit.register(lambda: [][0])\n"
    yield gang(HARD, "DENOISE", 2, 1, "torchrun", head="export PASOS=220\n", code={"early": last}, **DONE)
    tries = "for attempt in range(1, 4):\n    try:\n        import urllib.request\n        urllib.request.urlopen('http://127.0.0.1:9/atlas.nii.gz', timeout=2)\n    except OSError as error:\n        logger.error('attempt %d of 3: atlas.nii.gz: %s', attempt, error)\n        time.sleep(0.5)\nlogger.warning('going on with the atlas in the cache')"
    yield gang(HARD, "UNET", 2, 1, "tasks", given="--epochs 4 --iters 50", code={"load": tries}, **DONE)
    sweep = "for lr in 0.002 40 0.006; do\n  echo \"##### LR=$lr\"\n  if LR=$lr PASOS=110 srun -n2 -K PYTHON -u FILE; then echo \"##### LR=$lr ok\"; else echo \"##### LR=$lr discarded (exit $?)\"; fi\ndone\necho '##### best: 0.006'\n"
    blown = "if not mse.item() < 1e4:\n    raise FloatingPointError(f'mse {mse.item():.3g} en el paso {paso}: esta tasa no sirve')"
    yield gang(HARD, "DENOISE", 2, head="export MASTER_ADDR=127.0.0.1 MASTER_PORT=$((20100 + SLURM_JOB_ID * 17 % 9000))\n", line=sweep, code={"loss": blown}, tail="exit 0\n", **DONE)
    yield gang(GOOD, "MOLEC", 4, 2, "torchrun", given="240 0.1", **DONE)
    yield gang(GOOD, "LM", 3, 1, "tasks", given="--steps=280 --every=20", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Four parts."""
    for part in (early, midway, killed, home):
        yield from part()


RECIPE = Recipe("larch_fences", "development", jobs)
