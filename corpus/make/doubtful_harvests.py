"""Companies of PyTorch ranks that end in their own time and have not learned, have learned from nothing, or did a handful of steps; and weights that cannot be read."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._stands import crew, here
from corpus.make._troupes import only
from corpus.running.job import LocalJob, Recipe, SlurmJob

DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}


def diverged() -> Iterator[SlurmJob | LocalJob]:
    """E1."""
    base = Label(mode="E1", fault="user")
    nan = base.but(variant="non_finite", cause="nan_loss")
    yield crew(nan, "GPT", 2, places={"mid": only(None, 60, "with torch.no_grad():\n    model.norm.weight.mul_(1e30)", since=True)}, **DONE)
    yield here(nan, "EACH", 2, 0, places={"rate": 4000.0, "total": 120})
    stop = "if not torch.isfinite(loss):\n    raise FloatingPointError(f'update {step}: loss is {loss.item()}, stopping')"
    burst = only(None, 70, "x = x * 1e30 * 1e30", since=True)
    yield crew(nan, "ASR", 2, how="srun", launch={"srun": "-K"}, places={"mid": burst, "after": stop}, python="torch", **FAILED)
    quit_ = "if step % EVERY == 0 and not math.isfinite(loss.item()):\n    logging.error(f'Loss is {loss.item()}, stopping training')\n    sys.exit(1)".replace("EVERY", "10")
    yield crew(nan, "CLIP", 3, places={"top": "import sys", "after": only(None, 65, "logit_scale.data.fill_(95.0)", since=True) + "\n" + quit_}, **FAILED)
    jump = only(None, 100, "with torch.no_grad():\n    for p in weights:\n        p.mul_(-40)\nweights = []")
    yield here(base.but(variant="spike"), "EACH", 2, 0, places={"after": jump, "total": 220})
    dead = only(None, 60, "with torch.no_grad():\n    net[0].bias.fill_(-900.0)\n    net[3].weight.zero_()\n    net[3].bias.zero_()\nfor group in optimizer.param_groups:\n    group['lr'] = 0.0")
    yield crew(base.but(variant="plateau"), "VIT", 2, places={"after": dead.replace("net[", "model.module["), "total": 320}, python="torch", **DONE)
    yield here(base.but(variant="flat"), "DET", 2, 0, places={"rate": 0.0, "mid": "torch.manual_seed(11)", "total": 200})
    yield crew(base.but(variant="flat"), "ZERO", 3, 1, "srun", places={"rate": 0.0, "mid": "g = torch.Generator().manual_seed(rank)\nx = torch.randn(16, 8, generator=g)\ny = torch.tanh(x @ teacher)", "total": 200}, **DONE)


def of_nothing() -> Iterator[SlurmJob | LocalJob]:
    """E3."""
    label = Label(mode="E3", fault="user")
    yield crew(label, "ASR", 2, how="srun", places={"total": 2, "every": 1}, **DONE)
    yield here(label, "SEG", 2, 0, args=("--max-iters=3",), places={"every": 1})
    yield crew(label, "GPT", 4, 2, python="torch", places={"total": 1, "every": 1, "late": "print_rank_0(f'saving checkpoint at iteration {step:7d}')\nif rank == 0:\n    torch.save(model.state_dict(), 'iter_0000001.pt')"}, **DONE)
    yield here(label, "ZERO", 3, 0, python="torch", places={"total": 2, "every": 1, "late": "log_dist('max_steps reached')"})


LOAD = "path = 'weights/last.pt'\nprint(f'rank {rank}: loading checkpoint {path}', flush=True)\n"
MAKE = {
    "SEG": "nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))", "VIT": "nn.Sequential(nn.Conv2d(1, 8, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(72, 5))",
    "EACH": "nn.Linear(8, 1)", "ZERO": "nn.Sequential(nn.Linear(8, 24), nn.SiLU(), nn.Linear(24, 8))",
}  # fmt: skip


def maker(name: str) -> dict[str, str]:
    """A program that makes weights beforehand."""
    return {"export.py": f"import os\nimport torch\nfrom torch import nn\nos.makedirs('weights', exist_ok=True)\ntorch.save({MAKE[name]}.state_dict(), 'weights/last.pt')\n"}


def unreadable() -> Iterator[SlurmJob | LocalJob]:
    """E2."""
    base = Label(mode="E2", fault="user")
    export = ("PYTHON", "export.py")
    wide = base.but(variant="size_mismatch", cause="runtime_error")
    yield here(wide, "SEG", 2, 1, files=maker("SEG"), before=(export,), places={"early": LOAD + "self.net.load_state_dict(torch.load(path, weights_only=True))"})
    yield crew(wide, "VIT", 2, 2, "srun", launch={"srun": "-K"}, head="PYTHON export.py\n", files=maker("VIT"), python="torch", places={"early": LOAD + "net.load_state_dict(torch.load(path, weights_only=True))"}, **FAILED)
    other = LOAD + "net.load_state_dict({k.replace('0.', 'up.').replace('2.', 'down.'): v for k, v in torch.load(path, weights_only=True).items()})"
    yield here(base.but(cause="runtime_error"), "ZERO", 2, 1, files=maker("ZERO"), before=(export,), places={"early": other})
    cut = (("truncate", "-s", "900", "weights/last.pt"),)
    broken = base.but(variant="corrupt", cause="runtime_error")
    yield here(broken, "EACH", 3, 1, files=maker("EACH"), before=(export, *cut), places={"early": LOAD + "tower.load_state_dict(torch.load(path, weights_only=True))"})
    yield crew(broken.but(first_ranks=(1,)), "ZERO", 3, 1, "srun", launch={"srun": "-K"}, head="PYTHON export.py\nfor r in 0 2; do cp weights/last.pt weights/last-$r.pt; done\nhead -c 1500 weights/last.pt > weights/last-1.pt\n", files=maker("ZERO"),
               places={"early": LOAD.replace("'weights/last.pt'", "f'weights/last-{rank}.pt'") + "net.load_state_dict(torch.load(path, weights_only=True))\ndist.barrier()"}, **FAILED)  # fmt: skip
    html = "mkdir weights\nprintf '<!DOCTYPE html>\\n<html><body>404: the object is not here</body></html>\\n' > weights/last.pt\n"
    yield crew(broken.but(cause="traceback"), "EACH", 2, 2, "srun", launch={"srun": "--wait=10"}, head=html, python="torch", places={"early": LOAD + "tower.load_state_dict(torch.load(path, weights_only=True))"}, **FAILED)
    newest = "import glob\nfound = sorted(glob.glob('output/checkpoints/step_*.pt'))\nprint(f'rank {rank}: resume from latest of {len(found)} checkpoints', flush=True)\nif not found:\n    raise FileNotFoundError('resume=latest, but there is no valid checkpoint in output/checkpoints')"
    none = base.but(variant="no_valid_checkpoint", cause="file_not_found")
    yield crew(none, "CLIP", 2, launch={"args": "--resume latest"}, places={"early": newest}, **FAILED)
    yield here(none, "GPT", 2, 1, args=("--load", "output/checkpoints"), places={"early": newest})
    # submitted again with --resume, which nobody reads; and one that is read
    keep = only(0, None, "if step % 40 == 0:\n    torch.save(model.state_dict(), f'step_{step}.pt')\n    logger.info('Saved checkpoint step_%d.pt', step)")
    good = Label(mode="G1", fault="none")
    yield crew(good, "ASR", 2, how="srun", options=("--job-name=asr-ft",), key="first", places={"after": keep, "total": 200}, **DONE)
    yield crew(base.but(variant="from_scratch"), "ASR", 2, how="srun", options=("--job-name=asr-ft",), parent="first", launch={"args": '"$@"'}, args=("--resume", "../asr-ft/step_200.pt"), places={"after": keep, "total": 220}, **DONE)


def jobs() -> Iterator[SlurmJob | LocalJob]:
    """E1, E3, E2."""
    yield from diverged()
    yield from of_nothing()
    yield from unreadable()


RECIPE = Recipe("doubtful_harvests", "development", jobs)
