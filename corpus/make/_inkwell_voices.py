"""How programs of many houses tell of a step: trainers of speech, text, pictures, molecules, weather, games and tables, in several tongues."""

from __future__ import annotations

import math
from datetime import datetime

from corpus.make._inkwell import Voice


def hours(s: float) -> str:
    """As h:mm:ss."""
    return f"{int(s) // 3600}:{int(s) // 60 % 60:02d}:{int(s) % 60:02d}"


def k2(steps_an_epoch: int = 4000) -> Voice:
    """Of a transducer recipe."""
    def line(i: int, _n: int, x: float, _s: float, d: datetime) -> str:
        return (f"{d:%Y-%m-%d %H:%M:%S},{d.microsecond // 1000:03d} INFO [train.py:1034] (<local>/8) Epoch {1 + i // steps_an_epoch}, batch {i % steps_an_epoch}, loss[loss={x:.4f}, simple_loss={x * 1.08:.4f}, "
                f"pruned_loss={x * 0.93:.4f}, over 41213.00 frames. ], tot_loss[loss={x * 1.02:.4f}, over 8203417.21 frames. ], batch size: {180 + i % 37}, lr: {0.045 / (1 + i / 3000) ** 0.5:.2e}, grad_scale: 32.0")  # fmt: skip
    return line


def nn_unet(i: int, _n: int, x: float, s: float, d: datetime) -> str:
    """Of segmenters of organs."""
    t = f"{d:%Y-%m-%d %H:%M:%S.%f}"
    return f"{t}:  \n{t}: Epoch {i - 1}\n{t}: train_loss {-1 + x:.4f}\n{t}: val_loss {-1 + x * 1.07:.4f}\n{t}: Pseudo dice [{max(0, 0.98 - x * 0.6):.4f}, {max(0, 0.93 - x * 0.7):.4f}]\n{t}: Epoch time: {s:.2f} s"


def mace(i: int, _n: int, x: float, _s: float, d: datetime) -> str:
    """Of potentials of molecules."""
    return f"{d:%Y-%m-%d %H:%M:%S}.{d.microsecond // 1000:03d} INFO: Epoch {i}: head: default, loss={x:.8f}, RMSE_E_per_atom={9 * x:8.2f} meV, RMSE_F={61 * x:8.2f} meV / A"


def deepmd(i: int, _n: int, x: float, s: float, d: datetime) -> str:
    """Another of them."""
    return f"[{d:%Y-%m-%d %H:%M:%S},{d.microsecond // 1000:03d}] DEEPMD INFO    batch {i:7d}: trn: rmse = {x:.2e}, rmse_e = {x / 31:.2e}, rmse_f = {x / 4:.2e}, lr = {1e-3 * 0.95 ** (i / 5000):.2e}\n[{d:%Y-%m-%d %H:%M:%S},{d.microsecond // 1000:03d}] DEEPMD INFO    batch {i:7d}: total wall time = {100 * s:.2f} s"


def legged(i: int, n: int, x: float, s: float, _d: datetime) -> str:
    """Of walkers on many legs."""
    rows = [("Computation:", f"{int(98304 / s)} steps/s (collection: {0.7 * s:.3f}s, learning {0.3 * s:.3f}s)"), ("Value function loss:", f"{x / 20:.4f}"), ("Surrogate loss:", f"{-0.004 - 0.001 * (i % 3):.4f}"),
            ("Mean action noise std:", f"{0.4 + x / 9:.2f}"), ("Mean reward:", f"{28 - 6 * x:.2f}"), ("Mean episode length:", f"{max(40, 990 - 190 * x):.2f}")]  # fmt: skip
    return "\n".join(["#" * 60, f"Learning iteration {i}/{n}".center(60), "", *(f"{a:>32} {b}" for a, b in rows), "-" * 60])


def cleanrl(i: int, _n: int, x: float, s: float, _d: datetime) -> str:
    """Of players of games."""
    return f"global_step={i * 1024}, episodic_return={300 - 60 * x:.1f}, SPS: {int(1024 / s)}, vloss={x / 3:.4f}"


