"""One process: phones by CTC in a group's logging, carts and poles in blocks of names and numbers. Under gpualert-run."""

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._thrush_voices import CARTS, PHONES
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

phones, carts = partial(fill, PHONES), partial(fill, CARTS)
P, C = "phones.py", "carts.py"
NANS = "nan_loss"
SET = ["aa", "ae", "b", "d", "eh", "f", "g", "iy", "k", "l", "m", "n"]


def listing(count: int, prefix: str, seed: int) -> str:
    """Utterances: name, speaker, phones."""
    r = random.Random(seed)
    return "".join(f"{prefix}{i:04d}|s{r.randint(1, 9):02d}|{' '.join(r.choice(SET) for _ in range(r.randint(3, 8)))}\n" for i in range(count))


TRAIN, DEV = listing(300, "tr", 5), listing(60, "dv", 6)


def phone(label: Label, text: str, *given: str, files: dict[str, str] | None = None, **more: Any) -> LocalJob:
    """The recogniser."""
    return alone(label, text, P, *given, files={"data/train.lst": TRAIN, "data/dev.lst": DEV, **(files or {})}, **more)


FIVE = (("PYTHON", P, "--epochs", "5"),)
LAST = "exp/gru40_lr0.003/last.state"
SHORT = """for name in ("tr0031", "tr0144", "tr0207"):
    L.warning("%s: 4 frames for 6 labels, its ctc would be inf; utterance left out", name)
L.warning("left out: 3 of %d utterances (1.0 %%)", len(train))
train = [u for u in train if u[0] not in ("tr0031", "tr0144", "tr0207")]"""
PRINTS = """L.info("settings in full:\\n%s", json.dumps({"lists": [opt.train, opt.dev], "on_error": "abort", "if_nan": "raise RuntimeError", "kill_after_failures": 3, "oom": {"retries": 2, "message": "out of memory, batch halved"}, "signals": ["SIGTERM", "SIGSEGV"]}, indent=4))"""
PUSHES = """if epoch in (3, 8):
    import smtplib
    try:
        smtplib.SMTP("127.0.0.1", 9, timeout=2)
    except OSError:
        L.exception("the report of epoch %d could not be mailed; it is in %s/report.txt", epoch, folder)"""
FREED = """if epoch == 5:
    L.info("building the decoding graph (C library)")
    import ctypes
    graph = ctypes.create_string_buffer(4096)
    ctypes.CDLL(None).free(ctypes.byref(graph, 16))"""
SPEAKERS = """if epoch == 6:
    for who in ["s01", "s05", "s09", "s12"]:
        e, of = by.get(who, [0, 0])
        L.info("   speaker %s: PER %.2f %%", who, 100 * e / of)"""
SECOND = """if epoch == 5:
    L.info("second pass: noisy lists from here on")
    train = train + listed("data/train_noisy.lst")"""
SERVER = """if epoch == 7:
    L.info("decoding dev with the n-gram server")
    import socket
    ngram = socket.create_server(("127.0.0.1", 0))
    wire = socket.create_connection(ngram.getsockname())
    wire.sendall(b"LOAD 4gram.bin\\n")
    wire.recv(64)"""
PIPES = "time.sleep(0.17 + 0.05 * (n % 4))"
PIPED = 'L.info("           of %.2f s since epoch began, %.2f s went into reading features (queue was empty)", time.time() - t_epoch, read)'
EVERY = """import bz2
t1 = time.time()
with open(f"{folder}/ep{epoch}.mb{n}.bz2", "wb") as f:
    f.write(bz2.compress(os.urandom(600_000)))
torch.save({"net": net.state_dict(), "adam": adam.state_dict()}, f"{folder}/ep{epoch}.mb{n}.state")
t_keep += time.time() - t1
L.info("epoch %d, minibatch %d: state and posteriors stored in %.2f s", epoch, n, time.time() - t1)"""
KEPT = 'L.info("epoch %d: %.1f s so far, %.1f s of them storing", epoch, time.time() - t_start, t_keep)'
FASTER = """if epoch == 6:
    L.info("speed perturbation 3.0 from here on")
if epoch >= 6:
    train = [(u[0], u[1], u[2][::3], u[3]) for u in train] if epoch == 6 else train
    batches = [[train[k] for k in order[a : a + 12]] for a in range(0, len(order), 12)]"""
