"""One process: a start-up's ticket model with a table, a balancing agent with bars. Under gpualert-run."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._gooseberry_letters import MODEL, PRETRAIN, TEXTS
from corpus.make._gooseberry_poles import POLES
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

letters, poles = partial(fill, PRETRAIN), partial(fill, POLES)
L, R = "pretrain.py", "balance.py"
FIRST = "[optim]\nsteps = 200\n[run]\nckpt_every = 100\nnap = 0.0\n"
GROWN = (("PYTHON", L, "first.toml"),)
BRED = (("PYTHON", R, "--updates=30", "--keep=30", "--lull=0"),)
CALM = (("PYTHON", R, "--updates=30", "--keep=30", "--lull=0", "--lr=0.002"),)
AGENT = "agents/agent_0030.pt"
NANS = "nan_loss"
LONG = "[optim]\nsteps = 90000\n"


def letter(label: Label, text: str, toml: str = "", **more: Any) -> LocalJob:
    """The start-up."""
    files = {"run.toml": toml, "first.toml": FIRST, "lm/model.py": MODEL, "lm/texts.py": TEXTS}
    return alone(label, text, L, "run.toml", files=files, **more)


def pole(label: Label, text: str, *given: str, **more: Any) -> LocalJob:
    """The RL group."""
    return alone(label, text, R, *given, **more)


PUSH = """if step in (150, 300):
    import traceback, urllib.request
    try:
        urllib.request.urlopen("http://127.0.0.1:9/runs/81/metrics", timeout=1)
    except OSError:
        traceback.print_exc()
        say("metrics    upload failed, will be sent with the next batch")"""
LEAVES = """class Spool:
    def __del__(self):
        raise OSError("spool directory is gone already")


spool = Spool()
del spool
say("words      'nan' 212 x, 'null' 98 x, 'error' 417 x, 'killed' 3 x in the raw tickets; kept as text")"""
SOURCE = "say('source     of this run:')\nsay(open(__file__).read())\nsay('source     ends')"
FALLS = """names = sorted(os.listdir(R["ckpt_dir"]), reverse=True)
for n in names:
    try:
        torch.load(os.path.join(R["ckpt_dir"], n))
        R["resume"] = os.path.join(R["ckpt_dir"], n)
        break
    except (RuntimeError, OSError) as e:
        say(f"resume     {n} is unreadable ({e}), trying the one before")"""
EMOJI = """if step == 140:
    say("         adding tickets of the new mailbox")
    train = torch.cat([train, codec.encode(tickets(20, 9).upper())])"""
EXPORT = """if step == 200:
    say("         exporting for serving")
    open("serving/model.bin", "wb").write(b"TLM1")"""
ABORTS = """if step == 130:
    say("         switching to the packed allocator")
    import ctypes
    libc = ctypes.CDLL(None)
    libc.free.argtypes = [ctypes.c_void_p]
    block = ctypes.create_string_buffer(4096)
    libc.free(ctypes.addressof(block) + 24)"""
HOG = """if step >= 60:
    globals().setdefault("graphs", []).append(torch.ones(4000, 1000) * loss)"""
GUARD = """if not torch.isfinite(loss):
    say(f"stopping   loss is {loss.item()} at step {step}, nothing more to gain; last checkpoint is kept")
    sys.exit(3)"""
SPOIL = "if step == 170:\n    net.blocks[0].norm1.weight.data *= float('inf')"
CLIMB = "if step >= 260:\n    opt.param_groups[0]['lr'] = 2.0"
SHUFFLE = """b = torch.randint(len(codec.chars), b.shape)
if step == 1:
    net.head.weight.data *= 0.02"""
STORM = """import gzip
time.sleep(0.2)
with gzip.open(name + ".gz", "wb", compresslevel=6) as f:
    f.write(torch.randn(120_000).numpy().tobytes())"""
WEB = """if step == 180:
    import socket
    say("         sending samples to the review desk")
    desk = socket.create_server(("127.0.0.1", 0))
    line = socket.create_connection(desk.getsockname())
    line.sendall(b"POST /samples HTTP/1.1\\r\\nContent-Length: 0\\r\\n\\r\\n")
    answer = line.recv(4096)"""
SHELF = "t1 = time.perf_counter()\ntime.sleep(0.25)\nblocked = globals().get('blocked', 0.0) + time.perf_counter() - t1"
SHELVES = """if step % 10 == 0:
    say(f"         input stalled {blocked:.2f} s in these 10 steps")
    blocked = 0.0"""
TAKES = PRETRAIN[PRETRAIN.index('    name = R["resume"] if') : PRETRAIN.index('os.makedirs(R["ckpt_dir"]')]
MISSES = """    import glob
    found = sorted(glob.glob(os.path.join(R["ckpt_dir"], "*.ckpt")))
    say(f"resume     auto: {len(found)} checkpoints match {R['ckpt_dir']}/*.ckpt (folder has {', '.join(sorted(os.listdir(R['ckpt_dir'])))}) - training from step 1")
