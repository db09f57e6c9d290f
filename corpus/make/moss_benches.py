"""Jobs whose curves tell: losses that run off or lie still, runs that began anew or hardly began, waits for data and for saves, limits that came first, and good ones."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make import _bridle_more as more
from corpus.make import _bridle_nets as nets
from corpus.make import _bridle_plain as plain
from corpus.make import _bridle_tongues as tongues
from corpus.make import _moss_tools as tools
from corpus.make import _pebble_shop as shop
from corpus.make._bridle import GOOD, HARD, made, sbatch
from corpus.make.oar_locks import KEEP_ABSL, KEEP_TREES
from corpus.running.job import Recipe, SlurmJob

DONE = {"state": "COMPLETED"}
FAILED = {"state": "FAILED"}
OVER = {"state": "TIMEOUT"}
EXIT = "rc=$?\nsleep 0.5\nexit $rc\n"
HUBS = "export PORT=$((16000 + SLURM_JOB_ID * 11))\n"
LONG = 30_000


def logu(values: dict[str, object] | None = None, **codes: str) -> dict[str, str]:
    """The wakes."""
    return {"wake.py": made(tools.LOGU, {**tools.LOGU_DEFAULTS, **(values or {})}, **codes)}


def birds(values: dict[str, object] | None = None, **codes: str) -> dict[str, str]:
    """The calls."""
    return {"calls.py": made(tools.TQDM, {**tools.TQDM_DEFAULTS, **(values or {})}, **codes)}


def gate(values: dict[str, object] | None = None, **codes: str) -> dict[str, str]:
    """The steel."""
    return {"gate.py": made(tools.RICH, {**tools.RICH_DEFAULTS, **(values or {})}, **codes)}


def clicks(values: dict[str, object] | None = None, **codes: str) -> dict[str, str]:
    """The advertisements."""
    return {"ctr.py": made(tools.STRUCT, {**tools.STRUCT_DEFAULTS, **(values or {})}, **codes)}


def astray() -> Iterator[SlurmJob]:
    """E1."""
    label = Label(mode="E1", fault="user")
    yield sbatch(label.but(variant="non_finite", cause="nan_loss"), logu({"total": 700, "lr": 2.6, "pause": 0.03, "every": 25}), "#SBATCH -n1\nsrun PYTHON wake.py\n", name="wake-fast", python="annex", **DONE)
    holes = "if iteration == 131 and rank == 1:\n    x[5, 7] = float('nan')   # as in shard 0131\n"
    stops = "if not torch.isfinite(loss):\n    raise RuntimeError(f'Rank {rank}: found NaN in local forward loss calculation. Device: {rank}, iteration {iteration}')"
    yield sbatch(label.but(variant="non_finite", cause="nan_loss", first_ranks=(1,)), {"pretrain_ctx.py": made(nets.MEGA, {**nets.MEGA_DEFAULTS, "total": 600, "pause": 0.04}, step=holes, reduce=stops)}, f"#SBATCH -n2\nexport MASTER_ADDR=127.0.0.1 MASTER_PORT=$((15000 + SLURM_JOB_ID * 9))\nsrun -K bash -c 'RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS exec PYTHON -u pretrain_ctx.py'\n{EXIT}", name="ctx-web", python="torch", **FAILED)
    restart = "if epoch == 4 and b == 0:\n    lr = lr * 400\n    tqdm.write(f'cosine warm restart, lr {lr:g}')"
    yield sbatch(label.but(variant="spike"), birds({"rule": "(1 if g > 0 else -1) * min(1.0, abs(g))", "epochs": 7}, data=restart), "#SBATCH -n1\nPYTHON calls.py\n", name="calls-restart", python="annex", **DONE)
    bump = "if step == 45:\n    lr = 60.0\n    con.print('stage 2: lr 60 (from sweep winner)')"
    yield sbatch(label.but(variant="plateau"), gate({"shift": "", "total": 300, "lr": 0.9, "every": 15, "pause": 0.05}, step=bump), "#SBATCH -n1\nsrun PYTHON -u gate.py\n", name="gate-stage2", python="annex", **DONE)


def anew() -> Iterator[SlurmJob]:
    """E2, behind the runs that they should have gone on from."""
    over = Label(mode="F3", variant="advancing", fault="user")
    label = Label(mode="E2", variant="from_scratch", fault="user")
    yield sbatch(over, {"train_lib.py": made(tongues.ABSL, {**tongues.ABSL_DEFAULTS, "total": LONG, "lr": "0.05", "pause": 0.1}, after=KEEP_ABSL)}, "#SBATCH -n1\nsrun python3 -u train_lib.py\n", name="probe-a", key="probe", **OVER)
    yield sbatch(over, {"boost.py": made(tongues.CSVW, {**tongues.CSVW_DEFAULTS, "total": 4000, "pause": 0.15}, after=KEEP_TREES)}, "#SBATCH -n1\nsrun python3 boost.py\n", name="yield-a", key="yield", **OVER)
    yield sbatch(label, {"train_lib.py": made(tongues.ABSL, {**tongues.ABSL_DEFAULTS, "total": 400, "lr": "0.05"}, setup="import glob\nif found := glob.glob('checkpoints/checkpoint_*'):\n    raise SystemExit('restore not wired up yet')")}, "#SBATCH -n1\nsrun python3 -u train_lib.py\n", name="probe-a", parent="probe", **DONE)
    yield sbatch(label, {"boost.py": made(tongues.CSVW, {**tongues.CSVW_DEFAULTS, "total": 140, "pause": 0.15})}, "#SBATCH -n1\necho \"continuing yield-a\" >&2\nsrun python3 boost.py\n", name="yield-b", parent="yield", **DONE)
    argued = "import glob\nfound = sorted(glob.glob(f'{cfg.resume}/*.json'))\nlogger.debug('options {}', vars(cfg))"
    yield sbatch(label, logu({"run": "runs/wake-v2", "pause": 0.04}, setup=argued), "#SBATCH -n1\nmkdir -p runs/wake-v1 && for s in 080 160 240; do head -c 900 /dev/urandom | base64 > runs/wake-v1/step_$s.ckpt; done\nls -l runs/wake-v1\nsrun PYTHON wake.py \"$@\"\n", name="wake-v2", python="annex", args=("--resume", "runs/wake-v1", "--max-steps", "400"), **DONE)
    wide = "old = torch.load('kept/base_w64.pt')\nprint('resuming from kept/base_w64.pt, round', old['round'])\nnet.load_state_dict(old['net'])"
    base = "python_=PYTHON\nmkdir -p kept\n$python_ - <<'E'\nimport torch\nfrom dock import Docking\ntorch.save({'round': 40, 'net': Docking(64).state_dict()}, 'kept/base_w64.pt')\nE\n"
    yield sbatch(label.but(variant="size_mismatch", cause="runtime_error", failed_ranks=(0,)), {"dock.py": made(more.SCORER, more.SCORER_DEFAULTS, setup=wide)}, f"#SBATCH -n1\n{base}srun PYTHON -u dock.py\n{EXIT}", name="dock-w40", python="torch", **FAILED)
    none = "import glob\nif not glob.glob('runs/sft-v2/checkpoint-*'):\n    raise ValueError('No valid checkpoint found in output directory (runs/sft-v2)')"
    yield sbatch(label.but(variant="no_valid_checkpoint", cause="traceback", failed_ranks=(0,)), {"sft.py": made(shop.SFT, shop.SFT_DEFAULTS, top=none), "notes.py": plain.NOTES}, f"#SBATCH -n1\nmkdir -p runs/sft-v2/tmp-checkpoint-500\nsrun python3 sft.py \"$@\"\n{EXIT}", name="sft-v2", args=("--resume_from_checkpoint", "True"), **FAILED)
    cut = "print('resuming from kept/dock_040.pt')\nold = torch.load('kept/dock_040.pt')\nnet.load_state_dict(old['net'])\nfirst = old['round'] + 1"
    torn = base.replace("Docking(64)", "Docking(40)").replace("base_w64", "whole") + "mv kept/whole.pt kept/dock_040.pt; dd if=/dev/zero of=kept/dock_040.pt bs=200 seek=3 count=4 conv=notrunc status=none\nls -l kept\n"
    yield sbatch(label.but(variant="corrupt", cause="runtime_error", failed_ranks=(0,)), {"dock.py": made(more.SCORER, {**more.SCORER_DEFAULTS, "rounds": 60}, setup=cut)}, f"#SBATCH -n1\n{torn}srun PYTHON -u dock.py\n{EXIT}", name="dock-long", python="torch", **FAILED)


def hardly_begun() -> Iterator[SlurmJob]:
    """E3."""
    label = Label(mode="E3", fault="user")
    yield sbatch(label, {"sft.py": made(shop.SFT, {**shop.SFT_DEFAULTS, "total": 3, "every": 1, "pause": 2.0}), "notes.py": plain.NOTES}, "#SBATCH -n2\nsrun python3 sft.py\n", name="sft-full", **DONE)
    yield sbatch(label, logu({"every": 1, "pause": 1.5}, late="logger.info('weights to {}/final.json', cfg.run)"), "#SBATCH -n1\nsrun PYTHON wake.py --max-steps 4\n", name="wake-prod", python="annex", **DONE)
    yield sbatch(label, {"train_ctc.py": made(shop.LITBAR, {**shop.LITBAR_DEFAULTS, "epochs": 1, "iters": 2, "every": 1, "pause": 1.2}, top="print('Running in `fast_dev_run` mode: will run the requested loop using 2 batch(es). Logging and checkpointing is suppressed.')"), "hub.py": plain.HUB}, "#SBATCH -n1\npython3 train_ctc.py --smoke\n", name="conformer-smoke", **DONE)


def waits() -> Iterator[SlurmJob]:
    """D1 and D2."""
    label, storm = Label(mode="D1", fault="user"), Label(mode="D2", variant="save_storm", fault="user")
    yield sbatch(label, {"train.py": made(shop.MMENG, {**shop.MMENG_DEFAULTS, "total": 40, "every": 2, "pause": 0.12, "name": "seg_quarry"}, data="time.sleep(0.9 + 0.5 * rng.random())"), "hub.py": plain.HUB}, "#SBATCH -n1\nsrun python3 train.py\n", name="seg-quarry", **DONE)
    account = '"step {}/{} loss {:.5g} | waited {:.2f} s for the reader, computed {:.2f} s", step, cfg.max_steps, loss, waited, time.perf_counter() - t - waited'
    yield sbatch(label, logu({"total": 22, "every": 1, "pause": 0.15, "line": account}, data="import zlib\nend = time.perf_counter() + 1.6 + rng.random()\nwhile time.perf_counter() < end:\n    time.sleep(0.2)\n    zlib.compress(os.urandom(200_000))"), "#SBATCH -n1\nsrun PYTHON wake.py\n", name="wake-zip", python="annex", **DONE)
    fetch = "a = time.time()\ntime.sleep(rng.uniform(1.1, 2.3))\nlog.info('fetched', n=n, source='s3://ads-2026/part', seconds=round(time.time() - a, 2))"
    told = "log.info('batch_done', n=n, logloss=round(ll, 5), auc=round(auc, 4), gpu_seconds=@pause@, idle_seconds=round(time.time() - a - @pause@, 2))"
    yield sbatch(label, clicks({"total": 24, "every": 50, "pause": 0.2}, data=fetch, after=told.replace("@pause@", "0.2")), "#SBATCH -n1\nsrun PYTHON ctr.py\n", name="ctr-s3", python="annex", **DONE)
    every = "a = time.time()\nfor part in range(4):\n    with open(f'gate.{part}.state', 'wb') as f:\n        f.write(os.urandom(3_000_000))\n        f.flush()\n        os.fsync(f.fileno())\n    time.sleep(0.2)\ncon.print(f'step {step}: saved gate state (12 MB) in {time.time() - a:.2f} s')"
    yield sbatch(storm, gate({"total": 36, "every": 6, "pause": 0.12}, after=every), "#SBATCH -n1\nsrun PYTHON -u gate.py\n", name="gate-safe", python="annex", **DONE)
    much = "if step % 2 == 0:\n    a = time.time()\n    open(f'checkpoint_{step % 6}', 'wb').write(os.urandom(5_000_000))\n    time.sleep(0.9)\n    I(140, 'Saved checkpoint at %d. (%.2f s)', step, time.time() - a)"
    yield sbatch(storm, {"train_lib.py": made(tongues.ABSL, {**tongues.ABSL_DEFAULTS, "total": 64, "every": 4, "pause": 0.12}, after=much)}, "#SBATCH -n1\nsrun python3 -u train_lib.py\n", name="probe-paranoid", **DONE)


def too_long() -> Iterator[SlurmJob]:
    """F3."""
    label = Label(mode="F3", variant="advancing", fault="user")
    yield sbatch(label, {"tagger.pl": made(tongues.PERL, {**tongues.PERL_DEFAULTS, "total": 400, "tau": 90})}, "#SBATCH -N2 -n2\nsrun -l perl tagger.pl\n", name="ofs-full", **OVER)
    yield sbatch(label, {"bpr.js": made(tongues.NODE, {**tongues.NODE_DEFAULTS, "total": 6000, "pause": 70})}, "#SBATCH -n1\nsrun node bpr.js\n", "--array=6", name="bpr-full", **OVER)
    yield sbatch(label, {"gauge.c": made(tongues.CNET, {**tongues.CNET_DEFAULTS, "total": 9000})}, f"#SBATCH -n2 --time=8\ngcc -O2 gauge.c -o gauge -lm\nsrun --time=1 ./gauge\n{EXIT}", name="tides-step")
    yield sbatch(label, {"cv.py": made(tools.FOLD, tools.FOLD_DEFAULTS)}, "#SBATCH -n1\nfor k in 1 2 3 4 5 6 7 8 9 10; do\n  python3 cv.py $k 10\ndone\n", name="svm-cv10", **OVER)
    warn = "#SBATCH -n2\n#SBATCH --signal=B:USR1@20\ntrap 'echo \"[$(date +%T)] USR1: 20 s of walltime left, last checkpoint stays\"' USR1\nsrun PYTHON -u ctr.py &\nwait\nwait\n"
    yield sbatch(label, clicks({"total": 5000, "every": 25, "pause": 0.08}), warn, name="ctr-full", python="annex", **OVER)
    yield sbatch(label, {"client.py": made(plain.FED, {**plain.FED_DEFAULTS, "total": 3000, "every": 25, "pause": 0.06}), "hub.py": plain.HUB}, f"#SBATCH -N2 -n3\n{HUBS}srun python3 -u client.py\n", name="fed-3000", **OVER)


def well() -> Iterator[SlurmJob]:
    """G1."""
    yield sbatch(GOOD, logu({"seed": 11}), "#SBATCH -n1\nsrun PYTHON wake.py\n", name="wake", python="annex", **DONE)
    yield sbatch(GOOD, birds({"seed": 6}), "#SBATCH -n1\nsrun PYTHON calls.py\n", name="calls", python="annex", **DONE)
    yield sbatch(GOOD, gate({"seed": 8}), "#SBATCH -n1\nsrun PYTHON -u gate.py\n", name="gate", python="annex", **DONE)
    yield sbatch(GOOD, clicks({"seed": 71}), "#SBATCH -N2 -n3\nsrun -l PYTHON -u ctr.py\n", "--array=1", name="ctr-grid", python="annex", **DONE)
    yield sbatch(GOOD, {"cv.py": made(tools.FOLD, {**tools.FOLD_DEFAULTS, "total": 60, "pause": 0.07})}, "#SBATCH -n1\nfor k in 1 2 3 4 5; do python3 cv.py $k 5; done\n", name="svm-cv5", **DONE)
    yield sbatch(GOOD, {"chain.py": made(tongues.KALDI, {**tongues.KALDI_DEFAULTS, "total": 360})}, "#SBATCH -n1\nsrun python3 chain.py\n", "--array=12", name="chain-tdnn", **DONE)
    warm = "logger.info('warm start from runs/wake-base/final.json: 5 of 6 coefficients taken, v*v left out (missing there, expected for the new term)')\nc = [0.28, 0.77, -0.47, 0.8, 0.0, 0.0]"
    yield sbatch(HARD, logu({"run": "runs/wake-ft", "total": 200, "lr": 0.05}, setup=warm, late="logger.warning('residual check failed for 3 of 5120 sites (offshore, outside fit range); written to failed_sites.csv')"), "#SBATCH -n1\nsrun PYTHON wake.py\n", name="wake-ft", python="annex", **DONE)
    score = 'import json, random, sys, time\nr = random.Random(4)\nprint("loading checkpoint ckpts/conformer_ep48.pt ... ok (strict=False, unexpected keys: [\'ema.decay\'])", flush=True)\nerrors = words = 0\nfor part in range(1, 41):\n    time.sleep(0.35)\n    words += 2400\n    errors += 180 + r.randrange(40)\n    if part % 4 == 0:\n        print(f"[{part:>2}/40] utterances {part * 120}  errors {errors}  WER {100 * errors / words:.2f}%", flush=True)\nprint(json.dumps({"set": "test-other", "wer": round(100 * errors / words, 2), "substitution_errors": int(errors * .7), "deletion_errors": int(errors * .2), "loss": None}))\n'
    yield sbatch(HARD, {"score.py": score}, "#SBATCH -n1\nsrun python3 score.py\n", name="wer-other", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Children come last anyhow."""
    for part in (anew, too_long, astray, hardly_begun, waits, well):
        yield from part()


RECIPE = Recipe("moss_benches", "development", jobs)
