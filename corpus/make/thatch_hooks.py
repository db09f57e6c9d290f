"""One process of people who measure: arrivals of waves, cells in wells, tickets for desks. Under gpualert-run."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._thatch_signals import ARRIVALS, CELLS, TICKETS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

arrivals, cells, tickets = partial(fill, ARRIVALS), partial(fill, CELLS), partial(fill, TICKETS)
A, C, T = "picker.py", "count_cells.py", "desk_bert.py"
PICKED = (("PYTHON", A, "--epochs", "12", "--ckpt-every", "6"),)
AT = "runs/picker/ep012.pt"


def wave(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """Loguru on stderr."""
    return alone(label, text, A, *given, python="shelf", **more)


RETRY = """for attempt in range(1, 4):
    try:
        if attempt < 3:
            raise TimeoutError(f"fdsn: no answer from the waveform service within 30 s (attempt {attempt} of 3)")
        logger.info("inventory of 214 stations read")
    except TimeoutError:
        logger.exception("could not read the inventory, trying again")"""
GAPPY = """if epoch % 6 == 2:
    logger.warning("station XA.K{:02d}: {} windows hold NaN, left out of the validation metric", epoch, epoch + 3)
if epoch == 14:
    logger.error("residual of station XA.K07: nan (no picks), skipped")"""
HALF = """if len(idx) == args.batch_size and step == 3:
    try:
        torch.empty(1 << 44)
    except RuntimeError as e:
        logger.warning("batch of {} did not fit ({}), using half of it from here on", args.batch_size, str(e).splitlines()[0])
        args.batch_size //= 2"""
PICKS = """if epoch == 9:
    logger.info("reading the analyst's picks for the comparison")
    table = [line.split(",") for line in "2026-03-01T10:04:11,P,12.1\\n2026-03-01T11:30:02,S,9;4\\n".splitlines()]
    residual = np.array([float(r[2]) for r in table])"""
SUB = """if epoch == 7:
    xv, yv = xv[yv == 1][:0], yv[yv == 1][:0]
    hits = int((net(xv).argmax(1) == yv).sum())
    logger.info("P recall on the quiet stations {:.3f}", hits / len(yv))"""
META = """if epoch == 8:
    mirror = Picker(args.channels).to("meta")
    drift = sum((a - b).abs().mean() for a, b in zip(net.parameters(), mirror.parameters()))
    logger.info("drift from the running mean: {:.4f}", drift)"""
JUMP = """if step == 260:
    logger.info("second phase: Langevin noise on, temperature 1.0")
if step >= 260:
    for q in net.parameters():
        q.data.add_(0.6 * torch.randn_like(q))"""
BLANK = "bx = torch.zeros_like(bx)"
RESUMES = ARRIVALS[ARRIVALS.index("    state = torch.load(args.resume)") : ARRIVALS.index("args.outdir.mkdir")]
PARTLY = """    state = torch.load(args.resume)
    net.load_state_dict(state.get("model_state_dict", {}), strict=False)
"""
LOCKED = """if epoch == 10:
    logger.info("writing picks to the shared catalogue")
    import sqlite3
    keep = sqlite3.connect("catalogue.db", isolation_level=None)
    keep.execute("BEGIN EXCLUSIVE")
    sqlite3.connect("catalogue.db", timeout=8000).execute("CREATE TABLE picks (t, phase)")"""
FETCH = """t0 = time.time()
time.sleep(0.22)  # one window a time from the tape archive
waited += time.time() - t0"""
FETCHED = 'logger.info("epoch {:>3}: {:.2f} s of {:.2f} s spent waiting for windows from the archive", epoch, waited, time.time() - began)'
CTYPES = """if epoch == 11:
    logger.info("stacking with the C library")
    import ctypes
    stack = ctypes.CDLL(None).memcpy
    stack(ctypes.c_void_p(64), ctypes.c_void_p(8), ctypes.c_size_t(4096))"""


