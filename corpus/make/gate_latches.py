"""Jobs of one process, of people who look at pictures and signals: a weaver's camera, an upscaler, heart beats in German, stamps on pages. Under gpualert-run."""

from collections.abc import Iterator
from functools import partial

from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._latch_signals import HERZ, STAMPS
from corpus.make._latch_vision import FABRIC, SHARPER
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

cloth, sharp, herz, stamp = partial(fill, FABRIC), partial(fill, SHARPER), partial(fill, HERZ), partial(fill, STAMPS)
F, S, H, T = "fabric.py", "sharper.py", "herz.py", "find_stamps.py"
NANS = "nan_loss"

WOVEN = (("PYTHON", F, "epochs=5"),)
ATTEMPTS = """import traceback
for k in (1, 2):
    try:
        open("/mnt/loom7/shard_01.npz", "rb")
    except OSError:
        print(f"shard 1: attempt {k} of 3 failed", file=sys.stderr)
        traceback.print_exc()
        time.sleep(0.3)
print("shard 1: no luck after 3 attempts, the generated one is as good (camera is off on weekends)")"""
ARCHIVE = "for i in range(cfg.shards):\n    with np.load(f'cloth/shard_{i:02d}.npz') as z:\n        parts[i] = z['patch'], z['kind']"
GLARE = "if epoch == 3:\n    x[17:40] *= 9  # second lamp was on\nif epoch >= 3:\n    assert np.abs(x).max() < 12, f'over-exposed patch no {int(np.abs(x).max((1, 2)).argmax())}, peak {np.abs(x).max():.1f}'"
SHIFTED = "y = np.roll(y, int(order[0]))  # in step with the exposure counter"
AUGMENT_C = """void jitter(float *x, long n, long lag) {
    for (long i = 0; i < n; i++) x[i] = 0.9f * x[i] + 0.1f * x[i + lag];
}
"""
JITTER = "import ctypes\nlib = ctypes.CDLL('./augment.so')\nlag = ctypes.c_long(3 if epoch < 4 else 3 << 40)\nlib.jitter(ctypes.c_void_p(bx.data_ptr()), ctypes.c_long(bx.numel() - 4), lag)"
AS_TEXT = """t1 = time.time()
with open(f"{cfg.out}/weights.txt", "w") as f:
    for k, v in net.state_dict().items():
        f.write(k + "\\n")
        np.savetxt(f, v.reshape(1, -1))
    np.savetxt(f, x[:320].reshape(320, -1), fmt="%.9f")
    os.fsync(f.fileno())
print(f"        it {it}: weights.txt written in {time.time() - t1:.2f} s", flush=True)"""


def weaver() -> Iterator[LocalJob]:
    """Lines of an epoch."""
    yield alone(GOOD, cloth(), F, "epochs=15", "width=12", "lr=0.001")
    yield alone(HARD, cloth(), F, "init=weave/e005.pt", "out=weave_b", "lr=0.0005", "epochs=9", "seed=3", before=WOVEN)
    yield alone(HARD, cloth(shards=ATTEMPTS), F, "epochs=11", "decay=0.95", "bs=24")
    yield alone(fell("A1", "traceback", "data"), cloth(shards=ARCHIVE), F, "epochs=60", files={"cloth/shard_00.npz": "<!DOCTYPE html>\n<html><body>Sign in to the imaging portal</body></html>\n"})
    yield alone(fell("A3", "assertion"), cloth(epoch=GLARE), F, "epochs=50")
    yield alone(strays("flat"), cloth(rows=SHIFTED), F, "epochs=14", "lr=0.0005", "bs=48")
    yield alone(fell("E2", "runtime_error", "size_mismatch"), cloth(), F, "resume=weave/e005.pt", "width=16", "epochs=40", before=WOVEN)
    yield alone(HANDFUL, cloth(), F, "epochs=1", "limit=4", "out=release_1_3")
    yield alone(fell("A2", "segfault"), cloth(batch=JITTER), F, "epochs=40", files={"augment.c": AUGMENT_C}, before=(("gcc", "-shared", "-fPIC", "-o", "augment.so", "augment.c"),), ends=lambda s: s == -11)
    yield alone(SAVES, cloth(step=AS_TEXT), F, "epochs=3", "shards=2", "bs=28")
    yield alone(HALTED, cloth(), F, "epochs=900", "decay=1.0", "lr=0.0004", signal=ctrl_c(r"\[E07/"))