def hugectr(i: int, _n: int, x: float, s: float, d: datetime) -> str:
    """Of clicks."""
    return f"[HCTR][{d:%H:%M:%S}.{d.microsecond // 1000:03d}][INFO][RK0][main]: Iter: {i} Time(1000 iters): {1000 * s:.5f}s Loss: {x:.6f} lr:{0.001 * min(1, i / 4000):.6f}"


def kohya(i: int, n: int, x: float, s: float, _d: datetime) -> str:
    """Of small weights on large pictures."""
    return f"steps: {100 * i // n:3d}%|{'█' * (10 * i // n):<10}| {i}/{n} [{hours(i * s)}<{hours((n - i) * s)}, {s:5.2f}s/it, avr_loss={x:.4f}]"


def splat(i: int, n: int, x: float, s: float, _d: datetime) -> str:
    """Of scenes from pictures."""
    return f"loss={x:.3f}| sh degree={min(3, i // 1000)}| : {100 * i // n:3d}%|{'▍' * (8 * i // n):<8}| {i}/{n} [{hours(i * s)}<{hours((n - i) * s)}, {1 / s:.2f}it/s]"


def olmo(i: int, n: int, x: float, s: float, d: datetime) -> str:
    """Of open texts."""
    return (f"{d:%Y-%m-%d %H:%M:%S}.{d.microsecond // 1000:03d}\t<host>:0\tolmo.train:967\tINFO\t[step={i}/{n},epoch=0]\n    optim/total_grad_norm={0.2 + x / 11:.4f}\n    train/CrossEntropyLoss={x:.3f}\n"
            f"    train/Perplexity={math.exp(min(x, 15)):.2f}\n    throughput/device/batches_per_second={1 / s:.4f}\n    optim/learning_rate_group0={3e-4 * min(1, i / 500):.4e}")  # fmt: skip


def nanotron(i: int, n: int, x: float, s: float, d: datetime) -> str:
    """Of texts on many cards."""
    return (f"{d:%m/%d/%Y %H:%M:%S} [INFO|DP=0|PP=0|TP=0|<host>]: iteration: {i} / {n} | consumed_tokens: {i * 1.05:.4g}M | elapsed_time_per_iteration_ms: {1000 * s:.3g} | tokens_per_sec: {1048 / s:.3g}K | "
            f"tokens_per_sec_per_gpu: {131 / s:.3g}K | global_batch_size: 512 | lm_loss: {x:.3g} | lr: {3e-4 * min(1, i / 300):.3g} | model_tflops_per_gpu: {410 / s:.3g} | grad_norm: {0.3 + x / 8:.3g}")  # fmt: skip


def litgpt(i: int, n: int, x: float, s: float, _d: datetime) -> str:
    """Of tuners of open models."""
    return f"Epoch {1 + 3 * i // (n + 1)} | iter {i * 4} step {i} | loss train: {x:.3f}, val: n/a | iter time: {250 * s:.2f} ms (step) remaining time: {hours((n - i) * s)}"


def xgb(i: int, _n: int, x: float, _s: float, _d: datetime) -> str:
    """Of rounds of trees."""
    return f"[{i}]\ttrain-mlogloss:{x:.5f}\tvalid-mlogloss:{x * 1.06 + 0.01:.5f}"


def cat(i: int, n: int, x: float, s: float, _d: datetime) -> str:
    """The same of others."""
    return f"{i}:\tlearn: {x:.7f}\ttest: {x * 1.04:.7f}\tbest: {x * 1.04:.7f} ({i})\ttotal: {i * s:.1f}s\tremaining: {(n - i) * s:.1f}s"


def whisper(i: int, n: int, x: float, _s: float, _d: datetime) -> str:
    """Of a trainer of dictionaries."""
    return f"{{'loss': {x:.4f}, 'grad_norm': {2 + x:.6f}, 'learning_rate': {1e-5 * (1 - i / (n + 1)):.5e}, 'epoch': {5 * i / n:.2f}}}"