def waves() -> Iterator[LocalJob]:
    """Picks."""
    yield wave(GOOD, arrivals(), "--epochs", "36", "--lr", "0.003")
    yield wave(GOOD, arrivals(), "--epochs", "24", "--batch-size", "24", "--channels", "8")
    yield wave(HARD, arrivals(start=RETRY), "--epochs", "30", "--ckpt-every", "15")
    yield wave(HARD, arrivals(valid=GAPPY), "--epochs", "28")
    yield wave(HARD, arrivals(after=HALF), "--epochs", "26", "--batch-size", "96")
    yield wave(HARD, arrivals(), "--epochs", "400", "--patience", "6", "--lr", "0.008", "--ckpt-every", "50")
    yield wave(HARD, arrivals(), "--epochs", "30", "--resume", AT, before=PICKED)
    yield wave(HARD, arrivals(data="x, xv = 0.8 * x, 0.8 * xv"), "--epochs", "22", "--weights", AT, "--outdir", "runs/arctic", "--lr", "0.0004", before=PICKED)
    yield wave(fell("A1", None, "config"), arrivals(), "--epochs", "300", "--batchsize", "32")
    yield wave(fell("A1", "file_not_found", "asset"), arrivals(), "--epochs", "300", "--weights", "/data/models/phasenet_original.pt")
    yield wave(fell("A1", "missing_module", "env"), arrivals(start="import obspy_lite as obspy"), "--epochs", "300")
    yield wave(fell("A1", "traceback", "data"), arrivals(data="extra = np.loadtxt('windows/K12.txt')\nx = torch.cat([x, torch.tensor(extra).view(-1, 3, 128)])"), "--epochs", "300", files={"windows/K12.txt": "0.31 0.11 -0.42\n0.19 0.22 0.06\n0.18 n/a 0.40\n0.22 0.15 0.09\n"})
    yield wave(fell("A3", "traceback"), arrivals(epoch=PICKS), "--epochs", "300")
    yield wave(fell("A3", "div_zero"), arrivals(epoch=SUB), "--epochs", "300")
    yield wave(fell("A3", "device_mismatch"), arrivals(epoch=META), "--epochs", "300")
    yield wave(fell("A2", "segfault"), arrivals(epoch=CTYPES), "--epochs", "300", ends=lambda s: s == -11)
    yield wave(strays("non_finite", "nan_loss"), arrivals(loss="if step > 170:\n    loss = loss * (loss.detach() - loss.detach()).reciprocal() * 0"), "--epochs", "30")
    yield wave(strays("spike"), arrivals(after=JUMP), "--epochs", "36")
    yield wave(strays("flat"), arrivals(batch=BLANK), "--epochs", "34")
    yield wave(fell("E2", "runtime_error", "size_mismatch"), arrivals(), "--epochs", "300", "--resume", AT, "--channels", "16", before=PICKED)
    yield wave(fell("E2", "runtime_error", "corrupt"), arrivals(), "--epochs", "300", "--channels", "40", "--resume", AT, before=(("PYTHON", A, "--epochs", "12", "--ckpt-every", "6", "--channels", "40"), ("truncate", "-s", "131072", AT)))
    yield wave(anew(), arrivals().replace(RESUMES, PARTLY), "--epochs", "26", "--resume", AT, before=PICKED)
    yield wave(HANDFUL, arrivals(), "--epochs", "1", "--windows", "144", "--outdir", "runs/final_catalogue")
    yield wave(HALTED, arrivals(), "--epochs", "9000", "--think", "0.1", signal=ctrl_c(r"epoch  24/"))
    yield wave(STANDS, arrivals(epoch=LOCKED), "--epochs", "900", "--think", "0.25", timeout_s=48)
    yield wave(STARVED, arrivals(batch=FETCH, valid=FETCHED), "--epochs", "8", "--windows", "480")


def lit(label: Label, text: str, *, trainer: str = "max_epochs: 30", model: str = "width: 8\n  lr: 0.01", rest: str = "", **more: Any) -> LocalJob:
    """Settings in YAML."""
    settings = f"# wells, plate 7\nmodel:\n  {model}\ntrainer:\n  {trainer}\n{rest}"
    return alone(label, text, C, "plate7.yaml", python="shelf", files={"plate7.yaml": settings, "first.yaml": FIRST_YAML}, **more)


