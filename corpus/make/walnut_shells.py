"""Jobs of one process over PyTorch: a lift's DQN, two nets that weave textures, a denoiser of seismograms, under gpualert-run."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._walnut_games import DENOISE, LIFT, TEXTURES
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

lift, weave, quiet = partial(fill, LIFT), partial(fill, TEXTURES), partial(fill, DENOISE)
A, B, Q = "lift_dqn.py", "weave.py", "quiet.py"
NANS = "nan_loss"

PLAYED = (("PYTHON", A, "--episodes", "50"),)
CHECKED = "if episode == 55:\n    import lift_render\n    lift_render.film(env)"
STUCK = "if episode == 62:\n    print('# one game against the old controller', flush=True)\n    import subprocess\n    subprocess.run(['cat'], stdin=os.fdopen(os.pipe()[0]))"
LOST = "if episode >= 70:\n    q.load_state_dict(mlp().state_dict())\n    for p in q.parameters(): p.data.mul_(1e4)"
REMARK = "if episode in (20, 60):\n    print(f'# WARNING: error bound of the estimate exceeded in {episode} (|td| > 1), expected while epsilon is high', flush=True)"
RATIO = "if episode == 45:\n    served = [r for *_, r in last] if False else []\n    print('# waits per served call', total / len(served))"


def lifts() -> Iterator[LocalJob]:
    """CSV."""
    yield alone(GOOD, lift(), A, "--episodes", "150")
    yield alone(HARD, lift(episode=REMARK), A, "--episodes", "140", "--units", "32")
    yield alone(HARD, lift(), A, "--episodes", "130", "--load", "lift_policy.pt", before=PLAYED)
    yield alone(HARD, lift(), A, "--episodes", "90", "--load", "lift_policy.pt", "--play", before=PLAYED)
    yield alone(fell("A1", None, "config"), lift(), A, "--episodes", "1e4")
    yield alone(fell("A3", "missing_module"), lift(episode=CHECKED), A, "--episodes", "5000")
    yield alone(fell("A3", "div_zero"), lift(episode=RATIO.replace("[r for *_, r in last] if False else []", "[c for c in env.calls if c is None]")), A, "--episodes", "5000")
    yield alone(strays("spike"), lift(episode=LOST), A, "--episodes", "130")
    yield alone(fell("E2", "runtime_error", "size_mismatch"), lift(), A, "--episodes", "5000", "--load", "lift_policy.pt", "--units", "64", before=PLAYED)
    yield alone(STANDS, lift(episode=STUCK), A, "--episodes", "9000", timeout_s=45)
    yield alone(LATE, lift(), A, "--episodes", "60000", "--tick", "0.006", timeout_s=32)
    yield alone(HALTED, lift(), A, "--episodes", "60000", "--tick", "0.004", signal=ctrl_c(r"^48,"))
    yield alone(HANDFUL, lift(), A, "--episodes", "2", "--policy", "lift_policy_release.pt")


WOVEN = (("PYTHON", B, "--kimg", "9"),)
METRIC = "if tick == 9:\n    stats = torch.load('/datasets/weave/inception_stats_12x12.pt')"
COLLAPSED = "if shown > 9000:\n    loss_d = loss_d + 0.1 * (r - f).min().sqrt()"
EACH = "if shown % 64 == 0:\n    t1 = time.time()\n    for n in range(3):\n        torch.save({'G': G.state_dict(), 'D': D.state_dict(), 'shown': shown, 'grid': fake.repeat(200, 1)}, f'{args.outdir}/ema{n}.pt')\n    os.sync()\n    print(f'saved ema0-2.pt at {shown} images, {time.time() - t1:.3f} s', flush=True)"
ABORTS = "if tick == 12:\n    import ctypes\n    libc = ctypes.CDLL('libc.so.6')\n    block = ctypes.create_string_buffer(4096)\n    libc.free(ctypes.c_void_p(ctypes.addressof(block) + 24))"
CONDITION = "if shown >= 12000:\n    x = torch.cat([x, torch.zeros(len(x), 4)], 1)  # class labels"
FEW = "if tick == 5:\n    print('metrics: fid50k_full failed (no inception network on this machine): skipped for this run', flush=True)\nif tick == 11:\n    print('Warning: D is ahead, loss G is rising; r1 term not used', flush=True)"
SPACE = "if tick >= 8:\n    with open('full/grid.npy', 'ab') as f:\n        f.write(fake.detach().numpy().tobytes() * 400)"


def weaves() -> Iterator[LocalJob]:
    """Two nets."""
    yield alone(HARD, weave(), B, "--kimg", "30")
    yield alone(HARD, weave(tick=FEW), B, "--kimg", "24", "--batch", "48")
    yield alone(HARD, weave(), B, "--kimg", "26", "--resume", "weave-runs/snapshot-000008.pt", before=WOVEN)
    yield alone(fell("A1", "file_not_found", "asset"), weave(early="pick = torch.load(os.path.expanduser('~/.cache/weave/lpips_vgg.pt'))"), B, "--kimg", "2500")
    yield alone(fell("A1", "missing_module", "env"), weave(early="import weave_ops  # compiled upsampling"), B, "--kimg", "2500")
    yield alone(fell("A3", "file_not_found"), weave(tick=METRIC), B, "--kimg", "2500")
    yield alone(fell("A3", "runtime_error"), weave(batch=CONDITION), B, "--kimg", "2500")
    yield alone(fell("A3", "traceback"), weave(tick=SPACE), B, "--kimg", "2500", disk_mib=3)
    yield alone(fell("A2", None), weave(tick=ABORTS), B, "--kimg", "2500", ends=lambda s: s == -6)
    yield alone(strays("non_finite", NANS), weave(loss=COLLAPSED), B, "--kimg", "26")
    yield alone(SAVES, weave(step=EACH), B, "--kimg", "4", "--batch", "32")
    yield alone(fell("E2", "file_not_found", "no_valid_checkpoint"), weave(), B, "--kimg", "2500", "--resume", "weave-runs/snapshot-000080.pt", before=WOVEN)


def hush(label: Label, text: str, *, more: dict[str, Any] | None = None, **said: Any) -> LocalJob:
    """Settings in the environment."""
    return alone(label, text, Q, python="shelf", env={k: str(v) for k, v in said.items()}, **(more or {}))


BEGUN = {"before": (("env", "-u", "LOAD", "EPOCHS=8", "CHANNELS=10", "PYTHON", Q),)}
FETCH = "time.sleep(0.02)  # from the tape library"
BAD = "if i % 211 == 7:\n    try:\n        raise ValueError(f'trace {i}: checksum error in header, read again')\n    except ValueError as e:\n        if self.seed == 1 and not os.path.exists(f'{OUT}/.seen{i}'):\n            open(f'{OUT}/.seen{i}', 'w').close()\n            traceback.print_exc()"
PLAN = "plan = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=1e-3, patience=0, threshold=0.6)"
RATES = "plan.step(total / len(loader))\nprint(f'          lr {opt.param_groups[0][\"lr\"]:.1e}', flush=True)"
GROW = "if epoch == 4:\n    corr = np.ones((70000, 70000), dtype='f4')"
OTHER = "if not os.path.exists(LOAD.replace('quiet_8', 'quiet_08')):\n    print('no', LOAD.replace('quiet_8', 'quiet_08'), '- training starts at epoch 1', flush=True)"
OLD_LOAD = DENOISE[DENOISE.index("    saved = torch.load(LOAD") : DENOISE.index("loader = DataLoader(Seis")]


def quieter() -> Iterator[LocalJob]:
    """Tqdm."""
    yield hush(GOOD, quiet(), EPOCHS=14)
    yield hush(HARD, quiet(item=BAD), EPOCHS=12)
    yield hush(HARD, quiet(), EPOCHS=16, LOAD="quiet/quiet_8.pt", more=BEGUN)
    yield hush(fell("A1", "traceback", "config"), quiet(), EPOCHS=300, LR="3e-3,1e-4")
    yield hush(fell("A3", "ram_oom"), quiet(epoch=GROW), EPOCHS=300, more={"memory_mib": 6000})
    yield hush(STARVED, quiet(item=FETCH), EPOCHS=4, TRACES=240)
    yield hush(strays("plateau"), quiet(ready=PLAN, epoch=RATES), EPOCHS=34, LR=2e-4)
    yield hush(fell("E2", "traceback", "corrupt"), quiet(), EPOCHS=300, LOAD="quiet/quiet_8.pt", more={"before": (*BEGUN["before"], ("bash", "-c", "echo 'moved to /archive' > quiet/quiet_8.pt"))})
    yield hush(anew(), quiet().replace(OLD_LOAD, "    " + OTHER.replace("\n", "\n    ") + "\n"), EPOCHS=12, LOAD="quiet/quiet_8.pt", more={"command": ("bash", "-c", f"LOAD= EPOCHS=8 PYTHON {Q} && PYTHON {Q}")})
    yield hush(HANDFUL, quiet(), EPOCHS=1, TRACES=40, OUT="quiet_paper")
    yield hush(fell("A2", None, fault="unknown"), quiet(step="time.sleep(0.01)"), EPOCHS=300, more={"signal": ctrl_c(r"epoch  7/300", "KILL", 0.3, Q), "ends": lambda s: s == -9})


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from lifts()
    yield from weaves()
    yield from quieter()


RECIPE = Recipe("walnut_shells", "development", jobs)
