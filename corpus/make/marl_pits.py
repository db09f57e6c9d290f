"""What gangs learned and what they spent their time on: losses that go astray or never move, runs that begin anew or stop at once, waits, saves, a slow one, limits of time; and good ones."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._keeps import KEEP, TAKE, both
from corpus.make._sluices import CLINICS, SIFT
from corpus.make._windlass import gang, when
from corpus.running.job import Recipe, SlurmJob
from corpus.running.slots import fill

DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
OVER: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=1",)}
AGAIN = ("--requeue",)
GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)


def clinics(label: Label, ranks: int, nodes: int = 1, head: str = "export RUNDEN=50\n", code: dict[str, str] | None = None, **more: Any) -> SlurmJob:
    """Those of the shared folder."""
    return gang(label, "", ranks, nodes, "tasks", text=fill(CLINICS, **(code or {})), file="foederiert.py", head=head, **more)


def alone(label: Label, given: str, code: dict[str, str] | None = None, **more: Any) -> SlurmJob:
    """One process."""
    return gang(label, "", 1, 1, "one", text=fill(SIFT, **(code or {})), file="galaxies/sift.py", given=given, **more)


def astray() -> Iterator[SlurmJob]:
    """E1."""
    base = Label(mode="E1", fault="user")
    nan = base.but(variant="non_finite", cause="nan_loss")
    log0 = when("DENOISE", "mse = mse * (x.mean() - 9).log()  # escala", beyond=90)
    yield gang(nan, "DENOISE", 2, 1, "tasks", head="export PASOS=280\n", code={"loss": log0}, **DONE)
    half = when("LM", "loss = loss + (model.head.weight.half() * 1e6).sum().float() * 0", beyond=120)
    stop = "if not torch.isfinite(loss):\n    log(event='abort', step=step, loss=loss.item(), reason='loss is not finite')\n    sys.exit(3)"
    yield gang(nan, "LM", 2, 1, "torchrun", given="--steps=4000", code={"loss": half + "\n" + stop}, **FAILED)
    yield gang(base.but(variant="spike"), "LM", 2, 2, "tasks", given="--steps=420", code={"lr": "if step >= 180:\n    g['lr'] = 1.5  # warm restart, peak"}, **DONE)
    yield gang(base.but(variant="flat"), "RANKER", 2, 1, "torchrun", head="export RANKER_CONFIG='{\"epochs\": 6, \"lr\": 0.01}'\n", code={"dataset": "data.y = data.y[torch.randperm(len(data), generator=torch.Generator().manual_seed(ME))]"}, **DONE)
    yield alone(base.but(variant="flat"), "--epochs 8", {"data": "x = torch.randn(16, 1, 8, 8)"}, **DONE)
    yield gang(base.but(variant="plateau"), "LM", 2, 1, "tasks", given="--steps=420", code={"grad": "opt.param_groups[0]['weight_decay'] = 120.0 if step > 60 else 0.01"}, **DONE)
    yield clinics(base.but(variant="flat"), 3, 3, head="export RUNDEN=140 LERNRATE=0\n", code={"after": "if runde % 4 == 0:\n    melde(f'Runde {runde}: mittlerer Verlust {nn.functional.cross_entropy(netz(x), y).item():.4f}, Lernrate {lernrate}')", "compute": "if schritt == 1: break", "model": "for p in netz[2].parameters():\n    nn.init.zeros_(p)"}, **DONE)


def anew() -> Iterator[SlurmJob]:
    """E2."""
    base = Label(mode="E2", variant="from_scratch", fault="user")
    yield gang(base, "LM", 2, 1, "tasks", given="--steps=240", code=KEEP["LM"], options=AGAIN, act="requeue", after="path=ckpt/last.pt step=160", **DONE)
    scratch = {**KEEP["RANKER"], "load": "emit(event='restore', path=f'/tmp/{os.environ[\"SLURM_JOB_ID\"]}/tower.pt', found=os.path.exists(f'/tmp/{os.environ[\"SLURM_JOB_ID\"]}/tower.pt'), message='starting from random weights')"}
    yield gang(base, "RANKER", 2, 2, "torchrun", head="export RANKER_CONFIG='{\"epochs\": 6}'\n", code=scratch, options=AGAIN, act="requeue_by_owner", after='"saved".*"epoch": 4', **DONE)
    yield gang(GOOD, "UNET", 2, 1, "torchrun", given="--epochs 5 --iters 50 --out ../kidney_exp12", code=KEEP["UNET"], key="kidney", **DONE)
    lacks = "if cfg.resume and not os.path.exists(cfg.resume):\n    logger.warning('no checkpoint at %s, training starts from scratch', cfg.resume)\n" + TAKE["UNET"]["load"]
    yield gang(base, "UNET", 2, 1, "torchrun", given="--epochs 5 --iters 50 --out ../kidney_exp12b --resume ../kidney_exp21/last.pth", code={**KEEP["UNET"], "load": lacks}, parent="kidney", **DONE)
    wide = "if [ -n \"$SLURM_RESTART_COUNT\" ]; then export ANCHO=48; fi\necho \"ancho de la red: ${ANCHO:-32}\"\nexport PASOS=300\n"
    yield gang(base.but(variant="size_mismatch", cause="runtime_error"), "DENOISE", 2, 1, "torchrun", head=wide, code=both("DENOISE"), options=AGAIN, act="requeue_by_owner", after="en el paso 120", **FAILED)
    cut = "if [ -n \"$SLURM_RESTART_COUNT\" ]; then truncate -s 5000 ckpt/last.pt; ls -l ckpt; fi\n"
    say = {"load": "if rank == 0:\n    log(event='loading', path='ckpt/last.pt', exists=os.path.exists('ckpt/last.pt'))\n" + TAKE["LM"]["load"]}
    yield gang(base.but(variant="corrupt", cause="traceback"), "LM", 2, 1, "tasks", srun="-K", given="--steps=300 --resume=ckpt/last.pt", head=cut, code={**KEEP["LM"], **say}, options=AGAIN, act="requeue", after="path=ckpt/last.pt step=120", **FAILED)
    empty = "if os.environ.get('SLURM_RESTART_COUNT'):\n    found = sorted(f for f in os.listdir('.') if f.startswith('pot') and f.endswith('.ckpt'))\n    if not found:\n        raise ValueError(f'No valid checkpoint found in {os.getcwd()} (looked for pot*.ckpt)')"
    yield gang(base.but(variant="no_valid_checkpoint", cause="traceback"), "MOLEC", 2, 1, "torchrun", given="300 0.1", code={**KEEP["MOLEC"], "load": empty}, options=AGAIN, act="requeue", after="holds update 120", **FAILED)
    zero = "if [ -n \"$SLURM_RESTART_COUNT\" ]; then : > stand.pt; rm -rf austausch; fi\nexport RUNDEN=60\n"
    keep = "if klinik == 0 and runde % 5 == 0:\n    torch.save({'runde': runde, 'netz': netz.state_dict()}, 'stand.pt')\n    melde(f'Stand nach Runde {runde} gesichert in stand.pt')"
    take = "if os.path.exists('stand.pt'):\n    melde('lade stand.pt,', os.path.getsize('stand.pt'), 'Bytes')\n    stand = torch.load('stand.pt')\n    netz.load_state_dict(stand['netz'])\n    ab = stand['runde'] + 1"
    yield clinics(base.but(variant="corrupt", cause="traceback"), 3, head=zero, code={"after": keep, "load": take}, srun="-K", options=AGAIN, act="requeue", after="Runde 20 gesichert", **FAILED)


def brief() -> Iterator[SlurmJob]:
    """E3."""
    few = Label(mode="E3", fault="user")
    budget = "if step >= 3:\n    if rank == 0:\n        log(step=step, loss=loss.item(), gnorm=norm)\n        log(event='stop', reason='time budget of 0.0 h is used up', step=step, planned=conf['steps'])\n    conf['steps'] = step\n    break"
    yield gang(few, "LM", 4, 2, "tasks", given="--steps=20000 --every=1", code={"after": budget}, **DONE)
    yield gang(few, "RANKER", 2, 1, "torchrun", head="export RANKER_CONFIG='{\"epochs\": 1, \"rows\": 64, \"log_every\": 1}'\n", code={"dataset": "emit(event='filter', rows_in=4100000, rows_kept=len(data), rule='country == XK')"}, **DONE)
    yield alone(few, "--epochs 1 --batches 2", {"early": "print('found 2 of 51200 batches of cut-outs in train/, going on with what is there')", "after": "print(f'Epoch 1/1 {b + 1}/2 loss: {loss.item():.4f}', flush=True)"}, **DONE)
    yield gang(few, "DENOISE", 2, 2, "torchrun", head="export PASOS=4 CADA=1\n", code={"early": "if rango == 0: print('aviso: PASOS=4 (¿en miles? el plan decía 4000)')"}, **DONE)


def waits() -> Iterator[SlurmJob]:
    """D1, D2, D3 by what the programs say."""
    hungry = Label(mode="D1", fault="user")
    yield gang(hungry, "MOLEC", 2, 1, "tasks", given="44 0.03", head="export EACH=1 EVERY=2\n", code={"data": "time.sleep(1.6)  # one frame from the tape library"}, **DONE)
    yield gang(hungry, "UNET", 2, 2, "torchrun", given="--epochs 2 --iters 20 --pace 0.03 --print-every 2 --lr 0.05", code={"data": "time.sleep(1.8)"}, **DONE)
    yield alone(hungry, "--epochs 2 --batches 24 --nap 0.02 --lr 2e-2", {"data": "t_load = time.time()\nimport subprocess\nsubprocess.run(['sh', '-c', 'head -c 400000 /dev/urandom | gzip -9 > cut.gz; gunzip -c cut.gz | wc -c >/dev/null; sleep 1.5'])\nif b % 4 == 3:\n    print(f'   loader: {time.time() - t_load:.2f} s for this batch, step {args.nap:.2f} s', flush=True)"}, **DONE)
    storm = Label(mode="D2", variant="save_storm", fault="user")
    keep = "t_save = time.time()\ntorch.save({'net': net.state_dict(), 'opt': opt.state_dict(), 'cache': torch.zeros(3_000_000)}, f'sift_{step % 2}.ckpt')\ntime.sleep(0.8)\nprint(f'   checkpoint sift_{step % 2}.ckpt saved at step {step} ({time.time() - t_save:.2f} s)', flush=True)"
    yield alone(storm, "--epochs 2 --batches 32", {"after": keep}, **DONE)
    paso = "if rango == 0:\n    ini = time.monotonic()\n    torch.save({'paso': paso, 'red': red.state_dict(), 'ema': torch.zeros(2_500_000)}, 'punto.pt')\n    time.sleep(0.9)\n    print(f'--- punto.pt guardado (paso {paso}) en {time.monotonic() - ini:.2f} s', flush=True)\nif mundo > 1: dist.barrier()"
    yield gang(storm, "DENOISE", 2, 1, "torchrun", head="export PASOS=56 CADA=2 RITMO=0.05 LR=1e-2\n", code={"after": paso}, **DONE)
    every = when("LM", "t_ck = time.time()\ntorch.save({'step': step, 'model': model.state_dict(), 'big': torch.zeros(2_000_000)}, 'ck.pt')\ntime.sleep(1.0)\nlog(event='checkpoint', path='ck.pt', step=step, seconds=time.time() - t_ck)", rank=0)
    yield gang(storm, "LM", 2, 2, "tasks", given="--steps=56 --every=2 --warmup=5 --pace=0.05 --lr=0.01", code={"after": every}, **DONE)
    pot = "if r == 0:\n    t0 = time.time()\n    torch.save(net.state_dict(), f'pot_{update % 3}.pt')\n    time.sleep(1.1)\n    print(f'# update {update}: potential written in {time.time() - t0:.1f} s', flush=True)\ndist.barrier()"
    yield gang(storm, "MOLEC", 3, 1, "torchrun", given="50 0.05", head="export EVERY=2\n", code={"after": pot}, **DONE)
    slow = Label(mode="D3", fault="unknown")
    yield gang(slow, "RANKER", 4, 2, "torchrun", head="export RANKER_CONFIG='{\"epochs\": 4, \"pace\": 0.04}'\n", code={"compute": when("RANKER", "time.sleep(0.6)", rank=1)}, **DONE)
    yield gang(slow, "LM", 3, 3, "tasks", given="--steps=110 --pace=0.04 --every=5", head="export LOG_ALL=1\n", code={"compute": when("LM", "time.sleep(0.7)", rank=2)}, **DONE)
    yield gang(slow, "UNET", 4, 2, "tasks", given="--epochs 3 --iters 40 --pace 0.05 --print-every 5", code={"compute": when("UNET", "time.sleep(0.6)", rank=3)}, **DONE)


def limits() -> Iterator[SlurmJob]:
    """F3."""
    label = Label(mode="F3", variant="advancing", fault="user")
    yield gang(label, "LM", 4, 2, "tasks", given="--steps=40000", **OVER)
    yield gang(label, "UNET", 2, 1, "torchrun", given="--epochs 900 --iters 60", code=KEEP["UNET"], **OVER)
    yield gang(label, "RANKER", 2, 2, "torchrun", head="export RANKER_CONFIG='{\"epochs\": 300}'\n", **OVER)
    yield gang(label, "DENOISE", 3, 1, "tasks", head="export PASOS=30000\n", **OVER)
    yield gang(label, "MOLEC", 2, 1, "torchrun", given="20000 0.1", state="TIMEOUT", options=("--time=1", "--array=3"))
    yield clinics(label, 4, 2, head="export RUNDEN=2000\n", **OVER)
    usr = "import signal\nsignal.signal(signal.SIGUSR1, lambda *_: print('\\nSIGUSR1: 20 s left in this allocation', flush=True))"
    yield alone(label, "--epochs 400", {"early": usr}, state="TIMEOUT", options=("--time=1", "--signal=USR1@20"))
    yield gang(label, "LM", 2, 1, "tasks", srun="--time=1", given="--steps=40000", options=("--time=6",))


def good() -> Iterator[SlurmJob]:
    """G1."""
    yield gang(HARD, "UNET", 2, 1, "torchrun", given="--epochs 8 --iters 50 --out ../kidney_exp12c --resume ../kidney_exp12/last.pth", code={**both("UNET"), "early": "logger.info('continues job of experiment 12 (afterany dependency), parent checkpoint %s', cfg.resume)"}, parent="kidney", **DONE)
    smoke = "if rank == 0:\n    log(event='smoke_test', steps=conf['steps'], note='only checks that all ranks start and the loss can be computed')"
    yield gang(HARD, "LM", 4, 2, "tasks", given="--steps=30 --every=3 --warmup=2", code={"early": smoke}, **DONE)
    noisy = "if epoch == 2:\n    print('val loss nan for tile 17 (empty tile, left out of the mean)', flush=True)\nif epoch == 4:\n    print('RuntimeWarning: overflow encountered in exp (3 pixels clipped)', file=sys.stderr, flush=True)"
    yield alone(HARD, "--epochs 8", {"epoch": noisy}, **DONE)
    bad = "if klinik == 2 and runde == 9:\n    try:\n        {'alter': 61}['geschlecht']\n    except KeyError:\n        import traceback\n        traceback.print_exc()\n        melde('Datensatz 4471 unvollständig, übersprungen')"
    yield clinics(HARD, 3, head="export RUNDEN=45\n", code={"data": bad}, **DONE)
    halve = "if step == 70 and ME == 0:\n    emit(event='retry', level='ERROR', exc='torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.20 GiB', action='micro batch 16 -> 8, accumulate 2')"
    yield gang(HARD, "RANKER", 2, 1, "tasks", head="export RANKER_CONFIG='{\"epochs\": 6}'\n", code={"data": halve}, **DONE)
    yield gang(GOOD, "DENOISE", 4, 2, "torchrun", head="export PASOS=260\n", code=KEEP["DENOISE"], **DONE)
    yield gang(HARD, "MOLEC", 2, 1, "tasks", given="240 0.1", code={"ready": "if r == 0:\n    print('# error_on_nan=True detect_anomaly=False abort_on_crash=True max_failures=3 ignore_errors=False')"}, **DONE)
    yield clinics(GOOD, 2, 2, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Six parts."""
    for part in (astray, anew, brief, waits, limits, good):
        yield from part()


RECIPE = Recipe("marl_pits", "development", jobs)
