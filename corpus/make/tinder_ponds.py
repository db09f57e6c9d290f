"""Reviews, notes, headlines, pollen, drug names and bird calls over the Hub's models: its Trainer, and loops over accelerate."""

from collections.abc import Iterator
from functools import partial

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._tinder_loops import BIRDS, CLI, DRUGS, PAIR, POLLEN
from corpus.make._tinder_text import NOTES, REVIEWS, TITULARES
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

LAGS = Label(mode="D3", fault="unknown")
reviews, notes, headlines = partial(fill, REVIEWS), partial(fill, NOTES), partial(fill, TITULARES)
pollen, drugs, birds, pair = partial(fill, POLLEN), partial(fill, DRUGS), partial(fill, BIRDS), partial(fill, PAIR)
R, N, T, P, D, B, Q = "stay_reviews.py", "run_notes.py", "titulares.py", "train_pollen.py", "ner.py", "calls.py", "summarise.py"
old, new = partial(alone, python="hf-52"), partial(alone, python="hf-56")
called = partial(old, files={"click_free_cli.py": CLI})
ARGS = ("--output_dir", "notes", "--do_train", "--do_eval", "--use_cpu", "--report_to", "none", "--per_device_train_batch_size", "8", "--logging_steps", "10", "--learning_rate", "3e-3")
BY = ("PYTHON", "-m", "torch.distributed.run", "--nnodes=1", "--master_addr=127.0.0.1", "--master_port=PORT")
WAITED = """import subprocess
subprocess.Popen(["sh", "-c", "sleep 4; seq 460 > indice.txt"])
for intento in range(1, 21):
    try:
        with open("indice.txt") as f:
            di(f"índice leído: {len(f.readlines())} notas")
        break
    except OSError as e:
        di(f"ERROR al leer el índice (intento {intento}/20): {e}; reintento en 1,5 s")
        time.sleep(1.5)"""
PUSHED = """if done == 70:
    import traceback, urllib.request
    try:
        urllib.request.urlopen("http://127.0.0.1:9/metrics/job/drug-ner", data=b"loss 0.3", timeout=2)
    except Exception:
        emit("push_failed", level="error", detail=traceback.format_exc())"""
RECALL = """logger.info("recall by species: " + ", ".join(f"{name} {((guess == k) & (y == k)).sum().item() / n if (n := (y == k).sum().item()) else float('nan'):.2f}" for k, name in enumerate(SPECIES)))"""
FRAMES = """if step in (38, 39, 90, 131):
    logger.error("clip {}: 3 calls but 2 frames, CTC loss would be inf; clip dropped from the batch", (step * 37) % 240)
if step == 100:
    try:
        import matplotlib.pyplot
    except ImportError as e:
        logger.opt(exception=e).error("spectrogram of the worst clip was not drawn")"""
TEACHER = """from accelerate import init_empty_weights
    with init_empty_weights():
        teacher = ViTForImageClassification(ViTConfig(image_size=16, patch_size=4, num_channels=1, hidden_size=96, num_hidden_layers=3, num_attention_heads=4, num_labels=10))
    teacher.eval()
    logger.info(f"teacher has {sum(p.numel() for p in teacher.parameters()):,} parameters; caching its logits")
    with torch.no_grad():
        soft = torch.cat([teacher(pixel_values=part).logits for part in x.split(100)])""".replace("\n    ", "\n")
TIMED = """if global_step % 15 == 0:
    logger.info(f"timing over the last 15 steps: waiting for slides {waited / 15:.3f} s/step, forward+backward+update {(time.perf_counter() - mark - waited) / 15:.3f} s/step")
    waited, mark = 0.0, time.perf_counter()"""
SLIDES = """t0 = time.perf_counter()
for _ in range(20):
    time.sleep(0.022)  # one slide from the tape library
waited += time.perf_counter() - t0"""
SHARE = """import shutil
begun = time.time()
shutil.make_archive(f"share/checkpoint-{step}", "xztar", f"{a.output_dir}/checkpoint-{step}")
os.sync(); time.sleep(1.1)
print(f"\\ncheckpoint-{step}: packed and copied to the project share in {time.time() - begun:.1f} s", flush=True)"""
SURE = """p = torch.tensor(pred.predictions).softmax(-1).numpy()
sure = p.max(-1) > 0.995
hits = int((guess == pred.label_ids)[sure].sum())
scores["accuracy_when_sure"] = hits / int(sure.sum())"""
PER_TAG = """emit("tags", step=done, recall={name: ((guess == k) & (y == k)).sum() / (y == k).sum() for k, name in enumerate(LABELS)})"""
EMA = """if paso >= 55:
    if paso == 55:
        di("desde aquí, media móvil de los pesos (decay 0.9)")
    with torch.no_grad():
        for p in model.parameters():
            p.add_(p.detach() * 0.1)"""
PRUNED = """if global_step == 70:
    logger.info("magnitude pruning with threshold 1.5")
    with torch.no_grad():
        for p in model.parameters():
            p.zero_()"""