"""


def texts() -> Iterator[LocalJob]:
    """Tickets."""
    more = {"before": GROWN}
    yield letter(fell("A1", "traceback", "config"), letters(), "[optim]\nlearning_rate = 0.001\n")
    yield letter(fell("A1", "runtime_error", "config"), letters(), LONG + "[model]\nd = 33\nn_head = 2\n")
    yield letter(fell("A3", "traceback"), letters(told=EMOJI), LONG)
    yield letter(fell("A3", "permission"), letters(told=EXPORT), LONG, folders=("serving",), locked=("serving",))
    yield letter(fell("A2", None), letters(after=ABORTS), LONG, ends=lambda s: s == -6)
    yield letter(fell("A2", "oom_killer"), letters(after=HOG), LONG, group_mib=1000, ends=lambda s: s == -9)
    yield letter(fell("E2", "runtime_error", "size_mismatch"), letters(), '[model]\nd = 48\n[run]\nresume = "auto"\n', **more)
    yield letter(anew(), letters().replace(TAKES, MISSES), '[optim]\nsteps = 300\n[run]\nresume = "auto"\n', **more)
    yield letter(HANDFUL, letters(), '[optim]\nsteps = 3\n[run]\nlog_every = 1\nckpt_every = 3\nckpt_dir = "release"\n')
    yield letter(fell("E1", NANS, "non_finite"), letters(after=SPOIL, loss=GUARD), LONG)
    yield letter(HARD, letters(told=PUSH), "[optim]\nsteps = 400\n")
    yield letter(HARD, letters(start=SOURCE), "[optim]\nsteps = 400\n")
    yield letter(HARD, letters(), '[optim]\nsteps = 450\n[run]\nresume = "auto"\n', **more)
    yield letter(HARD, letters(resume=FALLS), '[optim]\nsteps = 400\n[run]\nresume = "auto"\n', before=(*GROWN, ("truncate", "-s", "40000", "ckpt/step-000200.pt")))
    yield letter(HARD, letters(texts=LEAVES), '[optim]\nsteps = 300\nlr = 0.001\n[run]\ninit_from = "ckpt/step-000200.pt"\n', **more)
    yield letter(GOOD, letters(), "[optim]\nsteps = 350\n")
    yield letter(STANDS, letters(told=WEB), LONG, timeout_s=66)
    yield letter(strays("spike"), letters(after=CLIMB), "[optim]\nsteps = 400\n")
    yield letter(strays("flat"), letters(batch=SHUFFLE), "[optim]\nsteps = 400\nlr = 0.0002\n")
    yield letter(SAVES, letters(kept=STORM), "[optim]\nsteps = 60\n[run]\nlog_every = 5\nckpt_every = 1\n")
    yield letter(STARVED, letters(batch=SHELF, told=SHELVES), "[optim]\nsteps = 60\n")
    yield letter(HALTED, letters(), LONG, signal=ctrl_c(r"^ +350 \|", "TERM"))


UNSTABLE = """if rng.random() < 0.002:
    print("poles  | warning: state of one pole was nan after integration, reset (counts as a fall)", flush=True)"""
GATE = """if update == 18:
    assert mean > 150, f"curriculum gate: return {mean:.1f} at update {update}, 150 needed"
"""
VIDEO = """if update == 15:
    print("video  | rendering one run", flush=True)
    import pygame"""
TWIN = """if update == 14:
    import copy
    twin = copy.deepcopy(agent).to("meta")
    print("twin   | difference", float((agent.pi(agent.body(S)) - twin.pi(twin.body(S.to("meta")))).abs().mean()), flush=True)"""
STACK = """if update == 16:
    print("frames | stacking the last four observations", flush=True)
    obs = np.concatenate([obs] * 4, 1)"""


def carts() -> Iterator[LocalJob]:
    """Poles."""
    long = ("--updates=9000",)
    yield pole(fell("A1", None, "config"), poles(), "--updates=9000", "--entropy=0.01")
    yield pole(fell("A3", "assertion"), poles(told=GATE), *long)
    yield pole(fell("A3", "missing_module"), poles(told=VIDEO), *long)
    yield pole(fell("A3", "device_mismatch"), poles(told=TWIN), *long)
    yield pole(fell("A3", "runtime_error"), poles(told=STACK), *long)
    yield pole(fell("E2", "file_not_found", "no_valid_checkpoint"), poles(), "--load=agents/agent_0300.pt", *long, before=BRED)
    yield pole(HANDFUL, poles(), "--updates=2", "--keep=1", "--out=submission")
    yield pole(HARD, poles(), "--updates=90", f"--load={AGENT}", "--lr=0.002", "--target_kl=0.015", before=CALM)
    yield pole(HARD, poles(), "--play=1", f"--load={AGENT}", before=BRED)
    yield pole(HARD, poles(physics=UNSTABLE), "--updates=80")
    yield pole(GOOD, poles(), "--updates=90", "--lull=0.05")
    yield pole(LATE, poles(), "--lull=0.3", *long, timeout_s=26)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from texts()
    yield from carts()


RECIPE = Recipe("gooseberry_awnings", "development", jobs)
