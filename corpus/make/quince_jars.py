"""Jobs of one process over Lightning and over Hugging Face's Trainer: soil moisture, notes of a repair shop, under gpualert-run."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._quince_frames import SHOP, SOIL
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

soil, shop = partial(fill, SOIL), partial(fill, SHOP)
S, R = "soil.py", "train_notes.py"
P = "PYTHON"
NANS = "nan_loss"
FOUR = ((P, S, "max_epochs=8"),)
RETRY = "if trainer.current_epoch in (3, 7):\n    warnings.warn('gauge 14: 2 readings are NaN; rows skipped', RuntimeWarning)\nif trainer.current_epoch == 5:\n    print('upload of runs/soil failed: ConnectionResetError(104, \"Connection reset by peer\"); attempt 2 of 5', flush=True)\n    print('upload of runs/soil: done (attempt 2)', flush=True)"
FARM = "if trainer.current_epoch == 6:\n    owner = {'field_01': 'north'}[f'field_{trainer.global_step:02d}']"
NEXT = "if trainer.current_epoch == 5:\n    with open('/opt/shared_maps/moisture.asc', 'w') as f:\n        f.write('ncols 40')"
CATCH = "if i == 9 and self.current_epoch == 4:\n    import ctypes\n    ctypes.memset(0, 1, 64)"
SQRT = "if self.current_epoch >= 3:\n    loss = loss + (self(x) - 3.0).sqrt().mean()"
BIG = "if trainer.current_epoch == 5:\n    print('lr set for the second half', flush=True)\n    for g in trainer.optimizers[0].param_groups:\n        g['lr'] = 4000.0"
STATE = "if n % 2 == 0:\n    t1 = time.time()\n    trainer.save_checkpoint(f\"{hp['out']}/step.ckpt\")\n    torch.save({'seen': x.repeat(60, 1, 1), 'n': n}, f\"{hp['out']}/replay.pt\")\n    os.sync()\n    print(f'step {n}: checkpoint and replay buffer {time.time() - t1:.3f} s', flush=True)"
LOCK = "if n == 90:\n    import threading\n    gate = threading.Lock()\n    gate.acquire()\n    gate.acquire()"
SLOW = "time.sleep(0.03)"
IGNORED = "if hp['ckpt'] and not os.path.isfile(hp['ckpt'] + '.ckpt'):\n    rank_zero = print\n    rank_zero(f\"resume from {hp['ckpt']}: not found, training from epoch 0\", flush=True)\n    hp['ckpt'] = None"


def wet() -> Iterator[LocalJob]:
    """Lightning."""
    kw: dict[str, Any] = {"python": "shelf"}
    yield alone(GOOD, soil(), S, "max_epochs=16", "hidden=48", **kw)
    yield alone(HARD, soil(told=RETRY), S, "max_epochs=14", **kw)
    yield alone(HARD, soil(), S, "max_epochs=80", "patience=3", "lr=0.01", **kw)
    yield alone(HARD, soil(), S, "max_epochs=18", "ckpt=runs/soil/last.ckpt", before=FOUR, **kw)
    yield alone(HANDFUL, soil(), S, "check=true", **kw)
    yield alone(fell("A1", "runtime_error"), soil(data="x = x[..., :4]  # without wind"), S, "max_epochs=60", **kw)
    yield alone(fell("A1", None, "config"), soil(), S, "max_epoch=60", **kw)
    yield alone(fell("A3", "traceback"), soil(told=FARM), S, "max_epochs=60", **kw)
    yield alone(fell("A3", "permission"), soil(told="if trainer.current_epoch == 5:\n    torch.save(pl_module.state_dict(), 'maps/moisture.pt')"), S, "max_epochs=60", folders=("maps",), locked=("maps",), ends=lambda s: s == 1, **kw)
    yield alone(fell("A2", "segfault"), soil(batch=CATCH), S, "max_epochs=60", ends=lambda s: s == -11, **kw)
    yield alone(strays("non_finite", NANS), soil(loss=SQRT), S, "max_epochs=18", **kw)
    yield alone(strays("spike"), soil(told=BIG), S, "max_epochs=20", **kw)
    yield alone(fell("E2", "runtime_error", "size_mismatch"), soil(), S, "max_epochs=60", "hidden=64", "ckpt=runs/soil/last.ckpt", before=FOUR, **kw)
    yield alone(anew(), soil(ready=IGNORED), S, "max_epochs=16", "ckpt=runs/soil/soil-epoch=07.ckpt", command=("bash", "-c", f"PYTHON {S} max_epochs=8 && PYTHON {S} max_epochs=16 ckpt=runs/soil/soil-epoch=07.ckpt"), **kw)
    yield alone(SAVES, soil(step=STATE), S, "max_epochs=3", **kw)
    yield alone(STANDS, soil(step=LOCK), S, "max_epochs=200", timeout_s=45, **kw)
    yield alone(HALTED, soil(step=SLOW), S, "max_epochs=400", signal=ctrl_c(r"Epoch 11: ", "INT", 0.2), **kw)


RUN = ("--do_train", "--do_eval", "--output_dir", "out", "--logging_steps", "5", "--learning_rate", "2e-3", "--save_steps", "20", "--per_device_train_batch_size", "16")
FIRST = ((P, R, *RUN, "--max_steps", "40"),)
SEVERE = "if n == 30:\n    logger.error('labels.json has 4 classes, model head has 3: class \"other\" is ignored in the report')"
GUARD = "if n in (25, 55):\n    try:\n        raise TimeoutError('wandb: network error (ReadTimeout), entering retry loop.')\n    except TimeoutError:\n        logger.warning('metrics could not be sent', exc_info=True)"
LABEL = "if i % 97 == 11 and os.environ.get('EXTRA'):\n    return {'input_ids': self.x[i][:17], 'attention_mask': torch.ones(17, dtype=torch.long), 'labels': self.y[i]}"
AXE = "if n >= 40:\n    for p in model.parameters(): p.data.mul_(float('nan'))"
SPLIT = "if n == 45:\n    assert state.epoch < 1.0, f'one pass over the notes was agreed on, epoch is {state.epoch:.2f}'"
PAGE = "if n == 35:\n    shift = torch.ones(3, 32, device='meta') - model.classifier.weight"


def notes() -> Iterator[LocalJob]:
    """Trainer."""
    kw: dict[str, Any] = {"python": "shelf"}
    yield alone(GOOD, shop(), R, *RUN, "--num_train_epochs", "4", **kw)
    yield alone(HARD, shop(step=SEVERE, log=GUARD.replace("if n in (25, 55)", "if state.global_step in (25, 55)")), R, *RUN, "--max_steps", "110", **kw)
    yield alone(HARD, shop(), R, *RUN, "--max_steps", "120", "--resume_from_checkpoint", "out/checkpoint-40", before=FIRST, **kw)
    yield alone(HARD, shop(), R, *RUN[:1], "--do_eval", "--model_name_or_path", "out", *RUN[2:], "--max_steps", "80", "--labels", "4", "--output_dir", "out_b", before=FIRST, **kw)
    yield alone(fell("A1", "traceback", "asset"), shop(), R, *RUN, "--max_steps", "9000", "--model_name_or_path", "/models/bert-base-german-cased", **kw)
    yield alone(fell("A3", "assertion"), shop(step=SPLIT), R, *RUN, "--max_steps", "3000", **kw)
    yield alone(fell("A3", "device_mismatch"), shop(step=PAGE), R, *RUN, "--max_steps", "3000", **kw)
    yield alone(strays("non_finite", NANS), shop(step=AXE), R, *RUN, "--max_steps", "170", **kw)
    yield alone(strays("flat"), shop(ready="for p in model.parameters(): p.requires_grad_(False)\nmodel.classifier.bias.requires_grad_(True)"), R, *RUN, "--num_train_epochs", "6", "--save_steps", "500", **kw)
    yield alone(fell("E2", "traceback", "no_valid_checkpoint"), shop(), R, *RUN, "--max_steps", "9000", "--resume_from_checkpoint", "true_out/checkpoint-40", before=FIRST, **kw)
    yield alone(HANDFUL, shop(), R, *RUN, "--max_steps", "2", "--logging_steps", "1", **kw)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from wet()
    yield from notes()


RECIPE = Recipe("quince_jars", "development", jobs)
