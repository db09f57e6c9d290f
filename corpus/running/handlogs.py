"""Pieces of handwritten logs: training output with times, tracebacks, in the words that the reference tables give for each version."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from corpus.running.hand import falling

Lines = list[tuple[float, str]]
LINE: tuple[Callable[[int, int, float], str], ...] = (
    lambda i, n, x: f"step {i}/{n} loss {x:.4f} lr 2.0e-04",
    lambda i, n, x: f"{{'loss': {x:.4f}, 'grad_norm': {0.6 + x / 4:.4f}, 'learning_rate': {5e-5 * (1 - i / n):.3e}, 'epoch': {3 * i / n:.2f}}}",
    lambda i, n, x: f"2026-11-18 09:{i // 60 % 60:02d}:{i % 60:02d},118 INFO trainer: iteration {i} of {n}, train_loss={x:.5f}, tokens/s=48213",
    lambda i, n, x: f" iteration {i:8d}/{n:8d} | consumed samples: {i * 512:12d} | elapsed time per iteration (ms): 1411.8 | learning rate: 1.500E-04 | global batch size:   512 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: 0.913 | number of skipped iterations:   0 | number of nan iterations:   0 |",
    lambda i, n, x: f"Epoch {1 + 3 * i // n}/3 - batch {i}/{n} - loss: {x:.4f} - acc: {1 - x / 5:.3f}",
    lambda i, _n, x: f"[{i:06d}] loss={x:.4f} | ppl={2.718 ** x:.2f} | 312 ms",
)


def training(steps: int, *, planned: int | None = None, first_s: float = 30, every_s: float = 2.0, form: int = 0, each: int = 10, loss: Callable[[int], float] | None = None) -> Lines:
    """Progress lines of ``steps`` steps: (seconds, line)."""
    planned = planned or steps
    curve = loss or falling(planned)
    return [(first_s + i * every_s, LINE[form % len(LINE)](i, planned, curve(i))) for i in range(each, steps + 1, each)]


def trace(frames: Sequence[tuple[str, int, str, str]], error: str, *, prefix: str = "") -> str:
    """A traceback: frames are (file, line, function, source)."""
    rows = ["Traceback (most recent call last):"]
    for file, line, function, source in frames:
        rows += [f'  File "{file}", line {line}, in {function}', f"    {source}"]
    return "\n".join(prefix + row for row in [*rows, *error.split("\n")])


SITE = "/home/alice/miniconda3/envs/train/lib/python3.10/site-packages"


def through(site: str, *, script: str = "/home/alice/llm/train.py", line: int = 211, call: str = "outputs = model(**batch)") -> list[tuple[str, int, str, str]]:
    """Frames from the script down into a library."""
    frames = [(script, line + 88, "<module>", "main()"), (script, line, "main", call)]
    if site:
        frames += [(f"{SITE}/torch/nn/modules/module.py", 1739, "_wrapped_call_impl", "return self._call_impl(*args, **kwargs)"), (f"{SITE}/{site}", 402, "forward", "hidden_states = self.mlp(hidden_states)")]
    return frames