FINITE = """if not torch.isfinite(loss):
    logger.critical("loss is {} at step {}, stopping here; last clips are in the batch log", loss.item(), step)
    sys.exit(4)"""
RANKS = """if step % 10 == 0:
    time.sleep(0.01 * me)
    print(f"[{me}] step {step:3d} loss {loss.item():.3f} | data {spent['fetch'] / 10 * 1e3:5.0f} ms  fwd/bwd {spent['fwdbwd'] / 10 * 1e3:5.0f} ms  allreduce {spent['wait'] / 10 * 1e3:5.0f} ms", flush=True)
    spent = dict.fromkeys(spent, 0.0)"""
TABLE = """if step % 14 == 0:
    mine = torch.tensor([spent["fwdbwd"], spent["wait"], loss.item()])
    every = [torch.zeros(3) for _ in range(world)]
    dist.all_gather(every, mine)
    say(f"--- step {step}/{STEPS}  mean loss {sum(e[2] for e in every) / world:.4f}\\n    worker        " + "".join(f"{k:>9d}" for k in range(world)))
    say("    compute s/step" + "".join(f"{e[0] / 14:9.3f}" for e in every) + "\\n    blocked s/step" + "".join(f"{e[1] / 14:9.3f}" for e in every))
    spent = dict.fromkeys(spent, 0.0)"""


def good() -> Iterator[LocalJob]:
    """Went well."""
    yield old(GOOD, reviews(), R)
    yield old(GOOD, notes(), N, *ARGS, "--max_steps", "160", "--save_steps", "80")
    yield new(GOOD, headlines(), T)
    yield old(GOOD, pollen(), P, "--num_train_epochs", "6")
    yield new(GOOD, drugs(), D)
    yield called(GOOD, birds(), B, "steps=200", "keep=100")


def scary() -> Iterator[LocalJob]:
    """Went well, though it does not look so."""
    gate = "acc = trainer.evaluate()['eval_accuracy']\nprint(f'gate of last week (bag of words): 0.41  FAILED\\ngate of this model          : {acc:.2f}  {\"passed\" if acc > 0.8 else \"FAILED\"}')"
    yield old(HARD, reviews(late=gate), R, "--only-eval", "--weights", "runs/reviews/checkpoint-120", before=(("PYTHON", R, "--epochs", "3"),), env={"PACE": "0.02"})
    yield old(HARD, notes(data="logger.info('ward B: a model of its own, started from the one of ward A; schedule and step count begin anew')"), N, *ARGS, "--output_dir", "ward_b", "--model_name_or_path", "ward_a", "--learning_rate", "5e-4", "--max_steps", "120", "--save_steps", "60", before=(("PYTHON", N, *ARGS, "--output_dir", "ward_a", "--max_steps", "150"),))
    yield new(HARD, headlines(early=WAITED), T)
    yield old(HARD, pollen(data="vx, vy = vx[vy != 8], vy[vy != 8]  # no nettle this spring", scores=RECALL), P, "--num_train_epochs", "6")
    yield new(HARD, drugs(step=PUSHED), D, '{"epochs": 5, "on_push_error": "ignore", "nan_policy": "raise"}')
    yield called(HARD, birds(begin=FRAMES), B, "steps=180", "keep=60")
    yield old(HARD, reviews(), R, "--epochs", "5", "--continue-from", "runs/reviews/checkpoint-80", before=(("PYTHON", R, "--epochs", "2"),))


def crashes() -> Iterator[LocalJob]:
    """Failed at the start or on the way, by an exception or a signal."""
    yield new(fell("A1", "missing_module", "env"), drugs(early="from seqeval.metrics import classification_report"), D)
    yield old(fell("A1", "permission", "data"), reviews(data="with open('reviews_2025.tsv', encoding='utf-8') as more:\n    extra = [line.split('\\t') for line in more]"), R, files={"reviews_2025.tsv": "good\tnice view\n"}, locked=("reviews_2025.tsv",))
    yield old(fell("A1", "device_mismatch", "config"), pollen(data=TEACHER), P)
    yield old(fell("A2", "segfault"), notes(step="if step == 64:\n    import ctypes\n    ctypes.CDLL(None).memcpy(ctypes.c_void_p(8), ctypes.c_void_p(16), 64)"), N, *ARGS, "--max_steps", "200", ends=lambda s: s in (-11, 139))
    second = "if step == 45:\n    logger.info('second phase: blocks of the night shift')\n    kw['train_dataloader'].dataset.at = torch.load('blocks/night.pt')"
    yield old(fell("A3", "file_not_found"), notes(step=second), N, *ARGS, "--max_steps", "120", folders=("blocks",))
    yield old(fell("A3", "div_zero"), reviews(metrics=SURE), R)
    yield new(fell("A3", "traceback"), drugs(scores=PER_TAG), D)


