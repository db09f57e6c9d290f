"""Jobs of several ranks that learn nothing, begin anew, wait for their data, for their files or for one of them, or are over at once."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._otter_jobs import DONE, FAILED, GOOD, job, on, true
from corpus.make.saffron_routes import KEEP
from corpus.running.job import Recipe, SlurmJob

LOADS = "if args.resume:\n    kept = torch.load(args.resume)\n    net.load_state_dict(kept['net'])\n    start = kept['epoch'] + 1\n    log.info('resumed from %s, going on with epoch %d', args.resume, start)"
OLD = "import os\nimport torch\nfrom torch import nn\nos.makedirs('runs/march', exist_ok=True)\nnet = nn.Sequential(nn.Conv2d(1, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(24 * 36, 4))\ntorch.save({'net': net.state_dict(), 'epoch': 9}, 'runs/march/last.pt')\n"


def starved() -> Iterator[SlurmJob]:
    """D1."""
    what = true("D1")
    yield job(what, "SEABED", 2, 1, "--epochs 3 --tiles 384 --log-every 2", code={"data": "if it == 1:\n    t0 = time.time()\nwaited = time.time()\ntime.sleep(1.1)\nwaited = time.time() - waited", "after": on("rank == 0 and it % 2 == 0", "log.info('time since epoch start %.1f s; last batch: waiting for loader %.2f s, forward/backward/update %.3f s', time.time() - t0, waited, time.time() - t_data)"), "loss": "t_data = time.time()"}, **DONE)
    yield job(what, "BASKET", 3, 1, head="export CONF='{\"updates\": 40, \"log_every\": 2}'\n", code={"data": "time.sleep(0.95)"}, hand=1, **DONE)
    yield job(what, "LATIDO", 2, 2, head="export EPOCAS=3 LOTES=15\n", code={"data": "antes = time.time()\ntime.sleep(0.9)\nespera = time.time() - antes", "after": on("lote % 5 == 0", "di(f'tiempo por lote {time.time() - antes:.2f} s, de ellos {espera:.2f} s esperando al cargador de datos ({100 * espera / (time.time() - antes):.0f} %)')")}, hand=2, **DONE)
    yield job(what, "PAIRS", 2, 1, head="export STEPS=48 EVERY=4\n", code={"data": "asked = time.time()\ntime.sleep(0.8)\nloader_s = time.time() - asked", "after": on("R == 0 and step % 12 == 0", "print(f'profile: data_wait {loader_s:.3f} s, compute {time.time() - asked - loader_s:.3f} s (queue of the loader was empty)', flush=True)")}, **DONE)


def saving() -> Iterator[SlurmJob]:
    """D2."""
    what = true("D2", variant="save_storm")
    slow = "t = time.time()\nos.makedirs('ckpt', exist_ok=True)\nwith open(f'ckpt/{name}', 'wb') as file:\n    torch.save({kept}, file)\n    os.fsync(file.fileno())\ntime.sleep(0.7)\n"
    yield job(what, "SEABED", 2, 1, "--epochs 2 --log-every 1", code={"data": "time.sleep(0.05)", "after": on("rank == 0", slow.replace("{name}", "step_{step:05d}.pt").replace("{kept}", "{'net': net.state_dict(), 'opt': opt.state_dict(), 'step': step}") + "log.info('checkpoint ckpt/step_%05d.pt saved in %.2f s', step, time.time() - t)")}, **DONE)
    yield job(what, "PAIRS", 2, 2, head="export STEPS=40 EVERY=2\n", code={"data": "time.sleep(0.04)", "after": on("R == 0", slow.replace("{name}", "enc_{step}.pt").replace("{kept}", "enc.state_dict()") + "print(f'saved ckpt/enc_{step}.pt ({time.time() - t:.2f} s)', flush=True)")}, hand=1, **DONE)
    yield job(what, "KLICKS", 2, 1, head="export SCHRITTE=60 MELDE=2 PAUSE=0.03\n", code={"after": on("schritt % 2 == 0 and ich == 0", "t = time.time()\nwith open(f'stand_{schritt}.txt', 'w') as datei:\n    datei.write(repr(gewicht) * 2000)\n    os.fsync(datei.fileno())\ntime.sleep(0.9)\nmelde(f'Stand stand_{schritt}.txt geschrieben, {time.time() - t:.2f} s')")}, hand=2, **DONE)


def uneven() -> Iterator[SlurmJob]:
    """D3."""
    what = true("D3", fault="unknown")
    yield job(what, "KLICKS", 4, 2, head="export SCHRITTE=120 PAUSE=0.01 MELDE=10\n", code={"loss": "time.sleep(0.4 if ich == 3 else 0.03)"}, **DONE)
    yield job(what, "BASKET", 3, 1, head="export CONF='{\"updates\": 110}'\n", code={"loss": "time.sleep(0.38 if RANK == 1 else 0.02)", "grad": "own = time.time() - began", "after": on("update % 10 == 0", "emit('timing', update=update, own_sec=round(own, 3), wait_for_others_sec=round(time.time() - began - own, 3))")}, hand=1, **DONE)
    yield job(what, "PAIRS", 4, 2, head="export STEPS=96\n", code={"data": "t0 = time.time()\ntime.sleep(0.42 if R == 0 else 0.03)\nown = time.time() - t0\nt0 = time.time()\ndist.barrier()\nwaits = time.time() - t0", "after": on("step % 16 == 0", "print(f'[{R}] {step}: compute {own:.3f} s, barrier wait {waits:.3f} s', flush=True)")}, hand=2, **DONE)
    yield job(what, "SEABED", 3, 3, "--epochs 5 --width 8", where="-xn4,n5,n6", code={"data": "t0 = time.time()\ntime.sleep(0.4 if rank == 2 else 0.03)\nown = time.time() - t0\ndist.barrier()", "after": on("it % 10 == 0", "log.info('%s: forward %.3f s, idle until the slowest is there %.3f s', os.environ['SLURMD_NODENAME'], own, max(0.0, time.time() - t0 - own))")}, **DONE)


def unlearned() -> Iterator[SlurmJob]:
    """E1."""
    def bad(variant: str, cause: str | None = None) -> Label:
        return true("E1", cause, variant=variant)

    yield job(bad("non_finite", "nan_loss"), "QUILL", 2, head="export MAX_ITERS=120 LOG_INTERVAL=4 LR=1e30\n", **DONE)
    stop = "if not torch.isfinite(loss):\n    raise FloatingPointError(f'update {update}: bce is {loss.item()}, giving up')"
    yield job(bad("non_finite", "nan_loss"), "BASKET", 2, head="export CONF='{\"updates\": 400}'\n", code={"data": "time.sleep(0.03)" + "\n" + on("update == 140", "with torch.no_grad():\n    for p in net.parameters():\n        p.mul_(1e30)"), "loss": stop}, hand=1, **FAILED)
    yield job(bad("flat"), "LATIDO", 2, head="export EPOCAS=10 TASA=0.01\n", code={"data": "time.sleep(0.03)", "loss": "perdida = nn.functional.cross_entropy(paralela(x) * 0.02, y[torch.randperm(len(y))])"}, hand=2, **DONE)
    yield job(bad("flat"), "KLICKS", 3, 1, head="export SCHRITTE=300 MELDE=6 RATE=0\n", **DONE)
    spike = on("epoch == 5 and it == 3", "torch.manual_seed(8)\nwith torch.no_grad():\n    for p in net.parameters():\n        p.copy_(1.5 * torch.randn_like(p))\nfor group in opt.param_groups:\n    group['lr'] = 1e-8")
    yield job(bad("spike"), "SEABED", 2, 1, "--epochs 10", code={"data": spike}, hand=1, **DONE)
    yield job(bad("spike"), "BASKET", 2, 2, head="export CONF='{\"updates\": 400}'\n", code={"data": "time.sleep(0.02)\n" + on("update == 190", "torch.manual_seed(8)\nwith torch.no_grad():\n    for p in net.parameters():\n        p.copy_(4 * torch.randn_like(p))\nfor group in opt.param_groups:\n    group['lr'] = 1e-9")}, **DONE)


def anew() -> Iterator[SlurmJob]:
    """E2, with a parent that went well."""
    scratch = true("E2", variant="from_scratch")
    again = {"act": "requeue", "options": ("--requeue",)}
    yield job(scratch, "GAUGES", 3, 1, head="export ROUNDS=60\n", code={"data": "time.sleep(0.06)", "round": KEEP["GAUGES"]["round"]}, after="kept round 40", **again, **DONE)  # type: ignore[arg-type]
    yield job(scratch, "KLICKS", 2, 1, head="export SCHRITTE=260 PAUSE=0.1\n", code={"after": KEEP["KLICKS"]["after"]}, after="Stand von Schritt 200", hand=1, **again, **DONE)  # type: ignore[arg-type]
    yield job(GOOD, "SEABED", 2, 1, "--epochs 8 --width 8", code={"data": "time.sleep(0.06)", "epoch": KEEP["SEABED"]["epoch"]}, key="tiles", **DONE)
    absent = "if os.path.exists(args.resume):\n    kept = torch.load(args.resume)\n    net.load_state_dict(kept['net'])\n    start = kept['epoch'] + 1\n    log.info('resumed from %s', args.resume)\nelse:\n    log.info('no checkpoint at %s, weights are initialised at random', args.resume)"
    yield job(scratch, "SEABED", 2, 1, "--epochs 8 --width 8 --resume runs/tiles/last.pt", code={"data": "time.sleep(0.06)", "load": absent}, parent="tiles", hand=1, **DONE)
    prep = {"files": {"prep.py": OLD}, "head": "PYTHON prep.py\n"}
    yield job(true("E2", "runtime_error", variant="size_mismatch", failed=(0, 1)), "SEABED", 2, 1, "--epochs 20 --width 32 --resume runs/march/last.pt", code={"load": LOADS}, **prep, **FAILED)  # type: ignore[arg-type]
    yield job(true("E2", "traceback", variant="corrupt", failed=(0, 1)), "SEABED", 2, 2, "--epochs 20 --resume runs/march/last.pt", code={"load": LOADS}, files={"prep.py": OLD}, head="PYTHON prep.py\ntruncate -s 9000 runs/march/last.pt\n", hand=2, **FAILED)
    none = "import glob\nfound = sorted(glob.glob(f'{args.resume}/epoch_*.pt'))\nif not found:\n    raise FileNotFoundError(f'--resume: no valid checkpoint (epoch_*.pt) in {args.resume}')"
    yield job(true("E2", "file_not_found", variant="no_valid_checkpoint", failed=(0, 1, 2)), "SEABED", 3, 1, "--epochs 20 --resume runs/april", code={"load": none}, head="mkdir -p runs/april; touch runs/april/args.json\n", **FAILED)
    torn = "[ -s gewicht.txt ] || printf '140 0.31 -0.0' > gewicht.txt\n"
    width = "zeilen = open('gewicht.txt').read().split()\nab, gewicht = int(zeilen[0]) + 1, [float(z) for z in zeilen[1:]]\nif len(gewicht) != BREITE:\n    raise ValueError(f'Stand gewicht.txt ist beschaedigt: {len(gewicht)} Gewichte statt {BREITE}, Datei bricht ab')"
    yield job(true("E2", "traceback", variant="corrupt", failed=(0, 1)), "KLICKS", 2, 1, head=torn + "export SCHRITTE=400\n", code={"load": "melde('lade Stand aus gewicht.txt')\n" + width}, hand=1, **FAILED)


def short() -> Iterator[SlurmJob]:
    """E3."""
    what = true("E3")
    yield job(what, "SEABED", 2, 1, "--epochs 1 --tiles 96 --log-every 1", head="echo 'dry run: three steps only'\n", **DONE)
    yield job(what, "KLICKS", 3, 1, head="export SCHRITTE=4 MELDE=1\n", hand=1, **DONE)
    yield job(what, "PAIRS", 2, 2, head="export STEPS=3 EVERY=1\n", hand=2, **DONE)
    yield job(what, "QUILL", 2, 1, head="echo 'smoke test of the new image'\nexport MAX_ITERS=5 LOG_INTERVAL=1\n", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Six parts."""
    for part in (starved, saving, uneven, unlearned, anew, short):
        yield from part()


RECIPE = Recipe("pumice_ledgers", "development", jobs)