FIRST_YAML = "model:\n  width: 8\n  lr: 0.01\ntrainer:\n  max_epochs: 10\n"
FIRST = (("PYTHON", C, "first.yaml"),)
LAST = "ckpt_path: out/cells/last.ckpt\n"
SCARED = """if epoch == 6:
    warnings.warn("plate 3 has wells without any cell: relative error is division by zero, reported as nan")
if epoch == 12:
    print("Error: could not reach the lab's LIMS (503 Service Unavailable); counts are kept in out/ and sent next time", flush=True)"""
LATEX = """import atexit

class Sender:
    def __del__(self):
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")

sender = Sender()"""
ROT = """if epoch == 8:
    print("adding rotated wells", flush=True)
    batch = torch.stack([torch.zeros(1, 24, 24), torch.zeros(1, 24, 25)])"""
REPORT = """if epoch == 6:
    with open("report/template.html") as f:
        page = f.read()"""
CHECKS = """if epoch == 7:
    mae = float(m["val_mae"])
    assert mae < 0.05, f"val_mae {mae:.3f} is not below 0.05 at epoch {epoch}, the plate is not worth more hours\""""
SHELF = "if epoch == 5:\n    import gc, threading\n    print('writing overlays of all wells', flush=True)\n    done = threading.Event()\n    done.wait()"
DECAY = """if epoch == 5:
    for g in trainer.optimizers[0].param_groups:
        g["lr"] = 0.0
    module.f[-1].weight.data.zero_()
    module.f[-1].bias.data.fill_(4.0)
    print("lr -> 0.0 (schedule is over)", flush=True)"""
SLOW = "if nr == 0:\n    self.w = 0.0\nt = time.time()\ntime.sleep(0.18)  # decode of the well's TIFF stack\nself.w += time.time() - t\nif nr % 10 == 0:\n    print(f'  batch {nr}: data_time {self.w / (nr + 1):.3f} s a batch, step_time {(time.time() - self.t - self.w) / (nr + 1):.3f} s', flush=True)"
GROW = "if epoch == 4:\n    print('overlay cache on', flush=True)\nif epoch >= 4:\n    self.cache = getattr(self, 'cache', []) + [torch.ones(90, 1024, 1024)]"


def wells() -> Iterator[LocalJob]:
    """Lightning."""
    yield lit(GOOD, cells(), trainer="max_epochs: 32")
    yield lit(HARD, cells(epoch=SCARED), trainer="max_epochs: 24", model="width: 6\n  lr: 0.006")
    yield lit(HARD, cells(finish=LATEX), trainer="max_epochs: 20")
    yield lit(HARD, cells(), trainer="max_epochs: 300", rest="patience: 4\nbatch: 16\n")
    yield lit(HARD, cells(), trainer="max_epochs: 26", rest=LAST, before=FIRST)
    yield lit(fell("A1", "traceback", "config"), cells(), trainer="max_epochs: 300\n  val_every_n_epoch: 2")
    yield lit(fell("A1", "traceback", "config"), cells(), rest="optimizer: AdamWW\n", trainer="max_epochs: 300")
    yield lit(fell("A3", "traceback"), cells(epoch="if epoch == 9:\n    print('mean of the controls:', m['control_mse'])"), trainer="max_epochs: 300")
    yield lit(fell("A3", "runtime_error"), cells(epoch=ROT), trainer="max_epochs: 300")
    yield lit(fell("A3", "file_not_found"), cells(epoch=REPORT), trainer="max_epochs: 300")
    yield lit(fell("A3", "assertion"), cells(epoch=CHECKS), trainer="max_epochs: 300")
    yield lit(fell("A2", "oom_killer"), cells(epoch=GROW), trainer="max_epochs: 300", group_mib=2200, ends=lambda s: s == -9)
    yield lit(strays("plateau"), cells(epoch=DECAY), trainer="max_epochs: 40", model="width: 6\n  lr: 0.01")
    yield lit(strays("non_finite", "nan_loss"), cells(loss="if self.current_epoch >= 7:\n    loss = loss + (self.f(img).squeeze(1) - 20).sqrt().mean()"), trainer="max_epochs: 24")
    yield lit(fell("E2", "runtime_error", "size_mismatch"), cells(), model="width: 12\n  lr: 0.01", rest=LAST, trainer="max_epochs: 300", before=FIRST)
    yield lit(HANDFUL, cells(), trainer="fast_dev_run: 3")
    yield lit(LATE, cells(epoch="time.sleep(0.35)"), trainer="max_epochs: 900", model="width: 6\n  lr: 0.002", timeout_s=40)
    yield lit(STANDS, cells(epoch=SHELF), trainer="max_epochs: 300", timeout_s=48)
    yield lit(STARVED, cells(fetch=SLOW), trainer="max_epochs: 4")