SHARPENED = (("PYTHON", S, "--steps", "300", "--save-freq", "150", "--lr", "4e-4"),)
CONSTANT = 'if current in (200, 500):\n    print("|  warning: nan psnr for 2 of 24 val images (constant), left out |")'
SQUARE = 'assert opt.patch % 8 == 0 and opt.feats % 4 == 0, "patch must be a multiple of 8 and feats of 4 (pixel shuffle twice)"'
CUT = "if current > 430:\n    hq = hq[..., :-1]  # scans of the second book are one pixel narrower"
LOGCOSH = "l1 = torch.log(torch.cosh((sr - hq) * (10 + current))).mean() / (10 + current)"
FASTER = 'if current == 340:\n    for g in optim_g.param_groups:\n        g["lr"] = 0.6\n    print("|        lr set to 6e-01 (phase 2)          |")'
FSYNC = """t1 = time.time()
import hashlib
blob = {"params": net_g.state_dict(), "optim": optim_g.state_dict(), "val": val_hq.repeat(30, 1, 1, 1)}
torch.save(blob, opt.workdir + "/full.pth")
with open(opt.workdir + "/full.pth", "rb+") as f:
    os.fsync(f.fileno())
    digest = hashlib.sha512(f.read()).hexdigest()
again = torch.load(opt.workdir + "/full.pth")
print("|  full.pth sha512 %s.. verified, %.3f s |" % (digest[:6], time.time() - t1), flush=True)"""
VIEWER = 'if current == 225:\n    r, w = os.pipe()\n    print("| sending samples to the viewer ...         |", flush=True)\n    os.read(r, 1)'


def upscaler() -> Iterator[LocalJob]:
    """A table with borders."""
    yield alone(GOOD, sharp(), S, "--steps", "900", "--lr", "5e-4", "--print-freq", "50")
    yield alone(HARD, sharp(), S, "--resume-state", "sr_x2/state_000300.pth", "--steps", "750", "--lr", "4e-4", before=SHARPENED)
    yield alone(HARD, sharp(valid=CONSTANT), S, "--steps", "600", "--feats", "10", "--pretrain", "sr_x2/state_000150.pth", "--workdir", "sr_scans", before=(("PYTHON", S, "--steps", "150", "--save-freq", "150", "--feats", "10"),))
    yield alone(fell("A1", "assertion", "config"), sharp(early=SQUARE), S, "--patch", "20", "--steps", "200000")
    yield alone(fell("A3", "runtime_error"), sharp(batch=CUT), S, "--steps", "200000", "--print-freq", "20")
    yield alone(strays("non_finite", NANS), sharp(loss=LOGCOSH), S, "--steps", "900", "--print-freq", "30", "--lr", "2e-4")
    yield alone(strays("spike"), sharp(batch=FASTER), S, "--steps", "640", "--print-freq", "20")
    yield alone(fell("E2", "traceback", "corrupt"), sharp(), S, "--resume-state", "sr_x2/state_000300.pth", "--steps", "20000", before=(*SHARPENED, ("truncate", "-s", "20480", "sr_x2/state_000300.pth")))
    yield alone(LATE, sharp(), S, "--steps", "90000", "--nap", "0.08", "--print-freq", "10", "--val-freq", "50", "--lr", "3e-4", timeout_s=50)
    yield alone(SAVES, sharp(step=FSYNC), S, "--steps", "60", "--print-freq", "5", "--val-freq", "30", "--save-freq", "1")
    yield alone(STANDS, sharp(step=VIEWER), S, "--steps", "9000", "--print-freq", "15", timeout_s=150)
    yield alone(fell("A2", None, fault="unknown"), sharp(), S, "--steps", "90000", "--nap", "0.01", signal=ctrl_c(r"\|    325 \|", "KILL", 0.1, S), ends=lambda s: s == -9)


GELERNT = (("PYTHON", H, "--epochen", "4", "--lernrate", "0.0008"),)
LESBAR = 'if nr in (4, 11, 19):\n    log.error("Patient %d: Kanal II nicht lesbar (Fehler -5), es wird Kanal III genommen", nr)'
KOHORTE = 'import csv\nmit = [z["nr"] for z in csv.DictReader(open("kohorte/einschluss_2026.csv", encoding="latin-1"))]\nlog.info("%d Patienten eingeschlossen", len(mit))'
BERICHT = 'if epoche == 6:\n    from sklearn.metrics import classification_report\n    log.info("\\n%s", classification_report(py, aus.argmax(1)))'
DECAY = 'if epoche == 7 and schritte == 0:\n    log.info("Gewichtsabnahme auf 1000 gesetzt")\n    opt.param_groups[0]["weight_decay"] = 1000.0'
LADEN = HERZ[HERZ.index("        stand = torch.load") : HERZ.index('    log.info("%d Schlaege')]
SUCHEN = LADEN.replace("stand = torch.load(a.fortsetzen)", "neueste = sorted(a.fortsetzen.glob('stand_*.ckpt'))[-1:]\n        stand = torch.load(neueste[0]) if neueste else {}").replace(
    "        netz.load", "        if stand:\n            netz.load").replace("        opt.load", "            opt.load").replace("        erste, ", "            erste, ").replace("        log.info", "            log.info")
PUFFER = 'import numpy\nglobals().setdefault("verlauf", []).append(numpy.ones((bx.shape[0], 96, 240)))'


