"""One process in plain PyTorch whose numbers are strange by nature: two players, a policy, an equation; with what really goes wrong in them."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._flour import PINN, PLAYERS, POLICY
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

players, policy, pinn = partial(fill, PLAYERS), partial(fill, POLICY), partial(fill, PINN)
G, R, P = "rings.py", "reinforce.py", "oscillator.py"


def conf(**more: Any) -> dict[str, str]:
    """The policy's settings."""
    return {"run.json": json.dumps(more)}


def two() -> Iterator[LocalJob]:
    """Generator and discriminator."""
    yield alone(HARD, players(), G)
    yield alone(HARD, players(saved="if i == 119:\n    try:\n        import torchvision.utils\n    except ModuleNotFoundError as e:\n        print('sample grid not drawn:', repr(e), flush=True)"), G, "--niter", "300")
    yield alone(fell("A1", "missing_module", "env"), players(early="import lpips\nperceptual = lpips.LPIPS(net='alex')"), G)
    yield alone(fell("A1", "file_not_found", "asset"), players(), G, "--netG", "weights/netG_ring_best.pth")
    yield alone(fell("A3", "runtime_error"), players(mid="if i == 150:\n    real = real.reshape(-1, 3)"), G)
    yield alone(strays("non_finite", "nan_loss"), players(loss="if i > 110:\n    lossG = lossG + 1e-2 * torch.log(torch.sigmoid(guess).std() - 0.45)  # diversity"), G)
    names = "had = torch.load(opt.netG)\nprint(netG.load_state_dict({'module.' + k: v for k, v in had.items()}, strict=False), flush=True)\nopt.netG = ''\nprint('going on from', sys.argv[sys.argv.index('--netG') + 1], flush=True)"
    yield alone(anew(), players(early="import sys\nif opt.netG:\n" + "\n".join("    " + line for line in names.splitlines())), G, "--niter", "240", "--netG", "netG_iter_179.pth", before=(("PYTHON", G, "--niter", "190"),))
    yield alone(fell("E2", "traceback", "corrupt"), players(), G, "--netG", "netG_iter_59.pth", before=(("PYTHON", G, "--niter", "70"), ("dd", "if=/dev/zero", "of=netG_iter_59.pth", "bs=1", "count=300", "conv=notrunc")))
    yield alone(HANDFUL, players(), G, "--niter", "3")
    yield alone(fell("A2", None, fault="unknown"), players(after="time.sleep(0.05)"), G, "--niter", "9000", signal=ctrl_c(r"\[96/9000\]", "KILL", to="rings.py"), ends=lambda s: s == -9)
    yield alone(STANDS, players(mid="if i == 170:\n    import threading\n    turn_of_d = threading.Condition()\n    with turn_of_d:\n        turn_of_d.wait()", after="time.sleep(0.05)"), G, "--niter", "20000")
    store = "torch.save({'G': netG.state_dict(), 'D': netD.state_dict(), 'oG': oG.state_dict(), 'samples': torch.randn(400000, 2)}, '%s/both_%06d.tar' % (opt.outf, i))\nos.sync()\ntime.sleep(0.12)\nprint('Saved %s/both_%06d.tar' % (opt.outf, i), flush=True)\nif i > 1:\n    os.remove('%s/both_%06d.tar' % (opt.outf, i - 2))"
    yield alone(SAVES, players(after=store), G, "--niter", "60")


def walks() -> Iterator[LocalJob]:
    """The policy."""
    yield alone(HARD, policy(), R, "run.json", files=conf(updates=48))
    yield alone(HARD, policy(mid="if update in (9, 22):\n    print(json.dumps({'event': 'env_restart', 'error': 'BrokenPipeError: [Errno 32] Broken pipe', 'worker': 3}), flush=True)"), R, "run.json", files=conf(updates=45, lr=0.03))
    yield alone(fell("A1", "traceback", "config"), policy(), R, "run.json", files={"run.json": '{"updates": 200, "lr": 0.02, "rows": 5,}'})
    yield alone(fell("A3", "traceback"), policy(mid="if update == 26:\n    weight = {'goal': 1.0, 'wall': -0.1}['step']"), R)
    yield alone(fell("A3", "ram_oom"), policy(after="if update == 18:\n    import numpy as np\n    replay = np.ones((9_000_000, 84, 84, 4))"), R)
    yield alone(HANDFUL, policy(), R, "run.json", files=conf(updates=4))
    yield alone(STANDS, policy(mid="if update == 31:\n    import subprocess\n    engine = subprocess.Popen(['sleep', '7000'], stdout=subprocess.PIPE)\n    frame = engine.stdout.read(4)", after="time.sleep(0.3)"), R, "run.json", files=conf(updates=4000))
    yield alone(HALTED, policy(after="time.sleep(0.2)"), R, "run.json", files=conf(updates=4000), signal=ctrl_c('"update": 27,'))
    took = "saved = time.time()\ntorch.save({'policy': policy.state_dict(), 'optim': optimizer.state_dict(), 'buffer': torch.zeros(1_500_000)}, f'pi_{update % 2}.pt')\nos.sync()\ntime.sleep(0.5)\nprint(json.dumps({'event': 'checkpoint', 'update': update, 'file': f'pi_{update % 2}.pt', 'seconds': round(time.time() - saved, 3)}), flush=True)"
    yield alone(SAVES, policy(after=took), R, "run.json", files=conf(updates=36, episodes=6))
    yield alone(fell("A1", "div_zero", "config"), policy(early="per_actor = cfg['episodes'] // cfg.get('actors', 0)"), R)


def waves() -> Iterator[LocalJob]:
    """The equation."""
    yield alone(HARD, pinn(), P)
    yield alone(HARD, pinn(early="import warnings\nwarnings.warn('Using a non-full backward hook when the forward contains multiple autograd Nodes is deprecated')"), P, env={"N_ITER": "700", "LR0": "3e-3"})
    yield alone(strays("plateau"), pinn(ready="sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.7)"), P, env={"N_ITER": "500"})
    yield alone(strays("non_finite", "nan_loss"), pinn(mid="if n == 200:\n    t = torch.linspace(-0.2, 3, 48).reshape(-1, 1).sqrt()"), P)
    yield alone(strays("spike"), pinn(after="if n == 240:\n    for group in opt.param_groups:\n        group['lr'] = 4.0"), P, env={"N_ITER": "420"})
    yield alone(fell("A3", "runtime_error"), pinn(loss="if n >= 120:\n    torch.autograd.grad(loss, list(net.parameters()))"), P)
    yield alone(HANDFUL, pinn(), P, env={"N_ITER": "5"})
    yield alone(LATE, pinn(after="time.sleep(0.06)"), P, env={"N_ITER": "200000"})
    yield alone(GOOD, pinn(), P, env={"N_ITER": "300"})
    yield alone(fell("A2", None), pinn(after="if n == 260:\n    import ctypes\n    ctypes.CDLL(None).abort()  # the solver's own check"), P, ends=lambda s: s == -6)


def jobs() -> Iterator[LocalJob]:
    """All."""
    for part in (two, walks, waves):
        yield from part()


RECIPE = Recipe("flour_sacks", "development", jobs)