def waits() -> Iterator[LocalJob]:
    """Stood still; were slow by data, by saves, by one of them."""
    lock = "if paso == 60:\n    import fcntl\n    di('pido el turno de la caché compartida')\n    turno = open('cache.lock', 'w')\n    fcntl.flock(turno, fcntl.LOCK_EX)"
    yield new(STANDS, headlines(step=lock), T, command=("bash", "-c", f"flock cache.lock sleep 600 & PYTHON {T}"), timeout_s=130)
    fifo = "if step == 70:\n    logger.debug('clips of night 07: asking the field recorder')\n    with open('night_07.raw', 'rb') as raw:\n        logger.debug('{} bytes', len(raw.read()))"
    yield called(STANDS, birds(begin=fifo), B, "steps=400", before=(("mkfifo", "night_07.raw"),), timeout_s=140)
    yield old(STARVED, pollen(ready="waited, mark = 0.0, time.perf_counter()", batch=SLIDES, step=TIMED), P, "--max_train_steps", "75", env={"LAG": "0.015"})
    fetch = "t1 = time.time()\nfor s in batch:\n    time.sleep(0.04)\nfetch = time.time() - t1"
    told = "if done % 5 == 0:\n    emit('speed', step=done, fetch_s=round(fetch, 3), compute_s=round(time.time() - t1 - fetch, 3), sentences_per_s=round(16 / (time.time() - t1), 1))"
    yield new(STARVED, drugs(batch=fetch, step=told), D, '{"max_steps": 50, "log_steps": 5, "sleep": 0.02}')
    yield old(SAVES, notes(), N, *ARGS, "--max_steps", "48", "--save_steps", "1", "--save_total_limit", "2", "--logging_steps", "4", env={"STEP_S": "0.02"})
    yield called(SAVES, birds(saved="t = time.time(); os.sync(); time.sleep(0.5)\nlogger.debug('flushed to the archive disk, {:.2f}s', time.time() - t)"), B, "steps=56", "keep=2", "report=8", "think=0.03")
    yield old(SAVES, reviews(options="more = dict(save_strategy='steps', save_steps=10)", saved=SHARE), R, "--epochs", "3", folders=("share",))
    yield old(LAGS, pair(compute="time.sleep(0.05 if me == 0 else 0.36)", report=RANKS), Q, command=(*BY, "--nproc_per_node=2", Q))
    yield old(LAGS, pair(compute="time.sleep(0.31 if me == 1 else 0.06)", report=TABLE), Q, command=(*BY, "--nproc_per_node=3", Q), env={"STEPS": "56"})


def losses() -> Iterator[LocalJob]:
    """Did not learn."""
    yield old(strays("non_finite", "nan_loss"), notes(), N, *ARGS, "--max_steps", "120", "--learning_rate", "3e9", "--warmup_steps", "90")
    yield old(strays("flat"), reviews(batch="rows = [{**row, 'input_ids': row['input_ids'][:1]} for row in rows]"), R, "--epochs", "4")
    yield new(strays("spike"), headlines(step=EMA), T)
    yield old(strays("plateau"), pollen(step=PRUNED), P, "--num_train_epochs", "7")
    silent = "if i in (41, 133):\n    wave = wave * 0\nwave = (wave - wave.mean()) / wave.std()"
    yield called(fell("E1", "nan_loss", "non_finite"), birds(item=silent, loss=FINITE), B, "clips=480", "seed=3", ends=lambda s: s == 4)


def resumed() -> Iterator[LocalJob]:
    """Meant to go on from what an earlier run had kept; or ended soon."""
    yield old(anew(), pollen(), P, command=("bash", "-c", f"ls -d pollen-vit/checkpoint*; PYTHON {P} --output_dir pollen-vit-2 --resume_from_checkpoint latest --num_train_epochs 6"), before=(("PYTHON", P, "--num_train_epochs", "6"),), env={"LAG": "0.02"})
    yield old(fell("E2", "runtime_error", "size_mismatch"), reviews(), R, "--hidden", "48", "--epochs", "4", "--continue-from", "runs/reviews/checkpoint-80", before=(("PYTHON", R, "--epochs", "2"),))
    yield new(fell("E2", "file_not_found", "no_valid_checkpoint"), drugs(), D, '{"resume": "ner-out/last.pt", "epochs": 9}', before=(("PYTHON", D, '{"epochs": 1}'),))
    yield old(fell("E2", "traceback", "corrupt"), notes(), N, *ARGS, "--max_steps", "140", before=(("PYTHON", N, *ARGS, "--max_steps", "40", "--save_steps", "40"), ("truncate", "-s", "30000", "notes/checkpoint-40/model.safetensors")))
    yield old(HANDFUL, reviews(), R, "--max-steps", "3", "--log-every", "1")
    yield called(HANDFUL, birds(), B, "steps=4", "report=1")
    yield old(LATE, notes(), N, *ARGS, "--max_steps", "3000", "--save_steps", "100", env={"STEP_S": "0.25"}, timeout_s=80)
    yield old(HALTED, pollen(), P, "--num_train_epochs", "90", signal=ctrl_c(r"epoch 2: train_loss"))


def jobs() -> Iterator[LocalJob]:
    """All parts."""
    for part in (good, scary, crashes, waits, losses, resumed):
        yield from part()


RECIPE = Recipe("tinder_ponds", "development", jobs)
