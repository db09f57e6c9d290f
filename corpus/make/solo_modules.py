"""Lightning 2.6 in one process, with bars of tqdm and rich, CSV logs, and what its modules, data modules and callbacks do."""

from functools import partial

from corpus.make._solo_hub import LIT
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

lit = partial(fill, LIT)
L = "lit_blobs.py"
QUIET, RICH = ("--bar", "none"), ("--bar", "rich")
EACH = "options.update(enable_checkpointing=True, log_every_n_steps={n})\nmore.append(C.ModelCheckpoint('ckpts', every_n_train_steps={n}, save_top_k=-1))"
EARLIER = "PYTHON lit_blobs.py --epochs 2 --bar none > first.txt 2>&1\ncp logs/lightning_logs/version_0/checkpoints/*.ckpt last.ckpt\n"
FIRST = (("sh", "-c", "PYTHON lit_blobs.py --epochs 2 --bar none && cp logs/lightning_logs/version_0/checkpoints/*.ckpt last.ckpt && rm -rf logs"),)
SCRIPTS = (
    Either(lit(prepare="with open('data/blobs/LICENSE') as f:\n    f.readline()"), "A1", "file_not_found", "data", L, args=QUIET),
    Either(lit(setup="y = y.reshape(-1, 7)"), "A1", "runtime_error", "data", L, tasks=1),
    Either(lit(), "A1", "traceback", "config", L, args=("--accelerator", "gpu")),
    Either(lit(), "A1", "traceback", "config", L, args=("--precision", "fp16-amp", *QUIET)),
    Either(lit(options="options['gpus'] = 1"), "A1", "traceback", "config", L, tasks=1),
    Either(lit(early="from lightning.pytorch.loggers import WandbLogger\nrun = WandbLogger(project='blobs', offline=True)"), "A1", "missing_module", "env", L),
    Either(lit(optim="groups = [p for n, p in self.named_parameters() if n.startswith('backbone.')]\nreturn torch.optim.AdamW(groups, lr=self.hparams.lr)"), "A1", "traceback", "config", L, args=RICH),
    Either(lit(valid="if self.trainer.sanity_checking:\n    self.classifier.to('meta')"), "A1", "traceback", "config", L, args=QUIET, status=None),
    Either(lit(options="options['logger'] = CSVLogger('/opt/experiments')"), "A1", "permission", "config", L, status=None),
    Either(lit(valid="assert x.shape[1] == 8, f'expected 8 features, got {x.shape[1]}'"), "A1", "assertion", "data", L, tasks=1),
    Either(lit(mid="if step == 50:\n    import ctypes\n    ctypes.string_at(9)"), "A2", "segfault", script=L, args=QUIET, status=-11),
    Either(lit(mid="if step == 39:\n    x = x[:, :5]"), "A3", "runtime_error", script=L, args=RICH, tasks=1),
    Either(lit(valid="if self.global_step > 45:\n    self.prior = (y == 4).sum().item()\n    self.log('val/ratio', len(y) / self.prior)"), "A3", "div_zero", script=L, args=QUIET),
    Either(lit(mid="if step == 60:\n    with open(f'mined.{self.current_epoch}.txt') as f:\n        self.mined = f.read().split()"), "A3", "file_not_found", script=L, tasks=1),
    Either(lit(mid="if step == 44:\n    self.memory = [torch.empty(1 << 42)]"), "A3", "ram_oom", script=L, args=RICH),
    Either(lit(mid="if step == 58:\n    os.makedirs('/srv/nightly/eval')"), "A3", "permission", script=L, args=QUIET),
    Either(lit(options="more.append(C.EarlyStopping('val/loss', check_finite=True, patience=5))"), "E1", "nan_loss", "non_finite", L, args=("--lr", "1e30"), status=0),
    Either(lit(options="options['gradient_clip_val'] = 1.0", loss="if step > 55:\n    loss = loss + torch.log(-(x[:, 0] ** 2)).mean()"), "E1", "nan_loss", "non_finite", L, args=QUIET, status=0, tasks=1),
    Either(lit(), "E1", None, "flat", L, args=("--lr", "1e-14", "--epochs", "5"), status=0),
    Either(lit(), "E2", "file_not_found", "no_valid_checkpoint", L, args=("--ckpt_path", "runs/blobs/last.ckpt", *QUIET)),
    Either(lit(), "E2", "runtime_error", "size_mismatch", L, args=("--ckpt_path", "last.ckpt", "--width", "40"), before=FIRST),
    Either(lit(), "E2", "runtime_error", "corrupt", L, args=("--ckpt_path", "last.ckpt"), tasks=1, head=EARLIER + "truncate -s 4000 last.ckpt\n"),
    Either(lit(options="options['max_steps'] = 4"), "E3", script=L, args=QUIET),
    Either(lit(options=EACH.format(n=1)), "D2", None, "save_storm", L, args=("--epochs", "3", *RICH), tasks=1),
    Either(lit(), "G1", script=L),
    Either(lit(), "G1", script=L, args=RICH, tasks=1),
    Either(lit(), "G1", script=L, args=("--ckpt_path", "last.ckpt", "--epochs", "6"), hard=True, before=FIRST),
    Either(lit(options="more.append(C.EarlyStopping('val/loss', patience=1, min_delta=0.2))\noptions['detect_anomaly'] = True"), "G1", script=L, args=("--epochs", "30", *QUIET), hard=True),
    Either(lit(prepare="warnings.warn('CUDA initialization: The NVIDIA driver on your system is too old (found version 11040). Proceeding on CPU', UserWarning)", late="print('Killed 0 stale workers; segfaults: 0; oom events: 0', flush=True)"), "G1", script=L, hard=True, tasks=1),
    Either(lit(mid="if step % 40 == 7:\n    try:\n        F.cross_entropy(self(x)[:, :2], y)\n    except IndexError as e:\n        print(f'probe head failed as designed at {step}: {e!r}', flush=True)"), "G1", script=L, hard=True, args=("--workers", "1")),
)  # fmt: skip
RECIPE = Recipe("solo_modules", "development", lambda: either_jobs(SCRIPTS, "torch-29"))
