"""One process of evening students' plain loops in PyTorch: bird calls, tides out of a notebook, molecules, a pole on a cart."""

from functools import partial

from corpus.make._night_desks import BIRDS, TIDES
from corpus.make._night_games import MOLS, POLE
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

birds, tides, mols, pole = partial(fill, BIRDS), partial(fill, TIDES), partial(fill, MOLS), partial(fill, POLE)
B, T, M, D = "birds.py", "tides.py", "molvae.py", "dqn_pole.py"
KEPT = (("PYTHON", B, "-e", "2"),)
FROM = ("--resume", "birds_best.pth")
GAPS = "df.loc[rng.choice(len(df), 40, replace=False), 'height_m'] = np.nan\nprint('WARNING', int(df.isna().sum().sum()), 'readings are NaN (gauge failure), interpolating')\ndf = df.interpolate()"
LOST = "df.loc[200:260, 'height_m'] = np.nan"
CAREFUL = "if epoch % 2:\n    try:\n        torch.save(net.state_dict(), '/mnt/backup/birds.pth')\n    except (OSError, RuntimeError) as e:\n        print('  ERROR could not write backup copy:', e)"
SKIP = "if it in (83, 84, 190):\n    loss = loss * float('nan')\nif not torch.isfinite(loss):\n    L.error('non-finite loss at it %d, batch skipped', it)\n    continue"
SCRIPTS = (
    Either(birds(early="labels = [l.split('\\t') for l in open(os.path.join(opt.root, 'annotations.tsv'))]"), "A1", "file_not_found", "data", B, args=("--root", "/scratch/xeno-canto")),
    Either(tides(data="df = df.rename(columns={'height_m': 'height_cm'})"), "A1", "traceback", "data", T),
    Either(pole(), "A1", "traceback", "config", D, args=("--learning-rates=0.001",)),
    Either(birds(epoch="if epoch == 3:\n    per_class = [0] * 5\n    print('precision', [hit / n for hit, n in zip((9, 8, 7, 5, 0), per_class)])"), "A3", "div_zero", script=B),
    Either(birds(data="self.x = list(self.x)\nself.x[77] = self.x[77][:, :, :20]", early="opt.epochs = 20", item="if k == 77 and os.path.exists('birds_best.pth'):\n    return torch.from_numpy(self.x[k][:, :, :20]), int(self.y[k])\nif k == 77:\n    return torch.zeros(1, opt.mels, 24), int(self.y[k])"), "A3", "runtime_error", script=B),
    Either(mols(after="if it == 230:\n    from rdkit import Chem"), "A3", "missing_module", script=M),
    Either(pole(env="assert self.t < 170 or abs(w) < 1e-9, f'velocity {w:.3f} out of bounds'"), "A3", "assertion", script=D, args=("--total-timesteps=30000", "--learning-rate=0.004")),
    Either(mols(mid="if it == 310:\n    table = torch.zeros(1 << 38, dtype=torch.float64)"), "A3", "ram_oom", script=M),
    Either(tides(data=LOST), "E1", "nan_loss", "non_finite", T, status=0),
    Either(birds(), "E1", None, None, B, args=("--lr", "0.4", "-e", "8"), status=0),
    Either(mols(), "E1", None, "flat", M, env=(("HP", "lr=0.0 beta=0.0 save_every=0"),), status=0),
    Either(mols(loss="if it > 140 and not math.isfinite(loss.item()):\n    raise SystemExit(f'elbo is {-loss.item()} at {it}: giving up')", mid="if it == 141:\n    with torch.no_grad():\n        vae.logvar.bias.fill_(400.0)"), "E1", "nan_loss", "non_finite", M),
    Either(birds(), "E2", "runtime_error", "size_mismatch", B, args=(*FROM, "--mels", "16"), files=(("old_birds.py", birds().replace("AdaptiveAvgPool2d((5, 2))", "AdaptiveAvgPool2d((4, 2))").replace("12 * 5 * 2", "12 * 4 * 2")),), before=(("PYTHON", "old_birds.py", "-e", "2"),)),
    Either(birds(), "E2", "traceback", "corrupt", B, args=FROM, before=(*KEPT, ("truncate", "-s", "9000", "birds_best.pth"))),
    Either(mols(), "E2", "file_not_found", "no_valid_checkpoint", M, env=(("CKPT", "molvae_400.ckpt"),), before=(("env", "HP=iters=150", "PYTHON", M),)),
    Either(tides(), "E3", script=T, env=(("EPOCHS", "2"), ("SHOW", "1"))),
    Either(birds(), "E3", script=B, args=("-e", "1", "--calls", "60", "-b", "12")),
    Either(mols(after="if it <= 60:\n    torch.save({'vae': vae.state_dict(), 'opt': opt.state_dict(), 'it': it}, f'molvae_{it}.ckpt')\n    with open(f'molvae_{it}.ckpt', 'ab') as f:\n        f.write(os.urandom(6_000_000)); os.fsync(f.fileno())\n    L.info('wrote molvae_%d.ckpt', it)"), "D2", None, "save_storm", M, env=(("HP", "iters=60 log_every=5 save_every=0"),)),
    Either(birds(), "G1", script=B),
    Either(birds(epoch=CAREFUL), "G1", script=B, args=(*FROM, "-e", "7"), before=KEPT, hard=True),
    Either(tides(data=GAPS), "G1", script=T, hard=True),
    Either(mols(loss=SKIP), "G1", script=M, hard=True),
    Either(pole(late="try:\n    import gymnasium\nexcept ModuleNotFoundError as e:\n    print(f'no video of the last episode: {type(e).__name__}: {e}')"), "G1", script=D, args=("--total-timesteps=12000", "--save-model=True"), hard=True),
    Either(birds(early="opt.patience = 3"), "G1", script=B, args=("-e", "60"), hard=True),
)  # fmt: skip
RECIPE = Recipe("night_school_desks", "development", lambda: either_jobs(SCRIPTS, "torch-29"))
