"""Jobs of one process over plain PyTorch: a clinic's rhythm classifier and a speller of village names, under gpualert-run."""

from collections.abc import Iterator
from functools import partial
from json import dumps
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._thimble_beats import ECG, NAMES
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

ecg, names = partial(fill, ECG), partial(fill, NAMES)
T, N = "train_ecg.py", "names.py"
NANS = "nan_loss"

HAD = (("PYTHON", T, "--max-epochs", "5"),)
NOISY = "if epoch == 4:\n    log.warning('lead II: 3 windows with amplitude nan were dropped by the loader')\nif epoch == 9:\n    log.error('mlflow: HTTPConnectionPool(host=\\'mlflow.clinic.lan\\', port=5000): Max retries exceeded; metrics kept in exp/ecg/metrics.csv')"
STRIPS = "if epoch == 6:\n    strip = json.loads((args.workdir / 'montage.json').read_text())"
CONFUSION = "if epoch == 8:\n    table = torch.zeros(4, 4)\n    for a, b in zip(yva, out.argmax(-1)):\n        table[a, b] += 1\n    precision = {r: int(table[i, i]) / int(table[:, 4 if r == 'PVC' else i].sum()) for i, r in enumerate(RHYTHMS)}"
LEADS = "if epoch == 5 and it == 7:\n    x = x.repeat(1, 2, 1)  # both leads"
STFT = "if epoch == 7:\n    import ctypes\n    log.info('computing HRV features with libhrv')\n    ctypes.string_at(16)"
CACHE = "hold = [] if epoch == start and it == 0 else hold\nhold.append(torch.ones(24, 1 << 18))  # augmented copies"
BADLOG = "if epoch > 3:\n    loss = loss + 0.01 * (logits.softmax(-1)[:, 0] - 1.0).sqrt().mean()"
CALIB = "if epoch == 6:\n    from clinic_tools.calibration import TemperatureScaler"
FROZEN = "for p in model.parameters():\n    p.grad = None"
PIPE = "if epoch == 5 and it == 3:\n    import socket\n    log.info('asking annotation server for relabelled windows')\n    ours, theirs = socket.socketpair()\n    ours.recv(4096)"
FULL = "if it % 2 == 0:\n    t1 = time.time()\n    for k in range(4):\n        with open(args.workdir / f'last_{k}.pt', 'wb') as f:\n            torch.save({'model': model.state_dict(), 'opt': opt.state_dict(), 'epoch': epoch, 'best': best, 'windows': xtr, 'pad': torch.zeros(500000)}, f)\n            f.flush()\n            os.fsync(f.fileno())\n    log.info('saved last_0..3.pt at epoch %d it %d in %.3f s (train time since epoch start %.3f s)', epoch, it, time.time() - t1, time.time() - t0)"


def hearts() -> Iterator[LocalJob]:
    """Logging."""
    yield alone(GOOD, ecg(), T, "--max-epochs", "18", "--filters", "16")
    yield alone(HARD, ecg(epoch=NOISY), T, "--max-epochs", "16", "--seed", "5")
    yield alone(HARD, ecg(), T, "--init-weights", "exp/ecg/ckpt_005.pt", "--max-epochs", "12", "--workdir", "exp/ecg_bern", before=HAD)
    yield alone(HARD, ecg(), T, "--patience", "3", "--max-epochs", "200", "--lr", "4e-3")
    yield alone(fell("A1", "traceback", "data"), ecg(data='meta = json.loads(Path("holter.json").read_text())\nlog.info("cohort %s", meta["cohort"])'), T, files={"holter.json": '{"cohort": "bern-2024", "records": 4181,}\n'})
    yield alone(fell("A1", None, "config"), ecg(), T, "--epochs", "60", "--lr", "1e-3")
    yield alone(fell("A3", "file_not_found"), ecg(epoch=STRIPS), T, "--max-epochs", "80")
    yield alone(fell("A3", "traceback"), ecg(epoch=CONFUSION), T, "--max-epochs", "80")
    yield alone(fell("A3", "runtime_error"), ecg(batch=LEADS), T, "--max-epochs", "80", "--filters", "20")
    yield alone(fell("A3", "missing_module"), ecg(epoch=CALIB), T, "--max-epochs", "60")
    yield alone(fell("A2", "segfault"), ecg(epoch=STFT), T, "--max-epochs", "60", ends=lambda s: s == -11)
    yield alone(fell("A2", "oom_killer"), ecg(batch=CACHE), T, "--max-epochs", "60", "--bs", "80", group_mib=900, ends=lambda s: s == -9)
    yield alone(strays("non_finite", NANS), ecg(loss=BADLOG), T, "--max-epochs", "15")
    yield alone(strays("flat"), ecg(grad=FROZEN), T, "--max-epochs", "32", "--windows", "400", "--bs", "50")
    yield alone(fell("E2", "runtime_error", "size_mismatch"), ecg(), T, "--resume", "exp/ecg/ckpt_005.pt", "--filters", "24", "--max-epochs", "60", before=HAD)
    yield alone(fell("E2", "file_not_found", "no_valid_checkpoint"), ecg(), T, "--resume", "exp/ecg/ckpt_050.pt", "--max-epochs", "90", before=HAD)
    yield alone(STANDS, ecg(batch=PIPE), T, "--max-epochs", "300", timeout_s=45)
    yield alone(SAVES, ecg(step=FULL), T, "--max-epochs", "3", "--windows", "600")
    yield alone(HANDFUL, ecg(data="keep = xtr[:, 0].std(-1) > 0.7\nlog.info('signal quality: %d of %d windows kept', min(64, int(keep.sum())), len(keep))\nxtr, ytr = xtr[keep][:64], ytr[keep][:64]"), T, "--max-epochs", "1", "--bs", "32", "--workdir", "exp/ecg_final")
    yield alone(HALTED, ecg(step="time.sleep(0.02)"), T, "--max-epochs", "400", "--lr", "5e-4", signal=ctrl_c(r"epoch 014/400"))


