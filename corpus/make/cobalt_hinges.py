"""Jobs of one process over Lightning, scikit-learn and boosters: grain, glyphs, claims and the grid's load, under gpualert-run."""

import json
from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._cobalt_lit import GLYPHS, GLYPHS_YAML, GRAIN
from corpus.make._cobalt_trees import CLAIMS, GRID
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

N, Y, C, W = "moisture.py", "glyphs.py", "claims.py", "load.py"


def grain(label: Label, *given: str, more: dict[str, Any] | None = None, **codes: str) -> LocalJob:
    """Spectra of grain."""
    return alone(label, fill(GRAIN, **codes), N, *given, python="hub-21", **(more or {}))


def glyphs(label: Label, *given: str, more: dict[str, Any] | None = None, **codes: str) -> LocalJob:
    """Letters of a manuscript."""
    own = dict(more or {})
    return alone(label, fill(GLYPHS, **codes), Y, *given, python="hub-21", files={"glyphs.yaml": GLYPHS_YAML, **own.pop("files", {})}, **own)


def claims(label: Label, *given: str, more: dict[str, Any] | None = None, **codes: str) -> LocalJob:
    """Insurers' claims."""
    return alone(label, fill(CLAIMS, **codes), C, *given, python="hub-21", **(more or {}))


def grid(label: Label, more: dict[str, Any] | None = None, codes: dict[str, str] | None = None, **settings: Any) -> LocalJob:
    """The grid's load."""
    own = dict(more or {})
    env = {**own.pop("env", {}), **({"GRID": json.dumps(settings)} if settings else {})}
    return alone(label, fill(GRID, **(codes or {})), W, python="hub-21", env=env, **own)


DRIED = (("PYTHON", N, "--epochs=6"),)
HALF = (*DRIED, ("truncate", "-s", "80000", "nir/models/epoch=004.ckpt"))
BLIND = "mean[40:44] = np.nan\nlogger.warning('detector elements 40 to 43: nan in the dark reference, replaced by their neighbours')\nmean[40:44] = mean[[39, 39, 44, 44]]\nlogger.info('nan left in reference: {}', int(np.isnan(mean).sum()))"
HELD_OUT = "if epoch == 4:\n    try:\n        os.replace('nir/best.link.tmp', 'nir/best.link')\n    except FileNotFoundError as error:\n        logger.opt(exception=True).warning('link to the best model not renewed ({}), tried again next epoch', error.strerror)\nif epoch == 5:\n    logger.info('link to the best model renewed')"
SERVER = "reference = np.load('reference/dark.npy')"
STRATEGY = "L.Trainer(accelerator='cpu', gradient_clip_val=0.5, gradient_clip_algorithm='l2')"
DRIFT = "if epoch == 7:\n    logger.info('drift against {:.3f}', m['val_rmse_last_year'])"
UNPACK = "for row in rows:\n    time.sleep(0.016)"
TIMER = "class Full(Callback):\n    def on_train_batch_end(self, trainer, module, outputs, batch, number):\n        t1 = time.time()\n        full = f\"{OPT['root']}/full.pt\"\n        with open(full, 'wb') as f:\n            torch.save({'net': module.state_dict(), 'history': torch.randn(12_000_000)}, f)\n            os.fsync(f.fileno())\n        logger.info('{} written at step {} ({:.0f} MB, {:.2f} s)', full, trainer.global_step, os.path.getsize(full) / 1e6, time.time() - t1)\n\n\ncallbacks.append(Full())"
DRY = "if self.current_epoch >= 5:\n    loss = loss * torch.log(spectrum.std(1).min() - spectrum.std(1).min()).neg()"
UNTIED = "for p in self.net.parameters():\n    p.requires_grad_(False)\nself.gain = nn.Parameter(torch.zeros(1))\noptimizer = torch.optim.Adam([self.gain], lr=self.hparams.lr)"
GAIN = "loss = loss + 0.0 * self.gain.sum()"

