"""One process: masks of nuclei with lines of a lab's own, a small language model told by TOML. Under gpualert-run."""

from collections.abc import Iterator
from functools import partial
from json import dumps
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._russet_slides import MASKS, QUILL
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

masks, quill = partial(fill, MASKS), partial(fill, QUILL)
M, Q = "train_masks.py", "quill.py"
NANS = "nan_loss"
TEN = (("PYTHON", M, "--epochs", "10"),)
TENTH = "runs/fold0/ep010.pth"


def mask(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """Nuclei."""
    return alone(label, text, M, *given, **more)


UNREAD = """for tile in (17, 208, 311):
    say(f"ERROR: slide_{400 + tile}.svs tile {tile}: truncated file (13 bytes not processed); patch skipped")
say("WARNING: 3 of 483 patches could not be decoded and are left out, 0 slides lost")"""
STAINS = """if epoch in (4, 9):
    say(f"WARNING: stain matrix ill-conditioned in {epoch * 3} patches (nan in 0), Macenko failed, Reinhard used instead")
if epoch == 6:
    try:
        os.symlink(f"ep{epoch - 1:03d}.pth", "/srv/dashboard/best.pth")
    except OSError as e:
        say(f"could not link the dashboard's copy ({e}); not needed for training")"""
MIRROR = """if epoch == 7:
    say("consistency with the teacher from here on")
    teacher = MaskNet(args.width).to("meta")"""
TEACHING = """if epoch >= 7:
    loss = loss + 0.1 * F.mse_loss(logits, teacher(x.to("meta")))"""
WHOLE = """if epoch == 6:
    say("whole-slide overview of the validation slide, 61440 x 58368")
    canvas = np.ones((61440, 58368), "float32")
    canvas += 1.0"""
NORMALISE = """if epoch == 9:
    say("stain vectors by the C kernel from here on")
    import ctypes
    kernel = ctypes.CDLL("libc.so.6")
    length = kernel.strlen(None)"""
OUTLINES = """if epoch == 8:
    say("outlines of the validation nuclei, 2 processes")
    import ctypes
    import multiprocessing

    def outline(k):
        return ctypes.CDLL(None).strlen(None if k == 3 else b"contour")

    with multiprocessing.Pool(2) as pool:
        sizes = pool.map(outline, range(6), 1)
    say(f"{len(sizes)} outlines")"""
SHARE = "time.sleep(0.3)"
SHARED = 'say(f"   this epoch so far {time.time() - t_epoch:.1f} s, {waited:.1f} s of them waiting for patches")'
OPENS = "time.sleep(0.12 + 0.1 * (it % 3))"
OPENED = 'say(f"   where the epoch went: reading {waited:.2f} s ({waited / (time.time() - t_epoch):.0%}), forward/backward/step {time.time() - t_epoch - waited:.2f} s")'
EACH = """import bz2
t1 = time.time()
blob = bz2.compress(os.urandom(700_000) + b"".join(p.detach().numpy().tobytes() for p in net.parameters()))
with open(f"{args.out}/ep{epoch:03d}_it{it:03d}.pth.bz2", "wb") as f:
    f.write(blob)
say(f"   {args.out}/ep{epoch:03d}_it{it:03d}.pth.bz2 written, {len(blob) / 1e6:.1f} MB in {time.time() - t1:.2f} s")"""
OWN = """p = torch.sigmoid(logits)
loss = -(m * torch.log(p) + (1 - m) * torch.log(1 - p)).mean()"""
HEADS = """if epoch == 14:
    say("stage 2: encoder frozen, only the last layer is trained")
    for q in net.parameters():
        q.requires_grad_(False)
    for q in net.up[2].parameters():
        q.requires_grad_(True)
    opt = torch.optim.AdamW(net.up[2].parameters(), lr=80.0)"""
OTHERS = "m = train_m[torch.tensor(rng.integers(0, len(train_m), 16))]"
PRIOR = """with torch.no_grad():
    net.up[2].weight.mul_(0.01)
    net.up[2].bias.fill_(-1.9)"""
TRIED = "say('quick check of the pipeline: 3 iterations, no more')"
STORED = MASKS[MASKS.index("    state = torch.load(args.resume)") : MASKS.index("os.makedirs(args.out")]
BYNAME = """    found = sorted(p for p in os.listdir(os.path.dirname(args.resume)) if p.endswith(".pth"))
    say(f"resume wanted from {args.resume}; folder has {', '.join(found)}")
    if "last.pth" in found:
        state = torch.load(f"{os.path.dirname(args.resume)}/last.pth")
        net.load_state_dict(state["net"])
        opt.load_state_dict(state["opt"])
        first = state["epoch"] + 1
    say(f"first epoch is {first}")
"""


def nuclei() -> Iterator[LocalJob]:
    """The vision lab."""
    yield mask(GOOD, masks(), "--epochs", "28")
    yield mask(HARD, masks(), "--weights", TENTH, "--eval-only", before=TEN)
    yield mask(HARD, masks(data=UNREAD, epoch=STAINS), "--epochs", "24", "--fold", "2", "--out", "runs/fold2")
    yield mask(HARD, masks(), "--epochs", "400", "--patience", "4", "--lr", "0.012")
    yield mask(HARD, masks(), "--epochs", "26", "--resume", TENTH, before=TEN)
    yield mask(fell("A1", "missing_module", "env"), masks(imports="import openslide"), "--epochs", "300")
    yield mask(fell("A1", "permission"), masks(data="table = np.loadtxt('slides/index.csv', delimiter=',')"), "--epochs", "300", files={"slides/index.csv": "0,1\n1,1\n"}, locked=("slides/index.csv",))
    yield mask(fell("A3", "device_mismatch"), masks(epoch_top=MIRROR, loss=TEACHING), "--epochs", "300")
    yield mask(fell("A3", "ram_oom"), masks(epoch=WHOLE), "--epochs", "300", memory_mib=8000)
    yield mask(fell("A2", "segfault"), masks(epoch=NORMALISE), "--epochs", "300", ends=lambda s: s == -11)
    yield mask(STANDS, masks(epoch=OUTLINES), "--epochs", "300", timeout_s=70)
    yield mask(STARVED, masks(fetch=SHARE, told=SHARED), "--epochs", "4", "--iters", "30", "--print-freq", "6", "--lr", "0.01")
    yield mask(STARVED, masks(fetch=OPENS, epoch=OPENED), "--epochs", "9", "--iters", "20", "--fold", "3", "--out", "runs/fold3", "--lr", "0.01")
    yield mask(SAVES, masks(after=EACH), "--epochs", "5", "--iters", "24", "--print-freq", "4", "--lr", "0.012")
    yield mask(strays("non_finite", NANS), masks(loss=OWN), "--epochs", "22", "--lr", "0.3")
    yield mask(strays("spike"), masks(epoch_top=HEADS), "--epochs", "26")
    yield mask(strays("flat"), masks(fetch=OTHERS, model=PRIOR), "--epochs", "30", "--lr", "0.00005")
    yield mask(anew(), masks().replace(STORED, BYNAME), "--epochs", "20", "--resume", TENTH, before=TEN)
    yield mask(fell("E2", "runtime_error", "size_mismatch"), masks(), "--epochs", "60", "--width", "16", "--resume", TENTH, before=TEN)
    yield mask(fell("E2", "runtime_error", "corrupt"), masks(), "--epochs", "60", "--width", "20", "--resume", TENTH, before=(("PYTHON", M, "--epochs", "10", "--width", "20"), ("truncate", "-s", "90000", TENTH)))
    yield mask(HANDFUL, masks(), "--epochs", "1", "--iters", "4", "--print-freq", "1", "--save-freq", "1", "--out", "runs/final_fold0")
    yield mask(HANDFUL, masks(data=TRIED), "--epochs", "1", "--iters", "3", "--print-freq", "1", "--pace", "0.5")
    yield mask(HALTED, masks(), "--epochs", "900", "--pace", "0.03", signal=ctrl_c(r"== epoch 11:", "TERM"))


def toml(said: dict[str, Any]) -> str:
    """Flat settings."""
    return "# quill run\n" + "".join(f"{k} = {dumps(v)}\n" for k, v in said.items())


def words(label: Label, text: str, *, more: dict[str, Any] | None = None, **said: Any) -> LocalJob:
    """One run of quill."""
    return alone(label, text, Q, "heron.toml", files={"heron.toml": toml(said), "base.toml": toml({"total_steps": 400})}, **(more or {}))


BASE = (("PYTHON", Q, "base.toml"),)
FOUR = "ckpt/step000400.pt"
LEXICON = """import urllib.request
for attempt in (1, 2, 3):
    try:
        urllib.request.urlopen("http://127.0.0.1:9/lexicon/heron.json", timeout=2)
    except OSError as e:
        log(f"WARNING lexicon mirror, attempt {attempt} of 3: {e}; next try in {attempt} s")
        time.sleep(attempt)
log("ERROR lexicon mirror cannot be reached; falling back to the word lists of the package (same content, version 12)")"""
PANEL = """class Panel:
    def __init__(self):
        self.read, self.write = os.pipe()

    def point(self, step, ce):
        if step == 300:
            os.close(self.read)
        os.write(self.write, f"{step} {ce}".encode())

    def __del__(self):
        os.write(self.write, b"bye")


panel = Panel()"""
POINTS = """if step <= 300:
    try:
        panel.point(step, ce)
    except OSError:
        import traceback
        log("panel: connection lost, points are no longer sent\\n" + traceback.format_exc().rstrip())"""
SKIPS = """if step in (160, 340, 620):
    log(f"inf/NaN in 1 gradient bucket: step skipped, loss scale {65536 >> (step // 200)} -> {32768 >> (step // 200)} (recovers by itself)")"""
EXPORT = """if step == 400:
    log("export to export/heron.bin")
    with open("export/heron.bin", "wb") as f:
        f.write(b"QUIL")"""
LONGER = """if step == 360:
    log("curriculum: context 24 -> 40")
    cfg["ctx"] = 40"""
SHADOW = """if step == 320:
    log("distillation from the 1.1B teacher's first block")
    with torch.device("meta"):
        teacher = Block(cfg["d_model"], cfg["n_head"])
    print(float(teacher(model.wte(x)).mean()))"""
KEEPS = """if step > 150:
    globals().setdefault("grad_history", []).append(torch.ones(1_600_000) * norm)"""
ARCHIVE = """if step == 600:
    import queue
    outbox = queue.Queue()
    outbox.put(f"{cfg['run_dir']}/step{step:06d}.pt")
    log("handing the checkpoint to the uploader")
    outbox.join()"""
STALL = """t1 = time.time()
time.sleep(0.19)
t_wait += time.time() - t1"""
STALLED = """log(f"             {cfg['log_every']} steps in {time.time() - mark:.2f} s: tokenised queue empty {t_wait:.2f} s, model {time.time() - mark - t_wait:.2f} s")
t_wait = 0.0"""
WRITES = """import lzma
t1 = time.time()
with open(f"{cfg['run_dir']}/full{step:06d}.xz", "wb") as f:
    f.write(lzma.compress(os.urandom(200_000) * 2, preset=4))
torch.save({"model": model.state_dict(), "optim": optim.state_dict(), "step": step}, f"{cfg['run_dir']}/full.pt")
t_save += time.time() - t1
log(f"saved {cfg['run_dir']}/full{step:06d}.xz (model, optimiser, loader, rng)")"""
WROTE = """log(f"clock: {time.time() - BORN:.1f} s in all, {t_save:.1f} s of it in saves ({step - done} saves)")"""
SNAPS = """if step % 2 == 0:
    import gzip
    t1 = time.time()
    with gzip.open(f"{cfg['run_dir']}/snap{step}.gz", "wb", compresslevel=9) as f:
        f.write(os.urandom(3_000_000))
    log(f"snapshot {step} took {time.time() - t1:.2f} s")"""
CLIMBS = """if step > 420:
    lr = cfg["peak_lr"] * 15 * (step - 420)"""
PADDED = """each = F.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction="none")
keep = (y.flatten() >= (0 if step < 447 else len(vocab))).float()
loss = (each * keep).sum() / keep.sum()"""
STOPS = """if not math.isfinite(loss.item()):
    log(f"step {step}: ce is {loss.item()}, gnorm before it {norm if step > 1 else 0:.2f}; giving up here, nothing saved")
    sys.exit(3)"""
HALFS = """if step > 380:
    loss = F.cross_entropy((model(x).flatten(0, 1) * 3e4).half().float() - 3e4, y.flatten())"""
DECAY = """if step == 300:
    log("stage 2: weight_decay 0.1 -> 200.0")
    for g in optim.param_groups:
        g["weight_decay"] = 200.0"""
HELD = QUILL[QUILL.index('    state = torch.load(cfg["resume"])') : QUILL.index('os.makedirs(cfg["run_dir"]')]
PREFIXED = """    state = torch.load(cfg["resume"])
    answer = model.load_state_dict({f"module.{k}": v for k, v in state["model"].items()}, strict=False)
    log(f"resume {cfg['resume']}: {len(answer.missing_keys)} keys missing, {len(answer.unexpected_keys)} keys unexpected, 0 keys matched")
    done = state.get("global_step", 0)
    log(f"continuing after step {done}")
"""


def herons() -> Iterator[LocalJob]:
    """The language-model start-up."""
    yield words(GOOD, quill(), total_steps=1000, rest=0.004)
    yield words(GOOD, quill(), total_steps=640, d_model=48, n_layer=3, log_every=40, schedule="constant")
    yield words(HARD, quill(start=LEXICON), total_steps=800, rest=0.003)
    yield words(HARD, quill(start=PANEL, told=POINTS), total_steps=760, rest=0.003)
    yield words(HARD, quill(told=SKIPS), total_steps=1000, resume=FOUR, rest=0.004, more={"before": BASE})
    yield words(fell("A1", "assertion", "config"), quill(), total_steps=60000, d_model=50)
    yield words(fell("A1", "file_not_found", "asset"), quill(), total_steps=60000, tokenizer="/models/heron-350m/tokenizer.json")
    yield words(fell("A3", "permission"), quill(told=EXPORT), total_steps=60000, more={"folders": ("export",), "locked": ("export",)})
    yield words(fell("A3", "runtime_error"), quill(told=LONGER), total_steps=60000)
    yield words(fell("A3", "device_mismatch"), quill(after=SHADOW), total_steps=60000)
    yield words(fell("A2", "oom_killer"), quill(grads=KEEPS), total_steps=60000, more={"group_mib": 1100, "ends": lambda s: s == -9})
    yield words(STANDS, quill(saved=ARCHIVE), total_steps=60000, rest=0.005, more={"timeout_s": 66})
    yield words(STARVED, quill(batch=STALL, told=STALLED), total_steps=200, log_every=10, eval_every=50)
    yield words(SAVES, quill(after=WRITES, finish=WROTE), total_steps=92, log_every=4, eval_every=40, warmup=10)
    yield words(SAVES, quill(after=SNAPS), total_steps=200, log_every=10, warmup=10, run_dir="snaps")
    yield words(strays("spike"), quill(rate=CLIMBS), total_steps=760)
    yield words(fell("E1", NANS, "non_finite"), quill(loss=PADDED + "\n" + STOPS), total_steps=9000, log_every=10, rest=0.01)
    yield words(strays("non_finite", NANS), quill(loss=HALFS), total_steps=800)
    yield words(strays("plateau"), quill(told=DECAY), total_steps=1300)
    yield words(anew(), quill().replace(HELD, PREFIXED), total_steps=800, resume=FOUR, more={"before": BASE})
    yield words(fell("E2", "file_not_found", "no_valid_checkpoint"), quill(), total_steps=9000, resume="ckpt/step000500.pt", more={"before": BASE})
    yield words(fell("E2", "runtime_error", "size_mismatch"), quill(), total_steps=9000, d_model=64, resume=FOUR, more={"before": BASE})
    yield words(HANDFUL, quill(), total_steps=5, log_every=1, eval_every=5, save_every=5, run_dir="release", rest=0.2)
    yield words(LATE, quill(), total_steps=60000, rest=0.05, peak_lr=0.0005, more={"timeout_s": 42})


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from nuclei()
    yield from herons()


RECIPE = Recipe("russet_trestles", "development", jobs)