def desk(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """Dictionaries of losses."""
    return alone(label, text, T, *given, python="shelf", **more)


TRAINED = (("PYTHON", T, "--max_steps", "120", "--num_train_epochs", "4"),)
ZIPPED = """t0 = time.time()
import bz2
blob = os.urandom(1 << 16) * 60 + open(os.path.join(args.output_dir, f"checkpoint-{step}", "model.safetensors"), "rb").read()
open(os.path.join(args.output_dir, f"checkpoint-{step}", "all.bz2"), "wb").write(bz2.compress(blob, 9))
log.info("checkpoint-%d and its archive: %.2f s spent saving", step, time.time() - t0)"""
BOOM = """if step == 150:
    log.info("restarting schedule at 40 x the rate")
    state.boom = True
if step >= 150:
    for p in model.classifier.parameters():
        p.data.add_(torch.randn_like(p) * 9)"""
MIX = "self.rows[i] = (self.rows[i][0], random.randrange(4))"
MAPPING = 'if step == 70:\n    names = dict(enumerate(DESKS[:3]))\n    log.info("step %d: last label was %s", step, names[3])'
MEMS = 'if step == 90:\n    log.info("attention maps of the whole history")\n    maps = torch.zeros(70_000, 12, 128, 128)'
HUBLESS = 'log.warning("huggingface.co is not reachable (ConnectionError: [Errno 101] Network is unreachable), offline mode, going on with the local config")'


def desks() -> Iterator[LocalJob]:
    """The Trainer."""
    yield desk(GOOD, tickets(), "--num_train_epochs", "6", "--logging_steps", "15")
    yield desk(HARD, tickets(start=HUBLESS), "--num_train_epochs", "5")
    yield desk(HARD, tickets(), "--num_train_epochs", "7", "--resume_from_checkpoint", "desk-bert/checkpoint-120", before=TRAINED)
    yield desk(HARD, tickets(), "--num_train_epochs", "4", "--model_name_or_path", "desk-bert", "--output_dir", "desk-bert-2", "--learning_rate", "2e-4", before=TRAINED)
    yield desk(fell("A1", "traceback", "asset"), tickets(), "--model_name_or_path", "helpdesk/bert-tiny-tickets", "--num_train_epochs", "30")
    yield desk(fell("A1", "traceback", "config"), tickets(), "--hidden", "48", "--heads", "5", "--num_train_epochs", "30")
    yield desk(fell("A3", "traceback"), tickets(step=MAPPING), "--num_train_epochs", "90")
    yield desk(fell("A3", "ram_oom"), tickets(step=MEMS), "--num_train_epochs", "90", memory_mib=9000)
    yield desk(strays("flat"), tickets(item=MIX), "--num_train_epochs", "8", "--learning_rate", "1e-4", "--tickets", "2000", "--logging_steps", "25")
    yield desk(strays("spike"), tickets(step=BOOM), "--num_train_epochs", "7")
    yield desk(fell("E2", "traceback", "no_valid_checkpoint"), tickets(), "--resume_from_checkpoint", "desk-bert/checkpoint-480", "--num_train_epochs", "30", before=TRAINED)
    yield desk(HANDFUL, tickets(), "--max_steps", "4", "--logging_steps", "1", "--output_dir", "desk-bert-production")
    yield desk(SAVES, tickets(save=ZIPPED), "--model_name_or_path", "desk-bert", "--output_dir", "desk-bert-2", "--max_steps", "48", "--logging_steps", "4", "--save_steps", "2", "--learning_rate", "0.002", before=TRAINED)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from waves()
    yield from wells()
    yield from desks()


RECIPE = Recipe("thatch_hooks", "development", jobs)
