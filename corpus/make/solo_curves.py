"""One process that forecasts with loguru and OmegaConf, learns to walk with rich tables, or denoises points below a bar of tqdm."""

from functools import partial

from corpus.make._solo_torch import DENOISE, FORECAST, FORECAST_YAML, GRID
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

fore, grid, den = partial(fill, FORECAST), partial(fill, GRID), partial(fill, DENOISE)
Y = (("config.yaml", FORECAST_YAML),)
F, R, D = "forecast.py", "ppo_grid.py", "denoise.py"
GROW = "import ctypes\nheap = globals().setdefault('heap', [])\nheap.append(ctypes.create_string_buffer(b'\\x01' * (1 << 20), 9 << 20))"
TELL = "python {}\nrc=$?\ncg=/sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)\necho \"exit code $rc, memory.limit_in_bytes=$(cat $cg/memory.limit_in_bytes)\"\n[ $rc -eq 0 ] || cat $cg/memory.oom_control\nexit $rc"
SCRIPTS = (
    Either(fore(), "A1", "file_not_found", "config", F),
    Either(fore(), "A1", "traceback", "config", F, (("config.yaml", FORECAST_YAML.replace("  hidden: 16", "  hiden: 16")),), status=1),
    Either(fore(), "A1", "traceback", "config", F, (("config.yaml", FORECAST_YAML.replace("  lr: 0.01", "lr: 0.01\n  batch: [")),), tasks=1),
    Either(fore(early="per_window = cfg.data.windows // cfg.data.get('stride', 0)"), "A1", "div_zero", "config", F, Y),
    Either(fore(), "A1", "traceback", "config", F, Y, ("optim.batch=large",), tasks=1),
    Either(fore(), "A1", "permission", "config", F, Y, locked=("metrics",), folders=("metrics",)),
    Either(fore(data="scale = torch.load('data/scaler.pt')\nx = x * scale"), "A1", "traceback", "data", F, (*Y, ("data/scaler.pt", "not a tensor\n"))),
    Either(fore(data="assert x.abs().max() <= 1.0, f'windows are not normalised, largest value {x.abs().max():.3f}'"), "A1", "assertion", "data", F, Y),
    Either(grid(early="import gymnasium as gym"), "A1", "missing_module", "env", R, tasks=1),
    Either(grid(ready="policy.to('meta')"), "A1", "device_mismatch", "config", R, status=None),
    Either(den(early="data = torch.empty(1 << 44, 2)"), "A1", "ram_oom", "data", D),
    Either(den(early="with open('/etc/gshadow') as f:\n    salt = f.readline()"), "A1", "permission", "config", D, tasks=1),
    Either(grid(early="torch.cuda.set_device(0)"), "A1", "cuda_runtime", "env", R),
    # killed
    Either(TELL.format("denoise.py"), "A2", "oom_killer", script="run.sh", files=(("denoise.py", den(mid=GROW)),), group_mib=900, status=137),
    Either(TELL.format("forecast.py"), "A2", "oom_killer", script="run.sh", files=(("forecast.py", fore(after=GROW)), *Y), group_mib=1100, status=137),
    Either(TELL.format("ppo_grid.py 60"), "A2", "oom_killer", script="run.sh", files=(("ppo_grid.py", grid(early="lookup = {i: str(i) * 9 for i in range(30_000_000)}")),), group_mib=800, status=137),
    Either(den(mid="if step == 150:\n    import mmap\n    f = open('cache.bin', 'wb+')\n    f.truncate(1 << 20)\n    view = mmap.mmap(f.fileno(), 1 << 20)\n    os.ftruncate(f.fileno(), 0)\n    view[5000]"), "A2", None, script=D, status=-7),
    Either(grid(mid="if it == 20:\n    import ctypes\n    ctypes.CDLL(None).abort()"), "A2", None, script=R, status=-6, tasks=1),
    Either(den(mid="if step == 200:\n    import ctypes\n    fn = ctypes.CFUNCTYPE(None)(0)\n    fn()"), "A2", "segfault", script=D, status=-11),
    # in the middle
    Either(fore(mid="if step == 120:\n    x = torch.load('data/windows_2.pt')"), "A3", "file_not_found", script=F, files=Y),
    Either(fore(mid="if step == 95:\n    cfg.optim.lr = cfg.schedule.milestones[0]"), "A3", "traceback", script=F, files=Y, tasks=1),
    Either(fore(after="if step == 110:\n    os.replace('metrics/train.csv', '/usr/lib/train.csv')"), "A3", "permission", script=F, files=Y),
    Either(fore(mid="if step == 84:\n    y = y[:, :3]"), "A3", "runtime_error", script=F, files=Y, tasks=1),
    Either(grid(env="if frames > 2500 and action == 2:\n    raise ValueError(f'action {action} is masked at {self.pos}')"), "A3", "traceback", script=R),
    Either(grid(mid="if it == 22:\n    solved = [r for r in recent if r > 1]\n    console.log('steps per solved episode', frames // len(solved))"), "A3", "div_zero", script=R, tasks=1),
    Either(grid(loss="assert it < 25 or loss.item() < -5, f'value loss exploded? {loss.item():.3f}'"), "A3", "assertion", script=R),
    Either(den(mid="if step == 170:\n    import xformers.ops"), "A3", "missing_module", script=D),
    Either(den(mid="if step == 130:\n    noise_table = torch.randn(1 << 40)"), "A3", "ram_oom", script=D, tasks=1),
    Either(den(loss="if step == 155:\n    loss = loss + ema['net.0.bias'].to('meta').sum() + torch.nn.functional.linear(xt, torch.zeros(4, 2, device='meta')).sum()"), "A3", "traceback", script=D, status=None),
    Either(den(epoch="if epoch == 2:\n    raise StopIteration('sampler exhausted')"), "A3", "traceback", script=D),
    # learned, or not
    Either(den(loss="loss = loss * (1e38 if step == 160 else 1) * (10 if step == 160 else 1)", mid="if step > 160:\n    with torch.no_grad():\n        model.net[0].bias.mul_(float('inf'))"), "E1", "nan_loss", "non_finite", D, status=0),
    Either(fore(), "A1", "runtime_error", "config", F, Y, ("optim.lr=1e38",)),
    Either(fore(), "E1", None, "flat", F, Y, ("optim.lr=0",), status=0),
    Either(fore(mid="if step == 100:\n    for g in opt.param_groups:\n        g['lr'] = 30.0\nif step == 104:\n    for g in opt.param_groups:\n        g['lr'] = 0.0"), "E1", None, "spike", F, Y, status=0),
    Either(fore(ready="if os.environ.get('RESUME'):\n    logger.info('resuming from {}', os.environ['RESUME'])\n    kept = torch.load(os.environ['RESUME'])\n    net.load_state_dict(kept['net'])\n    first = kept['step'] + 1"), "E2", "file_not_found", "no_valid_checkpoint", F, Y, env=(("RESUME", "ckpt/step00180.pt"),)),
    Either(den(ready="print('loading checkpoint last.pt', flush=True)\nmodel.load_state_dict(torch.load('last.pt')['model'])"), "E2", "traceback", "corrupt", D, (("last.pt", ""),), status=None),
    Either(fore(), "E3", script=F, files=Y, args=("optim.steps=2", "log_every=1")),
    Either(fore(after="torch.save({'net': net.state_dict(), 'opt': opt.state_dict(), 'step': step}, f'metrics/step{step:05d}.pt')\nlogger.info('checkpoint saved: metrics/step{:05d}.pt', step)"), "D2", None, "save_storm", F, Y, ("optim.steps=60", "log_every=5")),
    # well
    Either(fore(), "G1", script=F, files=Y),
    Either(grid(), "G1", script=R),
    Either(den(), "G1", script=D, tasks=1),
    Either(fore(mid="if step % 60 == 0:\n    try:\n        open('/mnt/nfs/heartbeat')\n    except FileNotFoundError as e:\n        logger.opt(exception=e).error('heartbeat could not be written, will retry')"), "G1", script=F, files=Y, hard=True),
    Either(grid(late="console.print('[red]FAILED[/] episodes in eval: 0, crashed: 0, killed: 0')"), "G1", script=R, hard=True, tasks=1),
    Either(den(mid="if step == 120:\n    import warnings\n    warnings.warn('loss scale 65536 overflowed: inf/nan in 3 of 6 grads, halving (this is normal at the start)')"), "G1", script=D, hard=True),
    Either(den(late="import signal\nsignal.signal(signal.SIGALRM, lambda *a: print('alarm: watchdog fired, no hang found', flush=True))\nsignal.alarm(1)\ntime.sleep(1.3)"), "G1", script=D, hard=True, tasks=1),
)  # fmt: skip
RECIPE = Recipe("solo_curves", "development", lambda: either_jobs(SCRIPTS, "torch-29"))
