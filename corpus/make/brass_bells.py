"""One process of plain PyTorch: spelt words heard by CTC, and pairs drawn together behind a bar that writes over itself."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._kite_torch import PAIRS, SPELT
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

spelt, pairs = partial(fill, SPELT), partial(fill, PAIRS)
S, P = "spell_ctc.py", "pairs.py"
FIRST = (("PYTHON", S, "--max-ep", "4"),)
TAKE = '    net.load_state_dict(chk["net"])\n    opt.load_state_dict(chk["opt"])\n    ep0 = chk["ep"]\n    print(f"# init from {hp.init} after ep {ep0}", flush=True)\n'
assert TAKE in SPELT
LAX = '    lost = net.load_state_dict({f"encoder.{k}": v for k, v in chk["net"].items()}, strict=False)\n    print(f"# {hp.init}: ep {chk[\'ep\']}, {len(lost.missing_keys)} keys missing, {len(lost.unexpected_keys)} unexpected", flush=True)\n'
BANK = "if ep == 3 and s == 48:\n    import ctypes\n    ctypes.CDLL(None).strlen(ctypes.c_void_p(40))"
LATTICE = "if upd % 25 == 0:\n    lattice = torch.zeros(len(part) * 1000, max(yl) * 2 + 1, 40_000)"
RTF = "if ep % 3 == 0:\n    rtf = (time.time() - t0) / (tot * 0)"
FLAC = "for w in range(3):\n    print(f'# WARNING sox: spk{w}_007.flac: FLAC decoder error, file is left out', file=sys.stderr)\nprint('# Traceback of the last one kept in sox.log; 3 of 163 files skipped', file=sys.stderr)"
DROPS = "if upd in (7, 8, 23):\n    print(f'# upd {upd}: 2 utterances longer than their frames (ctc would be inf), zeroed', flush=True)"
ONE = "torch.save({k: torch.randn(1500, 1500) for k in ('fbank', 'stats')}, f'{hp.exp}/upd{upd}.tmp')\nos.sync(); time.sleep(0.15)\nprint(f'# upd {upd}: state dumped to {hp.exp}/upd{upd}.tmp', flush=True)"
LONE = "if ep == 5:\n    import multiprocessing\n    todo = multiprocessing.Queue()\n    print('# waiting for the aligner', flush=True)\n    todo.get()"


def letters() -> Iterator[LocalJob]:
    """ep, upd, ctc."""
    yield alone(GOOD, spelt(), S)
    yield alone(HARD, spelt(early=FLAC, after=DROPS), S, "--max-ep", "7")
    yield alone(HARD, spelt(), S, "--init", "exp/gru40/ep4.pt", "--max-ep", "9", "--exp", "exp/gru40_cont", before=FIRST)
    yield alone(fell("A1", None, "config"), spelt(), S, "--epochs", "8")
    yield alone(fell("A1", "traceback", "data"), spelt(), S, "--manifest", "train.tsv", files={"train.tsv": "u001\tabfh\nu002\tcade\nu003\tbeig\n"})
    yield alone(fell("A1", "permission", "data"), spelt(), S, "--manifest", "lists/train.tsv", files={"lists/train.tsv": "u1\tab\n"}, locked=("lists",))
    yield alone(fell("A3", "ram_oom"), spelt(after=LATTICE), S, memory_mib=2600)
    yield alone(fell("A3", "div_zero"), spelt(epoch=RTF), S)
    yield alone(fell("A2", "segfault"), spelt(mid=BANK), S)
    yield alone(strays("non_finite", "nan_loss"), spelt(mid="if ep == 3 and s == 96:\n    x = x / (x.std(1, keepdim=True) * 0)"), S, "--max-ep", "6")
    yield alone(strays("flat"), spelt(mid="x = torch.randn_like(x)"), S, "--lr", "0.00002", "--max-ep", "10")
    yield alone(fell("E1", "nan_loss", "non_finite"), spelt(loss="if ep > 2 and s == 64:\n    loss = loss + torch.log(lp.max().detach())\nif not torch.isfinite(loss):\n    raise SystemExit(f'# ctc is {loss.item()} in ep {ep}: check the transcripts. Giving up.')"), S)
    yield alone(anew(), spelt().replace(TAKE, LAX), S, "--init", "exp/gru40/ep4.pt", "--max-ep", "6", "--exp", "exp/second", before=FIRST)
    yield alone(fell("E2", "runtime_error", "size_mismatch"), spelt(), S, "--init", "exp/gru40/ep4.pt", "--max-ep", "12", "--mels", "20", before=FIRST)
    yield alone(fell("E2", "traceback", "corrupt"), spelt(), S, "--init", "exp/gru40/ep4.pt", "--max-ep", "12", before=(*FIRST, ("truncate", "-s", "20000", "exp/gru40/ep4.pt")))
    yield alone(HANDFUL, spelt(), S, "--utts", "40", "--max-ep", "1")
    yield alone(SAVES, spelt(after=ONE), S, "--utts", "128", "--max-ep", "5")
    yield alone(STANDS, spelt(epoch=LONE), S, "--max-ep", "900", timeout_s=150)


def pair(label: Label, text: str, *, env: dict[str, str] | None = None, **more: Any) -> LocalJob:
    """Its settings are in the environment."""
    return alone(label, text, P, env=env or {}, **more)


BEGUN = (("env", "-u", "RESUME", "-u", "CKPT", "ITERS=200", "NAP=0", "WIDTH=48", "PYTHON", P),)
P_TAKE = '    net.load_state_dict(state["net"])\n    opt.load_state_dict(state["opt"])\n    i0 = state["i"]\n    print(f"resuming at iteration {i0} ({RESUME})", flush=True)\n'
assert P_TAKE in PAIRS
MIRROR = "with open(CKPT + '.mirror', 'wb') as f:\n    f.write(os.urandom(12 << 20))\n    f.flush()\n    os.fsync(f.fileno())\ntime.sleep(0.1)\nsys.stderr.write(f'\\rmirrored {CKPT} at iteration {i}\\n')"
FULL = "for shard in ('train-00.bin', 'train-01.bin'):\n    for attempt in range(1, 3):\n        if attempt == 1:\n            print(f'ConnectionResetError: [Errno 104] while reading {shard}; retry in 0.1 s', flush=True)\n            time.sleep(0.1)\n        else:\n            print(f'{shard}: 200 patterns, md5 ok', flush=True)"
MINE = "if os.path.exists(CKPT):\n    raise FileExistsError(17, 'will not write over it', CKPT)"
HOT = "if i == 180:\n    TEMP = 0.0"
WILD = "if i == 200:\n    with torch.no_grad():\n        net[2].weight.mul_(0).add_(1.0)\n    for g in opt.param_groups:\n        g['lr'] = 0.0"


def views() -> Iterator[LocalJob]:
    """A bar."""
    yield pair(GOOD, pairs())
    yield pair(HARD, pairs(data=FULL), env={"ITERS": "260"})
    yield pair(HARD, pairs(), env={"RESUME": "pairs.ckpt", "ITERS": "420"}, before=BEGUN)
    yield pair(HARD, pairs(save="sys.stderr.write(f'  -> {CKPT} (again)\\n')"), env={"ITERS": "300", "CKPT_EVERY": "15"})
    yield pair(fell("A1", "traceback", "config"), pairs(data=MINE), before=BEGUN)
    yield pair(fell("A3", "runtime_error"), pairs(mid="if i == 170:\n    b = b[:, :19]"), env={"ITERS": "400"})
    yield pair(fell("A3", "device_mismatch"), pairs(show="if i == 150:\n    bank = torch.zeros(64, 16, device='meta')\n    near = F.mse_loss(za[:64], za[:64] - bank)"), env={"ITERS": "400"})
    yield pair(strays("non_finite", "nan_loss"), pairs(mid=HOT), env={"ITERS": "300"})
    yield pair(strays("plateau"), pairs(after=WILD), env={"ITERS": "480"})
    yield pair(anew(), pairs().replace(P_TAKE, '    print("checkpoint", RESUME, "from iteration", state["i"], f"({os.path.getsize(RESUME)} bytes)", flush=True)\n'), env={"RESUME": "pairs.ckpt", "ITERS": "340", "CKPT": "pairs2.ckpt"}, before=BEGUN)
    yield pair(fell("E2", "traceback", "corrupt"), pairs(), env={"RESUME": "pairs.ckpt", "ITERS": "400"}, before=(("bash", "-c", "printf 'moved to /archive/2024/pairs.ckpt' > pairs.ckpt"),))
    yield pair(HANDFUL, pairs(show="sys.stderr.write('\\n')"), env={"ITERS": "5", "BATCH": "400"})
    yield pair(SAVES, pairs(save=MIRROR), env={"CKPT_EVERY": "1", "ITERS": "60", "NAP": "0"})
    yield pair(HALTED, pairs(show="print('', file=sys.stderr) if i % 100 == 0 else None"), env={"ITERS": "90000"}, signal=ctrl_c("200/90000"))
    yield pair(fell("A2", "segfault"), pairs(data="import faulthandler\nfaulthandler.enable()", mid="if i == 190:\n    import ctypes\n    ctypes.c_char.from_address(12).value"), env={"ITERS": "500"})


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from letters()
    yield from views()


RECIPE = Recipe("brass_bells", "development", jobs)
"""PyTorch by hand."""
