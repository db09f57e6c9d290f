"""Training programs as people write them: a library, a model, a way of telling progress; and, at one place, code that goes wrong."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field

from corpus.running.models import MODELS
from corpus.running.styles import STYLES

STAGES = ("top", "config", "data", "first", "mid", "save", "evaluate", "after")


@dataclass(frozen=True)
class Program:
    """One training program.

    ``model`` and ``style`` name a model (``models.py``) and a way of telling progress (``styles.py``). ``at`` has code by stage: ``top`` (imports),
    ``config``, ``data`` (before the model), ``first`` (before any progress), ``mid`` (in the loop, at ``mid_step``), ``save``, ``evaluate``, ``after``.
    ``helpers`` are functions of its own.
    """

    model: str
    style: str
    total: int = 120
    every: int = 10
    mid_step: int = 64
    pause_s: float = 0.0
    save_every: int = 0
    lr: float = 0.05
    seed: int = 1
    at: Mapping[str, str] = field(default_factory=dict)
    helpers: str = ""
    ranks: bool = False
    """It is started by torchrun: gloo, and the gradients averaged by hand."""
    print_all: bool = False
    quiet_end: bool = False

    def text(self) -> str:
        """The script."""
        model, style = MODELS[self.model], STYLES[self.style]
        use = "torch" if model.library == "torch" else "other"
        lines = ["import os", "import sys", "import time", model.imports, style.imports]
        if self.ranks:
            lines.append("import torch.distributed as dist")
        lines += [self.at.get("top", ""), "", style.setup, textwrap.dedent(self.helpers), model.code, _SAVE[use]]
        body = [
            "rank = int(os.environ.get('RANK', '0'))",
            "world = int(os.environ.get('WORLD_SIZE', '1'))",
            f"total, every = {self.total}, {self.every}",
        ]
        body += self._stage("config")
        if self.ranks:
            body += ["dist.init_process_group('gloo')"]
        body += self._stage("data")
        body += [f"net = build({self.lr}, {self.seed} + {'rank' if self.ranks and use == 'other' else '0'})"]
        body += self._stage("first")
        body += [style.begin] if style.begin else []
        body += ["for step in range(1, total + 1):"]
        loop = ["loss = net.step(step)"]
        if self.ranks:
            loop += ["share = torch.tensor([loss])", "dist.all_reduce(share)", "loss = share.item() / world"]
        if "mid" in self.at:
            loop += [f"if step >= {self.mid_step}:", *("    " + line for line in textwrap.dedent(self.at["mid"]).strip().splitlines())]
        if self.pause_s:
            loop += [f"time.sleep({self.pause_s})"]
        who = "" if self.print_all or not self.ranks else " and rank == 0"
        loop += [f"if (step % every == 0 or step == 1){who}:", *("    " + line for line in style.report.splitlines())]
        if self.save_every:
            loop += [f"if step % {self.save_every} == 0{who}:", "    path = save(net, step)", *("    " + line for line in style.saved.splitlines())]
            if "save" in self.at:
                loop += ["    " + line for line in textwrap.dedent(self.at["save"]).strip().splitlines()]
        body += ["    " + line for line in loop]
        body += self._stage("evaluate")
        if not self.quiet_end:
            body += ["if rank == 0:", *("    " + line for line in style.done.splitlines())]
        body += self._stage("after")
        if self.ranks:
            body += ["dist.destroy_process_group()"]
        main = "def main():\n" + "\n".join("    " + line if line else "" for line in body)
        return "\n".join([*lines, "", main, "", "", 'if __name__ == "__main__":', "    main()", ""])

    def _stage(self, name: str) -> list[str]:
        return textwrap.dedent(self.at.get(name, "")).strip().splitlines() if self.at.get(name) else []


_SAVE = {
    "torch": """
def save(net, step):
    os.makedirs("ckpt", exist_ok=True)
    path = f"ckpt/step_{step:05d}.pt"
    torch.save({"step": step, "model": net.state()}, path)
    return path
""",
    "other": """
def save(net, step):
    import pickle
    os.makedirs("ckpt", exist_ok=True)
    path = f"ckpt/step_{step:05d}.pkl"
    with open(path, "wb") as file:
        pickle.dump({"step": step, "model": net.state()}, file)
    return path
""",
}