def pyg(i: int, _n: int, x: float, s: float, _d: datetime) -> str:
    """Of graphs."""
    return f"Epoch: {i:03d}, Loss: {x:.4f}, Train: {min(0.97, math.exp(-x / 3)):.4f}, Val: {min(0.93, math.exp(-x / 2.6)):.4f}, {s:.2f}s"


def modulus(i: int, _n: int, x: float, s: float, d: datetime) -> str:
    """Of winds and pressures."""
    return f"[{d:%H:%M:%S} - train - INFO] Epoch {1 + i // 500} Mini-batch {i % 500}: MSE = {x:10.3e}, Learn rate = {5e-4:10.3e}, time/iter: {1000 * s:8.1f}ms"


def megatron(i: int, n: int, x: float, s: float, d: datetime) -> str:
    """Of the largest."""
    return (f" [{d:%Y-%m-%d %H:%M:%S}] iteration {i:8d}/{n:8d} | consumed samples: {i * 1024:12d} | elapsed time per iteration (ms): {1000 * s:.1f} | throughput per GPU (TFLOP/s/GPU): {430 / s:.1f} | "
            f"learning rate: {1.5e-4 * min(1, i / 500):.6E} | global batch size:  1024 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.3 + x / 12:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |")  # fmt: skip


def bar(i: int, n: int, x: float, s: float, _d: datetime) -> str:
    """Of a plain bar."""
    return f"train: {100 * i / n:5.1f}% [{'=' * (20 * i // n):<20}] {i}/{n} loss={x:.4f} {s:.2f}s/it eta {hours((n - i) * s)}"


def logfmt(i: int, n: int, x: float, s: float, d: datetime) -> str:
    """Of pairs."""
    return f't={d:%Y-%m-%dT%H:%M:%SZ} lvl=info msg="optimizer step" step={i} total={n} loss={x:.5f} step_seconds={s:.3f} host=<host>'


def jsonl(i: int, n: int, x: float, s: float, d: datetime) -> str:
    """Of objects."""
    return f'{{"@timestamp": "{d:%Y-%m-%dT%H:%M:%S}.{d.microsecond // 1000:03d}Z", "event": "train_step", "global_step": {i}, "max_steps": {n}, "loss": {x:.6f}, "lr": 0.00018, "sec": {s:.3f}}}'


def tabular(i: int, _n: int, x: float, s: float, d: datetime) -> str:
    """Of a table."""
    return f"| {d:%H:%M:%S} | {i:>8,} | {x:>9.5f} | {math.exp(min(x, 12)):>12.3f} | {s:>7.3f} |"


def maxtext(i: int, _n: int, x: float, s: float, _d: datetime) -> str:
    """Of JAX."""
    return f"completed step: {i}, seconds: {s:.3f}, TFLOP/s/device: {395 / s:.3f}, Tokens/s/device: {16384 / s:.3f}, total_weights: 524288, loss: {x:.3f}"


def scvi(i: int, n: int, x: float, s: float, _d: datetime) -> str:
    """Of cells."""
    return f"Epoch {i}/{n}:  {100 * i // n:3d}%|{'#' * (10 * i // n):<10}| {i}/{n} [{hours(i * s)}<{hours((n - i) * s)}, {s:.2f}s/it, v_num=1, train_loss={300 + 210 * x:.0f}, elbo={312 + 205 * x:.0f}]"


def zhong(i: int, n: int, x: float, s: float, d: datetime) -> str:
    """Of Chinese."""
    return f"[{d:%Y-%m-%d %H:%M:%S}] 训练 迭代={i}/{n} 损失={x:.4f} 学习率=2.0e-04 耗时={s:.2f}秒/步"


