"""One process: solder joints with meters in brackets, spoken digits with CTC. Under gpualert-run."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._pelican_pictures import JOINTS
from corpus.make._pelican_talk import DIGITS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

joints, digits = partial(fill, JOINTS), partial(fill, DIGITS)
V, S = "train_joints.py", "ctc_train.py"
CKPT = "runs/joints/checkpoint.pth"
GROWN = (("PYTHON", V, "--epochs", "8", "--pace", "0"),)
LEARNT = (("PYTHON", S, "--num-epochs", "2", "--pace", "0"),)
NANS = "nan_loss"


def joint(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """The vision lab."""
    return alone(label, text, V, *given, **more)


def digit(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """The speech group."""
    return alone(label, text, S, *given, **more)


SCANS = """import traceback
for number in (118, 742, 1990):
    try:
        open(f"scans/board_{number}.tif", "rb").read()
    except OSError:
        traceback.print_exc()
        print(f"=> board_{number}.tif skipped ({3} of 2400 may be missing, limit is 24)", flush=True)"""
EMA = """if epoch == 4:
    print("=> building the averaged copy", flush=True)
    ema = JointNet(args.width, args.patch).to("meta")
    for p, q in zip(ema.parameters(), model.parameters()):
        p.data = 0.99 * p.data + 0.01 * q.data"""
PAIRS = """if epoch == 4:
    print("=> pairwise distances of embeddings for the outlier report", flush=True)
    far = torch.cdist(train_x.flatten(1).repeat(40, 1), train_x.flatten(1).repeat(40, 1))"""
CACHE = "if epoch >= 2:\n    kept_maps = globals().setdefault('kept_maps', [])\n    kept_maps.append(out.detach().repeat(6000, 60))\n    if it % 5 == 0:\n        print(f'   feature cache {len(kept_maps)} batches', flush=True)"
LABELER = """if epoch == 4:
    print("=> relabelling with the second head in a helper process", flush=True)
    import multiprocessing as mp
    answers = mp.get_context("fork").SimpleQueue()
    helper = mp.get_context("fork").Process(target=os._exit, args=(1,))
    helper.start()
    answers.get()"""
NFS = "time.sleep(0.11)"
ARCHIVE = """t0 = time.time()
import bz2
blob = bz2.compress(os.urandom(900_000) + val_x.numpy().tobytes(), 9)
time.sleep(0.25)
open(f"{args.output}/iter_{epoch}_{it}.bz2", "wb").write(blob)
print(f"=> snapshot {args.output}/iter_{epoch}_{it}.bz2 written in {time.time() - t0:.2f}s", flush=True)"""
DEAD = """if epoch == 5 and it == 1:
    print("=> stronger regularisation from here on: weight decay 0.0001 -> 4", flush=True)
    for group in optimizer.param_groups:
        group["weight_decay"] = 4.0"""
MIXED = "y = torch.randint(len(CLASSES), y.shape)"
STRICT = JOINTS[JOINTS.index('        state = torch.load(args.resume, map_location="cpu")\n') : JOINTS.index("    os.makedirs(args.output")]
LOOSE = """        state = torch.load(args.resume, map_location="cpu")
        missed = model.load_state_dict({f"module.{k}": v for k, v in state["state_dict"].items()}, strict=False)
        print(f"=> {missed}", flush=True)


"""


def pictures() -> Iterator[LocalJob]:
    """Solder joints."""
    long = ("--epochs", "400")
    yield joint(fell("A1", "file_not_found", "asset"), joints(), *long, "--pretrained", "/data/weights/jointnet_w12_aoi.pth")
    yield joint(fell("A1", "assertion", "config"), joints(), *long, "--patch", "14")
    yield joint(fell("A3", "device_mismatch"), joints(valid=EMA), *long)
    yield joint(fell("A3", "ram_oom"), joints(valid=PAIRS), *long, memory_mib=9000)
    yield joint(fell("A2", "oom_killer"), joints(after=CACHE), *long, group_mib=900, ends=lambda s: s == -9)
    yield joint(fell("E2", "runtime_error", "size_mismatch"), joints(), *long, "--resume", CKPT, "--width", "16", before=GROWN)
    yield joint(anew(), joints().replace(STRICT, LOOSE), "--epochs", "10", "--resume", CKPT, before=GROWN)
    yield joint(HANDFUL, joints(), "--epochs", "1", "--iters", "4", "--print-freq", "1", "--save-freq", "1", "--output", "runs/production")
    yield joint(GOOD, joints(), "--epochs", "14")
    yield joint(HARD, joints(data=SCANS), "--epochs", "12")
    yield joint(HARD, joints(), "--epochs", "60", "--patience", "3", "--lr", "0.008")
    yield joint(HARD, joints(), "--epochs", "16", "--resume", CKPT, before=GROWN)
    yield joint(STANDS, joints(valid=LABELER), *long, timeout_s=66)
    yield joint(strays("plateau"), joints(batch=DEAD), "--epochs", "16")
    yield joint(strays("flat"), joints(batch=MIXED), "--epochs", "16", "--lr", "0.0005")
    yield joint(STARVED, joints(batch=NFS), "--epochs", "6", "--pace", "0.01")
    yield joint(SAVES, joints(after=ARCHIVE), "--epochs", "2")
    yield joint(LATE, joints(), "--epochs", "400", "--lr", "0.0008", timeout_s=24)


TOOL = """logging.warning("cut nl-0412: duration is nan in the manifest, taken from the audio")
logging.warning("Exclude cut with ID nl-1187 from training. Number of frames (before subsampling): 3. Number of tokens: 6")"""
SKIPS = """if seen in (75, 76, 190):
    logging.warning(f"Epoch {epoch}, batch {batch_idx}: grad_scale is small or loss is inf, batch skipped; grad_scale 65536 -> 32768")
    continue"""
MANIFEST = """with open(P["manifest"]) as f:
    cuts = [json.loads(row) for row in f]
