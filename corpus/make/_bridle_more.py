"""More programs on PyTorch, of other laboratories."""

from __future__ import annotations

SCORER = '''from __future__ import annotations
import os, sys, time
from dataclasses import dataclass
import torch
from torch import nn, Tensor
#: top

@dataclass
class Cfg:
    rounds: int = @rounds@
    per_round: int = @per@
    width: int = 40
    lr: float = @lr@
    keep_every: int = @keep@
    out: str = "@out@"

    def show(self) -> None:
        for k, v in self.__dict__.items():
            print(f"cfg.{k:<12}= {v}")


class Docking(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.lig, self.rec = nn.Linear(12, width), nn.Linear(30, width)
        self.out = nn.Linear(width, 1)

    def forward(self, lig: Tensor, rec: Tensor) -> Tensor:
        return self.out(torch.tanh(self.lig(lig)) * torch.tanh(self.rec(rec))).squeeze(-1)


def pairs(n: int, g: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    lig, rec = torch.randn(n, 12, generator=g), torch.randn(n, 30, generator=g)
    return lig, rec, -7.0 + lig[:, 0] * rec[:, 0] + 0.5 * lig[:, 1] + 0.3 * torch.randn(n, generator=g)


def run(cfg: Cfg) -> int:
    torch.set_num_threads(1)
    torch.manual_seed(5)
    g = torch.Generator().manual_seed(9)
    net = Docking(cfg.width)
    nn.init.constant_(net.out.bias, -7.0)
    mean_sq = [torch.zeros_like(p) for p in net.parameters()]
    first = 1
    os.makedirs(cfg.out, exist_ok=True)
    #: setup
    for r in range(first, cfg.rounds + 1):
        t, mse = time.perf_counter(), 0.0
        for b in range(cfg.per_round):
            lig, rec, dg = pairs(64, g)
            #: step
            loss = (net(lig, rec) - dg).pow(2).mean()
            net.zero_grad()
            loss.backward()
            with torch.no_grad():  # RMSprop
                for p, v in zip(net.parameters(), mean_sq):
                    v.mul_(0.95).addcmul_(p.grad, p.grad, value=0.05)
                    p.addcdiv_(p.grad, v.sqrt() + 1e-6, value=-cfg.lr)
            mse += loss.item() / cfg.per_round
            time.sleep(@pause@)
        lig, rec, dg = pairs(256, g)
        with torch.no_grad():
            pred = net(lig, rec)
        rho = torch.corrcoef(torch.stack([pred, dg]))[0, 1].item()
        print(f"round {r:>3}/{cfg.rounds}   rmse {mse ** 0.5:6.3f} kcal/mol   pearson {rho:+.3f}   {time.perf_counter() - t:5.1f}s", flush=True)
        #: valid
        if r % cfg.keep_every == 0:
            #: keep
            path = f"{cfg.out}/dock_{r:03d}.pt"
            torch.save({"round": r, "net": net.state_dict(), "mean_sq": mean_sq}, path)
            print(f"          kept {path}", flush=True)
    #: late
    print("done, models in", cfg.out)
    return 0


if __name__ == "__main__":
    cfg = Cfg()
    cfg.show()
    sys.exit(run(cfg))
'''
SCORER_DEFAULTS = {"rounds": 12, "per": 25, "lr": "4e-3", "keep": 4, "out": "kept", "pause": 0.04}