def hangul(i: int, n: int, x: float, s: float, d: datetime) -> str:
    """Of Korean."""
    return f"{d:%H:%M:%S} 학습 {i}/{n} 단계 | 손실 {x:.4f} | {s:.2f}초/단계"


def nihongo(i: int, n: int, x: float, s: float, d: datetime) -> str:
    """Of Japanese."""
    return f"{d:%m/%d %H:%M:%S} 学習 {i}/{n} 回 損失 {x:.4f} ({s:.2f} 秒)"


def deutsch(i: int, n: int, x: float, s: float, d: datetime) -> str:
    """Of German."""
    return f"{d:%d.%m.%Y %H:%M:%S} | Schritt {i}/{n} | Verlust {x:.4f} | {s:.2f} s"


def turkce(i: int, n: int, x: float, s: float, d: datetime) -> str:
    """Of Turkish."""
    return f"{d:%H:%M:%S} adım {i}/{n} kayıp={x:.4f} süre={s:.2f}sn"


def portugues(i: int, n: int, x: float, s: float, d: datetime) -> str:
    """Of Portuguese."""
    return f"[{d:%d/%m %H:%M:%S}] época 1, lote {i} de {n}: perda {x:.4f} ({s:.2f} s/lote)"


def francais(i: int, n: int, x: float, s: float, d: datetime) -> str:
    """Of French."""
    return f"{d:%H:%M:%S} :: itération {i} sur {n} :: perte = {x:.4f} :: {s:.2f} s"


def russkij(i: int, n: int, x: float, s: float, d: datetime) -> str:
    """Of Russian."""
    return f"{d:%d.%m %H:%M:%S} итерация {i}/{n}: функция потерь {x:.4f}, {s:.2f} с/итер"


def keras(i: int, n: int, x: float, s: float, _d: datetime) -> str:
    """Of epochs."""
    return f"Epoch {i}/{n}\n782/782 - {s:.0f}s - {1000 * s / 782:.0f}ms/step - accuracy: {min(0.99, math.exp(-x / 2)):.4f} - loss: {x:.4f} - val_accuracy: {min(0.96, math.exp(-x / 1.8)):.4f} - val_loss: {x * 1.05:.4f}"


def ultra(i: int, n: int, x: float, _s: float, _d: datetime) -> str:
    """Of boxes."""
    return f"{f'{i}/{n}':>11}{'11.8G':>11}{0.6 * x:>11.4g}{0.9 * x:>11.4g}{0.5 * x:>11.4g}{23 + i % 61:>11}{640:>11}: 100%|██████████| 462/462\n{'all':>22}{5000:>11}{36335:>11}{min(0.8, 0.9 - x / 6):>11.3g}{min(0.7, 0.8 - x / 6):>11.3g}{min(0.7, 0.75 - x / 6):>11.3g}{min(0.5, 0.55 - x / 7):>11.3g}"


def ds(i: int, _n: int, x: float, s: float, d: datetime) -> str:
    """Of a deep speed."""
    return f"[{d:%Y-%m-%d %H:%M:%S},{d.microsecond // 1000:03d}] [INFO] [logging.py:107:log_dist] [Rank 0] step={i}, skipped=0, lr=[1.9e-05], mom=[(0.9, 0.95)]\n[rank0] step {i} train loss {x:.4f} samples/sec {256 / s:.2f}"


def flat(i: int, n: int, x: float, s: float, _d: datetime) -> str:
    """Of few words."""
    return f"{i}/{n}\t{x:.4f}\t{s:.3f}s"


def syslog(i: int, n: int, x: float, s: float, d: datetime) -> str:
    """Of a system's log."""
    return f"{d:%b %d %H:%M:%S} <host> learner[<pid>]: update {i} of {n}: objective {x:.5f}; {s:.3f} s"


def glog(i: int, _n: int, x: float, s: float, d: datetime) -> str:
    """Of absl."""
    return f"I{d:%m%d %H:%M:%S.%f} <pid> train_loop.py:288] step = {i}, loss = {x:.4f}, steps/sec = {1 / s:.3f}"