NOAM = 'adam.param_groups[0]["lr"] = opt.lr * (seen // opt.warmup)'
HELD = PHONES[PHONES.index('    state = torch.load(f"{folder}/last.state")') : PHONES.index("def collate")]
ANOTHER = """    there = sorted(os.listdir(opt.exp))
    L.info("--continue: %s has %s", opt.exp, ", ".join(f"{d} ({len(os.listdir(os.path.join(opt.exp, d)))} files)" for d in there))
    if os.path.exists(f"{folder}/last.state"):
        state = torch.load(f"{folder}/last.state")
        net.load_state_dict(state["net"])
        adam.load_state_dict(state["adam"])
        begun, seen = state["epoch"], state["seen"]
    else:
        L.info("%s/last.state is not there: new network, epoch 1", folder)


"""


def spoken() -> Iterator[LocalJob]:
    """The speech group."""
    yield phone(GOOD, phones(), "--epochs", "16")
    yield phone(HARD, phones(data=SHORT), "--epochs", "14", "--chunk", "8")
    yield phone(HARD, phones(start=PRINTS, epoch=PUSHES), "--epochs", "13")
    yield phone(HARD, phones(), "--epochs", "15", "--continue", before=FIVE)
    yield phone(fell("A1", "file_not_found"), phones(), "--train", "data/train_960.lst", "--epochs", "120")
    yield phone(fell("A1", "traceback", "data"), phones(), "--epochs", "120", files={"data/train.lst": TRAIN[:6200] + "tr0190|s04|aa eh zh k\n" + TRAIN[6200:]})
    yield phone(fell("A2", None), phones(epoch=FREED), "--epochs", "120", ends=lambda s: s == -6)
    yield phone(fell("A3", "div_zero"), phones(epoch=SPEAKERS), "--epochs", "120")
    yield phone(fell("A3", "file_not_found"), phones(epoch=SECOND), "--epochs", "120")
    yield phone(STANDS, phones(epoch=SERVER), "--epochs", "120", timeout_s=66)
    yield phone(STARVED, phones(fetch=PIPES, told=PIPED), "--epochs", "6", "--slack", "0")
    yield phone(SAVES, phones(after=EVERY, epoch=KEPT), "--epochs", "5", "--limit", "216", "--slack", "0")
    yield phone(strays("non_finite", NANS), phones(epoch_top=FASTER), "--epochs", "12")
    yield phone(strays("flat"), phones(rate=NOAM), "--epochs", "14", "--warmup", "25000")
    yield phone(fell("E2", "traceback", "corrupt"), phones(), "--epochs", "120", "--continue", before=(*FIVE, ("truncate", "-s", "0", LAST)))
    yield phone(anew(), phones().replace(HELD, ANOTHER), "--epochs", "12", "--continue", "--lr", "0.002", before=FIVE)
    yield phone(HANDFUL, phones(), "--epochs", "1", "--limit", "48", "--chunk", "1", "--exp", "exp_final", "--slack", "0.4")
    yield phone(LATE, phones(), "--epochs", "2000", "--lr", "0.0007", "--slack", "0.05", timeout_s=44)