READ = (("PYTHON", Y, "trainer.epochs=3"),)
KORNIA = "from kornia.augmentation import RandomElasticTransform"
CACHE = "if epoch == 3:\n    distances = torch.cdist(self.trainer.train_dataloader.dataset.ink.flatten(1).repeat(900, 1), torch.zeros(900_000, 196))\n    print(distances.mean())"
FIFO = "if int(self.letter[i]) == 3 and os.path.exists('cache.fifo'):\n    with open('cache.fifo') as f:\n        f.read()"
MAKE_FIFO = "if self.current_epoch == 6 and n == 10:\n    print('building the glyph cache', flush=True)\n    os.mkfifo('cache.fifo')"
RISE = "return torch.optim.lr_scheduler.LambdaLR(sgd, lambda epoch: 1.0 if epoch < 5 else 90.0)"
LAST = "if ckpt == 'last':\n    if os.path.exists('glyphs/latest.ckpt'):\n        ckpt = 'glyphs/latest.ckpt'\n    else:\n        print(f\"resume=last: glyphs/latest.ckpt does not exist (have: {sorted(os.listdir('glyphs'))}); fresh weights\")\n        ckpt = None"
PACE = "time.sleep(0.06)"

EMPTY_CELLS = "frame.loc[frame.index % 97 == 0, 'speed'] = np.nan"
PART = "if number > 13:\n    frame = pd.read_csv(f'parts/{number:04d}.csv')"
NOTHING = "if number == 22:\n    night = frame[(frame['night'] > 3.9) & (frame['witnesses'] > 3.9)]\n    log.info('fraud among night claims with witnesses: %.3f', int(night['fraud'].sum()) / len(night))"
WAITING = "t1 = time.time()\ntime.sleep(0.9 + 0.02 * (number % 7))\nwaited += time.time() - t1\nif number % 4 == 0:\n    log.info('chunk %d came after %.2f s; the fit has waited for the database %.1f s of %.1f s so far', number, time.time() - t1, waited, time.time() - began)"
MIXED = "frame['fraud'] = rng.permutation(frame['fraud'])"

TEXTS = "meter = pd.read_csv('meter_2026.csv', sep=';')\ntable['meter'] = np.resize(meter['kw'].to_numpy(), len(table))"
METER = "quarter;kw\n0;41,3\n1;41,9\n2;42,2\n3;42,0\n"
HOARD = "KEPT.append(np.ones((900, 9000)) * epoch)"
DUMP = "t1 = time.time()\nmodel.save_model(f\"{OPT['dir']}/iter_{epoch:05d}.ubj\")\nwith open(f\"{OPT['dir']}/margins.npy\", 'wb') as f:\n    np.save(f, np.random.default_rng(epoch).normal(size=3_500_000))\n    os.fsync(f.fileno())\nSPENT[0] += time.time() - t1\nprint(f\"[{epoch}]\\tstored {OPT['dir']}/iter_{epoch:05d}.ubj and margins.npy in {time.time() - t1:.2f} s, {SPENT[0]:.1f} s for storing since start {time.time() - start:.1f} s ago\")"