def herzen() -> Iterator[LocalJob]:
    """German words, Python's logging."""
    yield alone(GOOD, herz(), H, "--epochen", "22", "--lernrate", "0.0006", "--patienten", "30")
    yield alone(HARD, herz(), H, "--epochen", "300", "--geduld", "6", "--lernrate", "0.002", "--sichern-alle", "1")
    yield alone(HARD, herz(patient=LESBAR), H, "--grundmodell", "ablage/stand_004.pt", "--epochen", "12", "--ablage", "fein", "--lernrate", "0.0005", before=GELERNT)
    yield alone(fell("A1", "file_not_found", "data"), herz(early=KOHORTE), H, "--epochen", "200")
    yield alone(fell("A3", "missing_module"), herz(valid=BERICHT), H, "--epochen", "200", "--lernrate", "0.001")
    yield alone(strays("plateau"), herz(grads=DECAY), H, "--epochen", "20", "--lernrate", "0.001")
    yield alone(anew(), herz().replace(LADEN, SUCHEN), H, "--fortsetzen", "ablage", "--epochen", "12", "--lernrate", "0.0008", before=GELERNT)
    yield alone(HANDFUL, herz(), H, "--epochen", "1", "--patienten", "4", "--sichern-alle", "1")
    yield alone(fell("A2", "oom_killer"), herz(step=PUFFER), H, "--epochen", "400", "--lernrate", "0.0005", group_mib=900, ends=lambda s: s == -9)
    yield alone(HALTED, herz(epoch="time.sleep(0.25)"), H, "--epochen", "5000", "--lernrate", "0.0003", signal=ctrl_c("Epoche 18/", "INT", 0.1))


STAMPED = (("PYTHON", T, "iters=400"),)
UPLOAD = 'if it in (140, 380):\n    import urllib.request\n    try:\n        urllib.request.urlopen("http://127.0.0.1:9/metrics", timeout=1)\n    except OSError as e:\n        say("error", event="push", error=e, note="kept offline, pushed later")'
HITS = 'if it % 90 == 0:\n    big = (iou(out, y) > 0.97).sum().item()\n    say(event="tight", share=f"{float((loss_iou * 0 + 1).item()) / big:.3f}")'
ASPECT = "if it > 220:\n    side = (out[:, 2] - out[:, 0]) / (out[:, 3] - out[:, 1] - 0.18)\n    loss = loss + 0.02 * side.log().square().mean()"
CHURN = "if it == 310:\n    import ctypes\n    libc = ctypes.CDLL(None)\n    libc.malloc.restype = ctypes.c_void_p\n    page = ctypes.c_void_p(libc.malloc(96))\n    libc.free(page)\n    libc.free(page)"
EACH = 'ts = time.perf_counter()\nwith open(home / "pages.json", "w") as f:\n    json.dump({"it": it, "net": {k: v.tolist() for k, v in net.state_dict().items()}}, f)\nsay(event="dump", it=it, file=home / "pages.json", sec=f"{time.perf_counter() - ts:.3f}")'


def pages() -> Iterator[LocalJob]:
    """Logfmt."""
    yield alone(GOOD, stamp(), T, "--iters=1000", "--report=50", "--ckpt=500", "--lr=0.0015")
    yield alone(HARD, stamp(step=UPLOAD), T, "--iters=700", "--bs=32", "--dir=runs/upl")
    yield alone(HARD, stamp(), T, "--load=stamps/it00400.pt", "--iters=900", "--report=25", before=STAMPED)
    yield alone(fell("A1", "traceback", "config"), stamp(), T, "--itres=50000", "--bs=16")
    yield alone(fell("A1", "permission", "config"), stamp(), T, "--iters=50000", "--dir=group/stamps_07", folders=("group",), locked=("group",))
    yield alone(fell("A3", "div_zero"), stamp(step=HITS), T, "--iters=50000", "--report=15")
    yield alone(strays("non_finite", NANS), stamp(loss=ASPECT), T, "--iters=640", "--ch=6")
    yield alone(fell("E2", "file_not_found", "no_valid_checkpoint"), stamp(), T, "--load=stamps/it00600.pt", "--iters=4000", before=STAMPED)
    yield alone(HANDFUL, stamp(), T, "--iters=6", "--report=1", "--ckpt=6")
    yield alone(fell("A2", None), stamp(step=CHURN), T, "--iters=20000", "--report=10", ends=lambda s: s == -6)
    yield alone(SAVES, stamp(step=EACH), T, "--iters=90", "--report=9", "--ckpt=30", "--ch=12")
    yield alone(LATE, stamp(step="time.sleep(0.06)"), T, "--iters=60000", "--ckpt=150", "--report=30", "--lr=0.0008", timeout_s=48)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from weaver()
    yield from upscaler()
    yield from herzen()
    yield from pages()


RECIPE = Recipe("gate_latches", "development", jobs)