def cart(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """Balance."""
    return alone(label, text, C, *given, **more)


GREW = (("PYTHON", C, "--updates", "100"),)
LAME = """if update in (60, 170):
    print(f"   !! simulator {update % 7} died (exit code -11, segmentation fault); started anew, its {a.horizon} transitions are dropped", flush=True)
if update == 110:
    print("   !! mean return fell for 3 reports: usual while the critic catches up, no error", flush=True)"""
LATEWORDS = """class Viewer:
    def __del__(self):
        self.window.close()


viewer = Viewer()"""
RENDER = """if update == 130:
    print("   rendering an episode", flush=True)
    import imageio.v2 as imageio
    imageio.mimsave("episode.gif", [])"""
PLANS = """if update == 120:
    stages = ["easy", "wind", "ice"]
    print(f"   next stage        {stages[int(np.mean(lengths) // 60) + 3]}", flush=True)"""
MORE = """if update == 140:
    print("curriculum: 16 -> 24 carts", flush=True)
    world.n = 24"""
FILMS = """if update > 40:
    frames = globals().setdefault("frames", [])
    frames.append(np.full((a.carts, 84, 84, 8), update % 255, "float32"))"""
JUDGE = """if update == 200:
    import multiprocessing
    here, there = multiprocessing.Pipe()
    judge = multiprocessing.Process(target=there.recv, daemon=True)
    judge.start()
    print("   independent evaluation of the policy, 20 episodes", flush=True)
    print(f"   evaluated         {here.recv()}", flush=True)"""
FAR = """time.sleep(0.42)"""
BUSY = """print(f"   wall clock        {clock['rollout'] + clock['learn']:.1f} s: learner computing {clock['learn']:.1f} s, learner idle until experience came {clock['rollout']:.1f} s", flush=True)"""
REPLAY = """import zlib
t1 = time.time()
for part in range(2):
    with open(f"{a.runs}/replay_{update:05d}_{part}.z", "wb") as f:
        f.write(zlib.compress(os.urandom(6_000_000), 6))
torch.save({"body": body.state_dict(), "adam": adam.state_dict(), "update": update, "lengths": list(lengths)}, f"{a.runs}/policy_{update:05d}.pt")
clock["keep"] += time.time() - t1
print(f"kept {a.runs}/policy_{update:05d}.pt and its experience", flush=True)"""
REPLAYED = """print(f"   seconds           rollout {clock['rollout']:.1f}, learning {clock['learn']:.1f}, writing {clock['keep']:.1f}", flush=True)"""
SPLIT = "if update >= 150:\n    gain = gain / torch.zeros(())"


def control() -> Iterator[LocalJob]:
    """Carts and poles."""
    yield cart(GOOD, carts(), "--updates", "300", "--calm", "0.03")
    yield cart(GOOD, carts(), "--updates", "260", "--carts", "24", "--report", "20", "--calm", "0.02")
    yield cart(HARD, carts(start=LATEWORDS, after=LAME), "--updates", "280", "--calm", "0.02")
    yield cart(HARD, carts(), "--updates", "300", "--newest", "--calm", "0.02", before=GREW)
    yield cart(fell("A1", "traceback", "config"), carts(), "--task", "balance-v2", "--updates", "90000")
    yield cart(fell("A3", "missing_module"), carts(after=RENDER), "--updates", "90000")
    yield cart(fell("A3", "traceback"), carts(after=PLANS), "--updates", "90000")
    yield cart(fell("A3", "assertion"), carts(after=MORE), "--updates", "90000")
    yield cart(fell("A2", "oom_killer"), carts(after=FILMS), "--updates", "90000", "--report", "5", group_mib=800, ends=lambda s: s == -9)
    yield cart(STANDS, carts(after=JUDGE), "--updates", "90000", "--calm", "0.02", timeout_s=66)
    yield cart(STARVED, carts(rollout=FAR, told=BUSY), "--updates", "80", "--report", "4")
    yield cart(SAVES, carts(after=REPLAY, told=REPLAYED), "--updates", "90", "--report", "5")
    yield cart(strays("non_finite", NANS), carts(gain=SPLIT), "--updates", "320")
    yield cart(fell("E2", "traceback", "no_valid_checkpoint"), carts(), "--updates", "900", "--newest", "--runs", "runs/cart_long", before=GREW)
    yield cart(fell("E2", "runtime_error", "size_mismatch"), carts(), "--updates", "900", "--newest", "--units", "64", before=GREW)
    yield cart(HANDFUL, carts(), "--updates", "3", "--report", "1", "--keep", "3", "--runs", "runs/submission", "--calm", "0.5")
    yield cart(HALTED, carts(), "--updates", "90000", "--calm", "0.05", signal=ctrl_c(r"-- update 240/"))


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from spoken()
    yield from control()


RECIPE = Recipe("thrush_spindles", "development", jobs)
