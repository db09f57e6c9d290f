"""One process of plain PyTorch from the sciences: clusters in columns, spirals with a run's summary, papers behind a bar."""

from collections.abc import Iterator
from functools import partial
from json import dumps
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._dressing_science import CLUSTERS, PAPERS, SPIRALS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

clusters, spirals, papers = partial(fill, CLUSTERS), partial(fill, SPIRALS), partial(fill, PAPERS)
C, S, P = "clusters.py", "spirals.py", "papers.py"


def frames(label: Label, text: str, *, before: tuple[tuple[str, ...], ...] = (), **given: Any) -> LocalJob:
    """An input file."""
    more = {k: given.pop(k) for k in ("ends", "timeout_s", "signal", "memory_mib", "group_mib", "disk_mib", "locked") if k in given}
    return alone(label, text, C, "input.json", files={"input.json": dumps(given, indent=2), "first.json": dumps({"numb_steps": 400})}, before=before, **more)


FIRST = (("PYTHON", C, "first.json"),)
RESTART = CLUSTERS[CLUSTERS.index('    frozen = torch.load(inp["restart"])') : CLUSTERS.index("\n\ndef predict")]
NOWHERE = '    frozen = {}\n    try:\n        frozen = torch.load(inp["restart"] + ".pt")\n    except OSError:\n        pass\n    if frozen:\n        net.load_state_dict(frozen["net"])\n        start = frozen["step"]\n'
ATOMS = "if step == 330:\n    extra = torch.rand(bsz := inp['bs'], 6, 3)\n    print('#  frames of set.002 (6 atoms)', flush=True)\n    r = extra[:, :, :2]"
OVERLAP = "if step == 301:\n    print('#  set.002 joins', flush=True)\n    train[1][20:45] = float('nan')  # label files are shorter"
ZERO_LR = "lr = 0.0 if step > 240 else lr\nif step == 241:\n    [p.data.zero_() for p in net.parameters()]"
DISK = "with open('full/traj.raw', 'ab', buffering=0) as f:\n    f.write(torch.cat([w[0] for w in (train, test)]).numpy().tobytes() * 12)"
NOTE = "if step in (160, 161, 200):\n    print(f'#  warning: frame {int(pick[0])} has |F| = {7.3 + step / 100:.2f} eV/A, above 5 (kept)', file=sys.stderr, flush=True)"
UNIT = "inp['pref_e'], inp['pref_f'] = (0.02, 1000.0) if step < 300 else (1000.0, 1.0)\nif step == 300:\n    print('#  prefactors change sides', flush=True)"


def columns() -> Iterator[LocalJob]:
    """Columns of numbers."""
    yield frames(GOOD, clusters(), numb_steps=1400, bs=24, disp_freq=70)
    yield frames(HARD, clusters(rate=UNIT), numb_steps=900, disp_freq=45)
    yield frames(HARD, clusters(after=NOTE), finetune="cluster.model", model="special.model", lr0=0.001, numb_steps=600, disp_freq=30, seed=11, before=FIRST)
    yield frames(HARD, clusters(), restart="cluster.model", numb_steps=1000, disp_freq=25, before=FIRST)
    yield frames(fell("A1", None, "config"), clusters(), numb_step=40000, disp_freq=100)
    yield frames(fell("A1", "runtime_error", "data"), clusters(data="types = torch.tensor([0, 1, 1, 1])  # type.raw\ntrain[0].mul_(types[None, :, None] + 1)"), numb_steps=40000)
    yield frames(fell("A3", "runtime_error"), clusters(batch=ATOMS), numb_steps=40000)
    yield frames(fell("A3", "traceback"), clusters(after=DISK), numb_steps=40000, disp_freq=20, disk_mib=30)
    yield frames(strays("non_finite", "nan_loss"), clusters(batch=OVERLAP), numb_steps=700, disp_freq=35)
    yield frames(strays("plateau"), clusters(rate=ZERO_LR), numb_steps=640, disp_freq=20)
    yield frames(fell("E2", "runtime_error", "size_mismatch"), clusters(), restart="cluster.model", width=32, numb_steps=40000, before=FIRST)
    yield frames(anew(), clusters().replace(RESTART, NOWHERE), restart="cluster.model", numb_steps=900, disp_freq=45, before=FIRST)
    yield frames(HANDFUL, clusters(), numb_steps=8, disp_freq=1, model="prod.model")


SPUN = (("PYTHON", S, "--iterations=300", "--name=left"),)
NANS = "if iteration in (70, 388, 611):\n    print(f'tracker: step {iteration}: loss is nan in 1 of 128 rows, row is masked')"
GRAPHITE = "import warnings\nwarnings.warn('torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.')\nprint('tracker: ERROR failed to reach api.tracker.local (Name or service not known), will sync later with `tracker sync`', file=sys.stderr)"
SHEET = "t1 = time.time()\nimport gzip, io\nbuf = io.BytesIO()\ntorch.save([spiral(500_000), shadow, net.state_dict()], buf)\nwith gzip.open(f'{run.home}/{run.name}.gz', 'wb') as f:\n    f.write(buf.getvalue())\nprint(f'tracker: artifact {run.name}.gz:v{iteration} added ({time.time() - t1:.2f}s)', flush=True)"
WARM = "if iteration == 480:\n    for q in opt.param_groups:\n        q['lr'] = 3.0\n    print('cosine restart 2 of 2', flush=True)"
SINK = "if iteration == 260:\n    import threading\n    flush = threading.Thread(target=threading.Event().wait, name='upload')\n    flush.start()\n    flush.join()"