logging.info(f"{len(cuts)} cuts")"""
BROKEN = '{"id": "nl-0001", "dur": 1.31}\n{"id": "nl-0002", "dur": 0.92}\n{"id": "nl-0003", "dur": 1.0'
KIDS = """if epoch == 3:
    score("dev-kids", [], dev[2][:0], dev[3][:0])"""
SHARD = """if seen == 150:
    logging.info("Opening shard 2")
    shard = open("data/fbank/feats-2.ark", "rb")"""
BEAM = """if seen == 150:
    logging.info("Decoding a sample with the C prefix beam")
    import ctypes
    ctypes.CDLL(None).strlen(ctypes.c_void_p(0))"""
CACHED = """if seen == 170:
    import fcntl
    logging.info("Waiting for the lock of the feature cache")
    mine, other = open("cache.lck", "w"), open("cache.lck", "w")
    fcntl.flock(other, fcntl.LOCK_EX)
    fcntl.flock(mine, fcntl.LOCK_EX)"""
READS = "t0 = time.time()\ntime.sleep(0.17)\nwaited += time.time() - t0"
READ = """logging.info(f"Epoch {epoch}: {time.time() - began:.1f} s elapsed, of these {waited:.1f} s spent waiting for features from disk")"""
LOGS = "if seen >= 140:\n    loss = loss + (lp.exp().mean() - 1.0).sqrt()"
HOT = """if seen == 200:
    for group in optimizer.param_groups:
        group["lr"] = 1.5
if seen == 230:
    for group in optimizer.param_groups:
        group["lr"] = 0.05"""
KEPT = DIGITS[DIGITS.index("    name = f\"{P['exp-dir']}/epoch-") : DIGITS.index('if P["decode-only"]')]
ABSENT = """    P["start-epoch"] = 1
    newest = sorted(n for n in os.listdir(P["exp-dir"]) if n.startswith("ckpt_epoch"))
    if not newest:
        logging.warning(f"Resume was requested, but no ckpt_epoch*.pt in {P['exp-dir']} ({', '.join(sorted(os.listdir(P['exp-dir'])))}); starting with epoch 1, fresh weights")
"""
DUMPS = """t0 = time.time()
time.sleep(0.3)
torch.save({"model": model.state_dict(), "pad": torch.randn(400_000)}, f"{P['exp-dir']}/full-{seen}.pt")
logging.info(f"Saved {P['exp-dir']}/full-{seen}.pt, took {time.time() - t0:.2f} s")"""


def talks() -> Iterator[LocalJob]:
    """Spoken digits."""
    long = ("--num-epochs", "300")
    yield digit(fell("A1", "missing_module", "env"), digits(imports="import kaldifeat"), *long)
    yield digit(fell("A1", "traceback", "data"), digits(data=MANIFEST), *long, "--manifest", "cuts_train.jsonl", files={"cuts_train.jsonl": BROKEN})
    yield digit(fell("A3", "div_zero"), digits(valid=KIDS), *long)
    yield digit(fell("A3", "file_not_found"), digits(batch=SHARD), *long)
    yield digit(fell("A2", "segfault"), digits(batch=BEAM), *long, ends=lambda s: s == -11)
    yield digit(fell("E2", "runtime_error", "corrupt"), digits(), *long, "--start-epoch", "3", before=(*LEARNT, ("truncate", "-s", "90000", "exp/digits/epoch-2.pt")))
    yield digit(anew(), digits().replace(KEPT, ABSENT), "--num-epochs", "4", "--start-epoch", "3", before=LEARNT)
    yield digit(HANDFUL, digits(), "--num-epochs", "1", "--batches", "5", "--log-interval", "1", "--exp-dir", "exp/final")
    yield digit(GOOD, digits(), "--num-epochs", "6")
    yield digit(HARD, digits(data=TOOL), "--num-epochs", "5")
    yield digit(HARD, digits(batch=SKIPS), "--num-epochs", "6")
    yield digit(HARD, digits(), "--decode-only", "1", "--init", "exp/digits/epoch-2.pt", before=LEARNT)
    yield digit(STANDS, digits(batch=CACHED), *long, timeout_s=66)
    yield digit(STARVED, digits(batch=READS, valid=READ), "--num-epochs", "2", "--pace", "0.01")
    yield digit(strays("non_finite", NANS), digits(loss=LOGS), "--num-epochs", "5")
    yield digit(strays("spike"), digits(batch=HOT), "--num-epochs", "6")
    yield digit(HALTED, digits(), *long, signal=ctrl_c(r"Epoch 4, batch 30"))
    yield digit(SAVES, digits(save=DUMPS), "--num-epochs", "1", "--save-every-n", "1")


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from pictures()
    yield from talks()


RECIPE = Recipe("pelican_drawers", "development", jobs)
