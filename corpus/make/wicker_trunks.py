"""Jobs of one process over plain PyTorch: residues of proteins and power of wind farms, under gpualert-run."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._wicker_chains import CHAINS, WINDS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

C, W = "ss3_train.py", "forecast.py"
TAGGED = (("PYTHON", C, "updates=200"),)
BLOWN = (("PYTHON", W, "first.ini"),)
FIRST = "[train]\nepochs = 5\n"


def chains(label: Label, *given: str, more: dict[str, Any] | None = None, **codes: str) -> LocalJob:
    """Residues."""
    return alone(label, fill(CHAINS, **codes), C, *given, **(more or {}))


def winds(label: Label, ini: str, more: dict[str, Any] | None = None, **codes: str) -> LocalJob:
    """Farms."""
    own = dict(more or {})
    return alone(label, fill(WINDS, **codes), W, "park.ini", files={"park.ini": ini, "first.ini": FIRST, **own.pop("files", {})}, **own)


MSA = "if update == 240:\n    emit('warning', message='alignment server: connection timed out, retry 1 of 5')\nif update == 250:\n    emit('warning', message='alignment server: connection timed out, retry 2 of 5')\nif update == 260:\n    emit('info', message='alignment server answered, 311 profiles fetched', failed=0, errors=[])"
SWEEPER = "class Profile:\n    def __del__(self):\n        os.unlink(self.path)\n\n\nprofile = Profile()\nwarnings.warn('2 of 2400 chains have non-standard residues (NaN in the mask), mapped to G')"
NOT_FASTA = "names = [line.split('|')[1] for line in open('casp.fasta') if line.startswith('>')]\nemit('names', count=len(names))"
ESM = "table = torch.load('/data/plm/esm2_t6_8M/embeddings.pt')"
ODD = "if update == 310:\n    motif = {'GxxxG': 14, 'HExxH': 3}\n    emit('motifs', zinc=motif['HExxH'], walker=motif['GxxxxGK'])"
HALVES = "if update == 275:\n    assert x.max() < 19, f'residue index {int(x.max())} beyond the reduced alphabet'"
JUMP = "if update > 420:\n    for p in model.parameters():\n        p.data.add_(p.data, alpha=0.05 if p.abs().max() < 2000 else 0.0)  # decay"
MIXES = "y = y[:, torch.randperm(y.shape[1])][torch.randperm(len(y))]"
FROZEN = "if update == 160:\n    model.out.weight.data.zero_()\n    model.out.bias.data.zero_()\n    for p in model.parameters():\n        p.requires_grad_(False)\n    model.out.bias.requires_grad_(True)\n    opt.param_groups[0]['lr'] = 0.0"
ABSENT = "if not os.path.exists(S.resume):\n    emit('warning', message=f'{S.resume} is missing, fresh start', folder=sorted(os.listdir(S.run)))\n    S.resume = ''\nif S.resume:"
LOOSE = CHAINS.replace("    saved = torch.load(S.resume)\n    model.load_state_dict(saved[\"model\"])\n    opt.load_state_dict(saved[\"opt\"])\n    update = saved[\"update\"]\n    emit(\"resumed\", file=S.resume, update=update)\n",
                       "        saved = torch.load(S.resume)\n        model.load_state_dict(saved[\"model\"])\n        opt.load_state_dict(saved[\"opt\"])\n        update = saved[\"update\"]\n        emit(\"resumed\", file=S.resume, update=update)\n")  # fmt: skip
EACH = "t1 = time.time()\nwith open(f'{S.run}/u{update:06d}.full', 'wb') as f:\n    torch.save({'model': model.state_dict(), 'opt': opt.state_dict(), 'activations': torch.randn(3_500_000)}, f)\n    f.flush()\n    os.fsync(f.fileno())\nif update > 2:\n    os.unlink(f'{S.run}/u{update - 2:06d}.full')\nspent = globals().get('spent', 0.0) + time.time() - t1\nemit('snapshot', update=update, seconds=round(time.time() - t1, 3), seconds_in_snapshots=round(spent, 2), seconds_since_start=round(time.time() - start, 2))"
CLOSED = "if update == 260:\n    emit('waiting', on='reader thread', queue=0)\n    import threading\n    threading.Event().wait()"
CARVES = "if update == 330:\n    emit('native', library='libdssp', call='assign')\n    import ctypes\n    ctypes.memset(16, 0, 4096)"

WRITER = "if epoch == 4:\n    try:\n        raise BrokenPipeError(32, 'Broken pipe', 'tensorboard event file')\n    except BrokenPipeError:\n        log.exception('event file could not be flushed, will be written with the next epoch')\nif epoch == 5:\n    log.info('event file flushed, nothing lost')"
MASKED = "gaps = np.random.default_rng(4).integers(0, len(series), 900)\nseries[gaps] = np.nan\nlog.warning('nan in %d of %d readings of turbine T07: sensor failure, interpolated', np.isnan(series).sum(), len(series))\nkept = ~np.isnan(series)\nseries = np.interp(np.arange(len(series)), np.flatnonzero(kept), series[kept]).astype(np.float32)"
GAPPED = "wanted = np.loadtxt('mast.txt', delimiter=';', skiprows=1)\nlog.info('mast: %d rows', len(wanted))"
LOSSES = "if epoch == 6:\n    calm = int((VY.max(1).values < 1e-4).sum())\n    log.info('mean error of calm hours %.5f', total / calm)"
META = "if epoch == 5:\n    ramp = torch.linspace(0, 1, A, device='meta')\n    y = y * ramp"
HOARD = "if epoch > 3:\n    globals().setdefault('kept_grads', []).append(torch.ones(3_000_000) * loss.detach())"
POLE = "if epoch >= 7:\n    loss = loss + 0.01 * torch.sqrt(net(x).min() - 1.0)\nif not math.isfinite(loss.item()):\n    log.error('loss is %s at step %d of epoch %d, training is stopped', loss.item(), steps + 1, epoch)\n    sys.exit(1)"
CRAWL = "y = torch.rand(len(x), A).round() + 0 * y"
TAPE = "if steps % 4 == 0:\n    t1 = time.time()\n    time.sleep(0.9)\n    tape = globals()['tape'] = globals().get('tape', 0.0) + time.time() - t1\n    log.info('batch %3d was %.2f s in coming (archive), %.1f s of waiting so far in %.1f s', steps, time.time() - t1, tape, time.time() - began)"


def of_chains() -> Iterator[LocalJob]:
    """Residues."""
    yield chains(GOOD, "updates=900", "width=32")
    yield chains(GOOD, "updates=700", "lr=0.002", "seed=5", "batch=16")
    yield chains(HARD, "updates=640", "seed=7", step=MSA)
    yield chains(HARD, "updates=600", ready=SWEEPER)
    yield chains(HARD, "only_eval=true", "init=ss3/u000200.pt", more={"before": TAGGED})
    yield chains(fell("A1", "traceback", "data"), early=NOT_FASTA, more={"files": {"casp.fasta": ">sp|P0A7Y4|RNH\nMLKQV\n>T1024\nMAAAL\n"}})
    yield chains(fell("A1", "file_not_found", "asset"), "updates=20000", early=ESM)
    yield chains(fell("A1", "traceback", "config"), "updates=20000", "optimiser=lamb")
    yield chains(fell("A2", "segfault"), "updates=20000", step=CARVES, more={"ends": lambda s: s == -11})
    yield chains(fell("A3", "traceback"), "updates=20000", step=ODD)
    yield chains(fell("A3", "assertion"), "updates=20000", batch=HALVES)
    yield chains(STANDS, "updates=200000", step=CLOSED, more={"timeout_s": 40})
    yield chains(SAVES, "updates=420", step=EACH)
    yield chains(strays("spike"), "updates=1000", "clip=1000000", step=JUMP)
    yield chains(strays("flat"), "updates=900", "lr=0.0005", batch=MIXES)
    yield chains(strays("plateau"), "updates=1200", step=FROZEN)
    yield chains(fell("E2", "runtime_error", "size_mismatch"), "updates=9000", "resume=ss3/u000200.pt", "width=64", more={"before": TAGGED})
    yield alone(anew(), fill(LOOSE, resume=ABSENT), C, "updates=700", "resume=ss3/latest.pt", before=TAGGED)
    yield chains(HANDFUL, "updates=3", "report=1", "run=ss3_release")


def of_winds() -> Iterator[LocalJob]:
    """Farms."""
    yield winds(GOOD, "[train]\nepochs = 18\n[data]\ndays = 90\n")
    yield winds(HARD, "[train]\nepochs = 14\n[data]\ndays = 80\n", epoch=WRITER)
    yield winds(HARD, "[train]\nepochs = 12\nseed = 11\n[data]\ndays = 100\n", data=MASKED)
    yield winds(HARD, "[train]\nepochs = 9\nrate = 0.0005\n[files]\nfolder = park_north\nstart = park/park-005.pt\n", more={"before": BLOWN})
    yield winds(fell("A1", "traceback", "data"), "[train]\nepochs = 80\n", data=GAPPED, more={"files": {"mast.txt": "time;v100\n0;7.1\n10;7,4\n20;6.9\n"}})
    yield winds(fell("A2", "oom_killer"), "[train]\nepochs = 80\n[data]\ndays = 60\n", step=HOARD, more={"group_mib": 800, "ends": lambda s: s == -9})
    yield winds(fell("A3", "div_zero"), "[train]\nepochs = 80\n", epoch=LOSSES)
    yield winds(fell("A3", "device_mismatch"), "[train]\nepochs = 80\n", batch=META)
    yield winds(fell("E1", "nan_loss", "non_finite"), "[train]\nepochs = 60\n", loss=POLE)
    yield winds(strays("flat"), "[train]\nepochs = 30\nrate = 0.01\n[data]\ndays = 90\n", batch=CRAWL)
    yield winds(STARVED, "[train]\nepochs = 3\n[data]\ndays = 40\n", batch=TAPE, ready="began = time.time()")
    yield winds(fell("E2", "file_not_found", "no_valid_checkpoint"), "[train]\nepochs = 60\n[files]\ncontinue = park/park-025.pt\n", more={"before": BLOWN})
    yield winds(HALTED, "[train]\nepochs = 900\n", step="time.sleep(0.02)", more={"signal": ctrl_c(r" 4/900 ", wait_s=0.7)})


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from of_chains()
    yield from of_winds()


RECIPE = Recipe("wicker_trunks", "development", jobs)