def spelt(label: Label, text: str, *, more: dict[str, Any] | None = None, **said: Any) -> LocalJob:
    """A config beside it."""
    return alone(label, text, N, "villages.json", files={"villages.json": dumps(said, indent=2), "base.json": dumps({"steps": 150, "save": 50})}, **(more or {}))


BASE = {"before": (("PYTHON", N, "base.json"),)}
WORSE = "if step > 420:\n    for g in opt.param_groups: g['lr'] = 0.9\n    for p in net.parameters(): p.grad.mul_(40)"
TRY = "if step == 200:\n    import traceback\n    try:\n        open('/mnt/nas/probe/names.sample', 'a')\n    except OSError:\n        print('could not copy the samples to the NAS, will do it at the end:')\n        traceback.print_exc(file=sys.stdout)"
PARTIAL = "try:\n    snap = torch.load(f\"{C['out']}/last.pt\")\nexcept FileNotFoundError:\n    print(f\"resume: true, but no {C['out']}/last.pt (have {sorted(os.listdir(C['out']))}); starting from step 0\")\n    snap = {'net': net.state_dict(), 'opt': opt.state_dict(), 'step': 0}"
HALVES = "if step % 3 == 1 and step < 90:\n    x, y = x[:12], y[:12]\n    print(f'step {step}: RuntimeError: out of memory in attention (asked 2.1 GiB); halving to {len(x)} for this step', flush=True)"
DATA = "data = data[torch.randperm(len(data))]\ndata = torch.randint(0, len(chars), (len(data),))"


def villages() -> Iterator[LocalJob]:
    """Steps."""
    yield spelt(GOOD, names(), steps=700, width=64)
    yield spelt(HARD, names(step=TRY), steps=600, log=20)
    yield spelt(HARD, names(), steps=500, resume=True, log=10, more=BASE)
    yield spelt(HARD, names(batch=HALVES), steps=450, width=32, log=15)
    yield spelt(fell("A1", "assertion", "config"), names(), steps=40000, width=50, heads=4)
    yield spelt(fell("A1", "file_not_found", "asset"), names(ready="net.tok.weight.data.copy_(torch.load('/data/shared/embeddings/letters_de.pt'))"), steps=40000)
    yield spelt(fell("A3", "div_zero"), names(step="if step == 310:\n    good = sum(c == '§' for c in text)\n    print('yield', step / good)"), steps=40000, log=10)
    yield spelt(fell("A3", "device_mismatch"), names(step="if step == 260:\n    twin = Speller(len(chars), C['width'], C['heads'], C['layers'], C['ctx']).to('meta')\n    drift = (twin.out.weight - net.out.weight).abs().max()"), steps=40000)
    yield spelt(strays("spike"), names(grad=WORSE), steps=900, log=15, save=900)
    yield spelt(strays("flat"), names(data=DATA), steps=700, log=20)
    yield spelt(anew(), names(resume=PARTIAL), steps=300, log=20, resume=True, more={"command": ("bash", "-c", f"PYTHON {N} base.json && PYTHON {N} villages.json")})
    yield spelt(fell("E2", "traceback", "corrupt"), names(), steps=9000, resume=True, more={"before": (("PYTHON", N, "base.json"), ("truncate", "-s", "60000", "out-names/latest.pt"))})
    yield spelt(LATE, names(step="time.sleep(0.02)"), steps=60000, log=20, more={"timeout_s": 30})
    yield spelt(HANDFUL, names(), steps=3, log=1, save=3, out="release-v1")
    yield spelt(fell("A2", None, fault="unknown"), names(step="time.sleep(0.01)"), steps=60000, more={"signal": ctrl_c(r"\[   200/", "KILL", 0.3, N), "ends": lambda s: s == -9})


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from hearts()
    yield from villages()


RECIPE = Recipe("thimble_trays", "development", jobs)
