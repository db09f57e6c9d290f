"""Ways in which training programs tell of their progress. ``loss`` and ``step`` are in scope, ``total`` is what is planned."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """``report`` is one progress line's code, ``saved`` that of a checkpoint at ``path``, ``done`` that of the end."""

    report: str
    saved: str
    done: str
    imports: str = ""
    setup: str = ""
    begin: str = ""
    needs: str = ""


STYLES = {
    "plain": Style(
        'print(f"step {step}/{total} loss {loss:.4f} lr {0.0003:.1e}", flush=True)',
        'print(f"saved checkpoint to {path}", flush=True)',
        'print("training finished", flush=True)',
    ),
    "epochs": Style(
        'print(f"Epoch [{1 + step // 40}/{1 + total // 40}], Step [{step}/{total}], Loss: {loss:.4f}", flush=True)',
        'print(f"Model saved to {path}", flush=True)',
        'print("Finished Training", flush=True)',
    ),
    "logging": Style(
        'log.info("epoch=%d step=%d/%d loss=%.5f lr=%.2e", step // 50, step, total, loss, 1e-4)',
        'log.info("Saving checkpoint to %s", path)',
        'log.info("Training completed after %d steps", total)',
        "import logging",
        'logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")\nlog = logging.getLogger("trainer")',
    ),
    "rank_logging": Style(
        'log.info(f"iter {step} | loss {loss:.3f} | {12.5 + step % 3:.1f} ms/iter")',
        'log.info(f"checkpoint written: {path}")',
        'log.info("done training")',
        "import logging",
        "logging.basicConfig(level=logging.INFO, stream=sys.stdout, format=f\"[rank{os.environ.get('RANK', 0)}] %(asctime)s [%(levelname)s] %(message)s\")\n"
        "log = logging.getLogger()",
    ),
    "json": Style(
        'print(dumps({"step": step, "loss": round(loss, 5), "lr": 0.0003, "epoch": round(step / 40, 2)}), flush=True)',
        'print(dumps({"event": "checkpoint", "path": path}), flush=True)',
        'print(dumps({"event": "end", "steps": total}), flush=True)',
        "from json import dumps",
    ),
    "nano": Style(
        'print(f"iter {step}: loss {loss:.4f}, time {13.7 + step % 5:.2f}ms, mfu {1.5:.2f}%", flush=True)',
        'print(f"saving checkpoint to {os.path.dirname(path)}", flush=True)',
        'print(f"step {total}: train loss {loss:.4f}, val loss {loss * 1.05:.4f}", flush=True)',
    ),
    "dict": Style(
        "print({'loss': round(loss, 4), 'grad_norm': round(1 + loss / 3, 4), 'learning_rate': 5e-05 * (1 - step / total), 'epoch': round(step / 50, 2)}, flush=True)",
        'print(f"Saving model checkpoint to {path}", flush=True)',
        "print({'train_runtime': 12.3, 'train_samples_per_second': 91.1, 'train_loss': round(loss, 4), 'epoch': 3.0}, flush=True)",
    ),
    "bar": Style(
        'sys.stderr.write(f"\\rtrain: {100 * step // total:3d}%|{chr(9608) * (10 * step // total):<10}| {step}/{total} [00:{step % 60:02d}<00:10, 9.8it/s, loss={loss:.3f}]")\nsys.stderr.flush()',
        'sys.stderr.write(f"\\nsaved {path}\\n")',
        'sys.stderr.write("\\n")\nprint("All done.", flush=True)',
    ),
    "tqdm": Style(
        'bar.update(every)\nbar.set_postfix(loss=f"{loss:.3f}")',
        'tqdm.write(f"=> saved {path}")',
        'bar.close()\nprint("finished", flush=True)',
        "from tqdm import tqdm",
        begin="bar = tqdm(total=total, mininterval=0.0)",
        needs="tqdm",
    ),
    "loguru": Style(
        'logger.info("step {} of {}: train_loss={:.4f}", step, total, loss)',
        'logger.success("checkpoint {} written", path)',
        'logger.success("training done")',
        "from loguru import logger",
        needs="loguru",
    ),
    "table": Style(
        'print(f"{step:>8d} {loss:>12.6f} {0.9 - loss / 100:>8.3f} {0.0005:>10.2e}", flush=True)',
        'print(f"# wrote {path}", flush=True)',
        'print("# end", flush=True)',
        begin='print("    step         loss      acc         lr", flush=True)',
    ),
    "lists": Style(
        'print(f"[{step:04d}] train/loss: {loss:.5f} | train/lr: {1e-3:.1e} | samples/s: {512 + step % 7}", flush=True)',
        'print(f"[{step:04d}] saved state: {path}", flush=True)',
        'print("run finished", flush=True)',
    ),
    "wandbish": Style(
        'print(f"Train Epoch: {1 + step // 60} [{step * 16}/{total * 16} ({100 * step / total:.0f}%)]\\tLoss: {loss:.6f}", flush=True)',
        'print(f"Checkpoint saved: {path}", flush=True)',
        'print(f"\\nTest set: Average loss: {loss:.4f}, Accuracy: 9312/10000 (93%)\\n", flush=True)',
    ),
    "silent": Style("pass", "pass", "pass"),
}
"""By name."""