def of_grain() -> Iterator[LocalJob]:
    """Spectra."""
    yield grain(GOOD, "--epochs=14")
    yield grain(HARD, "--epochs=60", "--patience=4", "--lr=0.004")
    yield grain(HARD, "--epochs=9", "--seed=14", epoch=HELD_OUT)
    yield grain(HARD, "--epochs=10", "--seed=3", "--hidden=32", scale=BLIND)
    yield grain(fell("A1", "permission", "data"), "--epochs=90", early=SERVER, more={"files": {"reference/dark.npy": "0"}, "locked": ("reference/dark.npy",)})
    yield grain(fell("A1", "traceback", "config"), "--epochs=90", early=STRATEGY)
    yield grain(fell("A3", "traceback"), "--epochs=90", epoch=DRIFT)
    yield grain(STARVED, "--epochs=3", "--profiler=simple", "--samples=780", collate=UNPACK)
    yield grain(SAVES, "--epochs=2", "--samples=900", "--save_steps=1", "--profiler=simple", callbacks=TIMER)
    yield grain(strays("non_finite", "nan_loss"), "--epochs=90", "--patience=8", loss=DRY)
    yield grain(strays("flat"), "--epochs=14", "--lr=0.003", optimizer=UNTIED, loss=GAIN)
    yield grain(fell("E2", "runtime_error", "size_mismatch"), "--epochs=90", "--hidden=64", "--resume=nir/models/epoch=004.ckpt", more={"before": DRIED})
    yield grain(fell("E2", "runtime_error", "corrupt"), "--epochs=90", "--resume=nir/models/epoch=004.ckpt", more={"before": HALF})
    yield grain(HANDFUL, "--fast=3", "--root=nir_release")


def of_glyphs() -> Iterator[LocalJob]:
    """Letters."""
    yield glyphs(GOOD, "trainer.epochs=9")
    yield glyphs(HARD, "eval_only=true", "resume=glyphs/last.ckpt", more={"before": READ})
    yield glyphs(fell("A1", "missing_module", "env"), "trainer.epochs=90", early=KORNIA)
    yield glyphs(fell("A3", "ram_oom"), "trainer.epochs=90", epoch=CACHE)
    yield glyphs(STANDS, "trainer.epochs=900", "data.train=480", "trainer.refresh=5", item=FIFO, step=MAKE_FIFO + "\ntime.sleep(0.04)", more={"timeout_s": 105})
    yield glyphs(Label(mode="E1", fault="user"), "trainer.epochs=12", plan=RISE)
    yield glyphs(anew(), "trainer.epochs=7", "resume=last", ready=LAST, more={"before": READ})
    yield glyphs(HANDFUL, "trainer.epochs=1", "trainer.batches=2", "trainer.refresh=1")
    yield glyphs(HALTED, "trainer.epochs=900", step=PACE, more={"signal": ctrl_c(r"epoch 3: ", "INT", 1.5)})


def of_claims() -> Iterator[LocalJob]:
    """Claims."""
    yield claims(GOOD, "--chunks", "80")
    yield claims(fell("A1", "traceback", "data"), "--chunks", "900", frame=EMPTY_CELLS)
    yield claims(fell("A3", "file_not_found"), "--chunks", "900", frame=PART)
    yield claims(fell("A3", "div_zero"), "--chunks", "900", step=NOTHING)
    yield claims(STARVED, "--chunks", "26", ready="waited = 0.0", frame=WAITING)
    yield claims(strays("flat"), "--chunks", "90", chunk=MIXED)


def of_grid() -> Iterator[LocalJob]:
    """Load."""
    yield grid(GOOD, rounds=150)
    yield grid(HARD, rounds=4000, stop=15, eta=0.3, kind="lgb", days=90)
    yield grid(fell("A1", "traceback", "data"), rounds=4000, more={"files": {"meter_2026.csv": METER}}, codes={"table": TEXTS})
    yield grid(fell("A2", "oom_killer"), rounds=4000, show=2, codes={"step": HOARD, "ready": "KEPT = []"}, more={"group_mib": 900, "ends": lambda s: s == -9})
    yield grid(SAVES, rounds=240, codes={"step": DUMP, "ready": "SPENT = [0.0]"})
    yield grid(fell("E2", "file_not_found", "no_valid_checkpoint"), rounds=400, continue_from="grid/load-2025w48.ubj")
    yield grid(LATE, rounds=900000, days=60, codes={"step": "time.sleep(0.15)"}, more={"timeout_s": 45})


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from of_grain()
    yield from of_glyphs()
    yield from of_claims()
    yield from of_grid()


RECIPE = Recipe("cobalt_hinges", "development", jobs)