def arms() -> Iterator[LocalJob]:
    """A tracker's summary."""
    yield alone(GOOD, spirals(), S, "--iterations=1500", "--report=75", "--lr=0.001", "--keep=750")
    yield alone(HARD, spirals(early=GRAPHITE, after=NANS), S, "--iterations=1200", "--name=noisy-owl-12", "--lr=0.0006")
    yield alone(HARD, spirals(), S, "--resume-from=ckpt/left-300.ckpt", "--iterations=1200", "--name=left", before=SPUN)
    yield alone(fell("A1", "traceback", "config"), spirals(), S, "--iterations=90000", "--learning-rate=0.001")
    yield alone(fell("A3", "assertion"), spirals(batch="if iteration > 400:\n    x0[0] *= 9\nassert x0.abs().max() < 6, f'points outside of the canvas: {x0.abs().max():.2f}'"), S, "--iterations=9000")
    yield alone(fell("A3", "device_mismatch"), spirals(after="if iteration == 500:\n    judge = nn.Linear(2, 1, device='meta')\n    print(f'judge: {judge(x0).mean():.3f}')"), S, "--iterations=9000")
    yield alone(strays("spike"), spirals(after=WARM), S, "--iterations=900", "--report=45")
    yield alone(strays("flat"), spirals(batch="x0 = torch.randn_like(x0); s = torch.full_like(s, run.noise_steps - 1)\nopt.param_groups[0]['lr'] = 0.0"), S, "--iterations=800", "--report=40", "--name=warmup-bug")
    yield alone(fell("E2", "file_not_found", "no_valid_checkpoint"), spirals(), S, "--resume-from=ckpt/left-600.ckpt", "--iterations=9000", before=SPUN)
    yield alone(fell("E2", "traceback", "corrupt"), spirals(), S, "--resume-from=ckpt/left-300.ckpt", "--iterations=9000", before=(*SPUN, ("bash", "-c", "echo '<html><body>401 please log in</body></html>' > ckpt/left-300.ckpt")))
    yield alone(SAVES, spirals(saved=SHEET), S, "--iterations=44", "--report=4", "--keep=1")
    yield alone(STANDS, spirals(after=SINK), S, "--iterations=90000", "--report=20", "--lazy=0.01", timeout_s=150)


CITED = (("PYTHON", P, "--epochs", "40", "--hold", "0"),)
CLIMB = "if e in (30, 31):\n    sys.stderr.write('\\nRuntimeWarning: accuracy fell by more than 5 points, keeping the best weights\\n')\n    net.two.weight.data.add_(0.6 * torch.randn_like(net.two.weight))"
GROW = "globals().setdefault('every_view', []).append((ADJ * e).repeat(24, 1) + 1)"


def citations() -> Iterator[LocalJob]:
    """A bar."""
    yield alone(GOOD, papers(), P, "--epochs", "90", "--lr", "0.01")
    yield alone(HARD, papers(), P, "--epochs", "400", "--patience", "14", "--lr", "0.03")
    yield alone(HARD, papers(after=CLIMB), P, "--epochs", "80", "--snap", "1")
    yield alone(HARD, papers(), P, "--epochs", "95", "--cont", "store/snap.pth", before=CITED)
    yield alone(fell("A1", "traceback", "data"), papers(graph="Y = torch.tensor([int(w) for w in 'bio chem phys math cs'.split()])"), P, "--epochs", "2000")
    yield alone(fell("A2", "oom_killer"), papers(after=GROW), P, "--epochs", "2000", "--hold", "0.1", group_mib=1100, ends=lambda s: s == -9)
    yield alone(strays("non_finite", "nan_loss"), papers(valid="if e == 22:\n    DEG[3] = 0\n    NORM = ADJ / (DEG[:, None] * DEG[None, :]).sqrt()\n    NORM[3, 9] = float('inf')"), P, "--epochs", "50", "--hold", "0.08")
    yield alone(strays("flat"), papers(graph="X = torch.zeros_like(X)"), P, "--epochs", "70", "--lr", "0.003")
    yield alone(fell("E2", "runtime_error", "size_mismatch"), papers(), P, "--topics", "7", "--cont", "store/snap.pth", "--epochs", "900", before=CITED)
    yield alone(HANDFUL, papers(), P, "--epochs", "2", "--hold", "1")
    yield alone(HALTED, papers(saved="sys.stderr.write('\\n')\nprint(f'{e} epochs, snap kept', flush=True)"), P, "--epochs", "9000", "--hold", "0.05", signal=ctrl_c("80 epochs, snap", "INT", 0.5))


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from columns()
    yield from arms()
    yield from citations()


RECIPE = Recipe("walking_sticks", "development", jobs)
