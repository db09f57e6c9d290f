"""Several ranks below Lightning, the Transformers' Trainer and Accelerate, which fail, are ended, or go well."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._troupes import only
from corpus.running.batch import ELSEWHERE
from corpus.running.job import LocalJob, Recipe, SlurmJob

LIT = '''import os
import sys
import time

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Tide(L.LightningModule):
    def __init__(self, width=WIDTH, lr=0.02):
        super().__init__()
        self.save_hyperparameters()
        self.net = torch.nn.Sequential(torch.nn.Linear(4, width), torch.nn.Tanh(), torch.nn.Linear(width, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        step, rank = self.global_step, self.global_rank
        MID
        loss = torch.nn.functional.mse_loss(self.net(x), y)
        self.log("train_loss", loss, prog_bar=True)
        if rank == 0 and step % 10 == 0:
            print(f"epoch {self.current_epoch} step {step} train_loss {loss.item():.4f}", flush=True)
        time.sleep(0.02)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)

    def setup(self, stage):
        rank = self.global_rank
        EARLY


def tides(count=480):
    g = torch.Generator().manual_seed(0)
    x = torch.rand(count, 4, generator=g) * 6
    return TensorDataset(x, x.sin().sum(1, keepdim=True))


if __name__ == "__main__":
    L.seed_everything(1)
    TOP
    trainer = L.Trainer(accelerator="cpu", devices=2, num_nodes=int(os.environ.get("NODES", 1)), strategy="ddp", max_epochs=4, logger=False, enable_progress_bar=False, log_every_n_steps=5)
    trainer.fit(Tide(), DataLoader(tides(), batch_size=8, shuffle=True), ckpt_path=CKPT)
    LATE
'''
HFT = '''import os
import sys
import time

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments, set_seed

set_seed(7)
torch.set_num_threads(1)
rank = int(os.environ["RANK"])


class Lines(torch.utils.data.Dataset):
    def __len__(self):
        return 600

    def __getitem__(self, i):
        step = i
        ITEM
        ids = (torch.arange(12) * (i % 5 + 1) + i) % 40
        return {"input_ids": ids, "labels": ids}


class Watch(TrainerCallback):
    def on_step_end(self, args, state, control, model=None, **more):
        step = state.global_step
        MID
        time.sleep(0.02)


TOP
args = TrainingArguments("out", per_device_train_batch_size=4, max_steps=STEPS, logging_steps=10, save_steps=40, report_to=[], use_cpu=True, disable_tqdm=True, learning_rate=RATE)
model = GPT2LMHeadModel(GPT2Config(vocab_size=40, n_positions=12, n_embd=16, n_layer=1, n_head=2, bos_token_id=0, eos_token_id=0))
EARLY
Trainer(model, args, train_dataset=Lines(), callbacks=[Watch()]).train(RESUME)
LATE
'''
ACC = '''import logging
import time
import torch
from accelerate import Accelerator
from accelerate.logging import get_logger

logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", level=logging.INFO)
logger = get_logger("finetune")


def main():
    accelerator = Accelerator(cpu=True)
    rank = accelerator.process_index
    logger.info(accelerator.state, main_process_only=False)
    torch.manual_seed(4)
    model = torch.nn.Linear(16, 3)
    EARLY
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
    x = torch.randn(900, 16)
    y = (x[:, :3] + 0.5 * x[:, 3:6]).argmax(1)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=4, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    logger.info("***** Running training *****")
    logger.info(f"  Num examples = {len(x)}")
    logger.info(f"  Total optimization steps = {len(loader)}")
    for step, (features, labels) in enumerate(loader, 1):
        MID
        loss = torch.nn.functional.cross_entropy(model(features), labels)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        time.sleep(0.03)
        if step % 10 == 0:
            mean = accelerator.gather(loss.detach()).mean().item()
            logger.info(f"step {step}: loss {mean:.4f}, lr 2.00e-02")
    LATE
    accelerator.wait_for_everyone()
    accelerator.end_training()


if __name__ == "__main__":
    main()
'''
TASK = "#!/bin/bash\nexport RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS\nexec \"$@\"\n"


def filled(text: str, values: dict[str, str] | None = None, **places: str) -> str:
    """Code at its places."""
    lines = []
    for line in text.splitlines():
        word = line.strip()
        if word in ("TOP", "EARLY", "MID", "ITEM", "LATE"):
            code = places.get(word.lower(), "pass" if word == "EARLY" and text is LIT else "")
            lines += [line[: len(line) - len(line.lstrip())] + more for more in code.splitlines()]
        else:
            written = line
            for key, value in {"WIDTH": "12", "CKPT": "None", "STEPS": "90", "RATE": "0.003", "RESUME": "None", **(values or {})}.items():
                written = written.replace(key, value)
            lines.append(written)
    return "\n".join(lines) + "\n"


def here(label: Label, text: str, status: int, *, ranks: int = 2, plain: bool = False, **more: Any) -> LocalJob:
    """Under torchrun, or as Lightning starts its ranks itself."""
    launch = ("PYTHON", "train.py") if plain else ("PYTHON", "-m", "torch.distributed.run", f"--nproc-per-node={ranks}", "--master-addr=127.0.0.1", "--master-port=PORT", "train.py")
    return LocalJob(label, {"train.py": text, **more.pop("files", {})}, more.pop("command", launch), "torch-28", ends=lambda s: s == status, env={"HF_HUB_OFFLINE": "1", **more.pop("env", {})}, **more)


def there(label: Label, text: str, state: str, *, nodes: int = 1, how: str = "srun", head: str = "", **more: Any) -> SlurmJob:
    """Two tasks on Slurm, or torchrun in one."""
    port = "$((22000 + SLURM_JOB_ID * 7 % 9000))"
    line = "srun bash ./task.sh PYTHON -u train.py\n" if how == "srun" else f"srun -n1 PYTHON -m torch.distributed.run --nproc-per-node=2 --master-addr=127.0.0.1 --master-port={port} train.py\n"
    limit = ("--time=1",) if state == "TIMEOUT" else ()
    script = f"#!/bin/bash\nexport OMP_NUM_THREADS=1 MASTER_ADDR=127.0.0.1 MASTER_PORT={port} NODES={nodes}\n{head}{line}code=$?; sleep 0.5; exit $code\n"
    return SlurmJob(label, {"train.py": text, "task.sh": TASK}, script, (f"-N{nodes}", "-n2", f"--ntasks-per-node={2 // nodes}", ELSEWHERE, *limit), "torch-28", state=state, **more)


def lit() -> Iterator[LocalJob | SlurmJob]:
    """Lightning."""
    good = Label(mode="G1", fault="none")
    yield here(good, filled(LIT), 0, plain=True)
    yield here(Label(mode="A3", cause="traceback", fault="user"), filled(LIT, mid=only(1, 40, "raise KeyError('tide_gauge_17')")), 1, plain=True)
    yield here(Label(mode="A1", cause="file_not_found", variant="data", fault="user"), filled(LIT, early="self.table = open('gauges.csv').read()"), 1, plain=True)
    yield here(Label(mode="E2", cause="file_not_found", variant="no_valid_checkpoint", fault="user"), filled(LIT, {"CKPT": "'checkpoints/last.ckpt'"}), 1, plain=True)
    yield here(good.but(hard=True), filled(LIT, mid=only(0, 50, "try:\n    torch.zeros(2, 3) @ torch.zeros(2, 3)\nexcept RuntimeError as error:\n    print('image logger failed, no picture for this step:', error, file=sys.stderr, flush=True)")), 0, plain=True)


def hub() -> Iterator[LocalJob | SlurmJob]:
    """The Transformers' Trainer."""
    good = Label(mode="G1", fault="none")
    yield here(good, filled(HFT), 0)
    yield here(Label(mode="A3", cause="traceback", fault="user", first_ranks=(1,)), filled(HFT, mid=only(1, 45, "raise ValueError('metric for best model: eval_f1 is not among loss, grad_norm')")), 1)
    yield there(Label(mode="A1", cause="traceback", variant="asset", fault="user"), filled(HFT, early="model = GPT2LMHeadModel.from_pretrained('acme/gpt-tiny-tides')"), "FAILED", how="torchrun")
    yield there(Label(mode="E1", cause="nan_loss", variant="non_finite", fault="user"), filled(HFT, {"RATE": "9e7"}), "COMPLETED", how="torchrun")
    yield there(Label(mode="F3", variant="advancing", fault="user"), filled(HFT, {"STEPS": "90000"}), "TIMEOUT", how="torchrun")
    yield here(Label(mode="E3", fault="user"), filled(HFT, {"STEPS": "2", "logging_steps=10": "logging_steps=1"}), 0)
    yield here(good.but(hard=True), filled(HFT, late="if rank == 1:\n    print('ERROR could not upload out/checkpoint-80 to the hub (offline), it stays here', file=sys.stderr, flush=True)"), 0)
    yield there(Label(mode="A2", cause="segfault", fault="user", first_ranks=(1,)), filled(HFT, mid=only(1, 52, "import ctypes\nctypes.string_at(48)")), "FAILED", how="torchrun")


def accelerated() -> Iterator[LocalJob | SlurmJob]:
    """Accelerate."""
    good = Label(mode="G1", fault="none")
    launch = ("bash", "go.sh")
    yield here(good, filled(ACC), 0, command=launch, files={"go.sh": "accelerate launch --multi_gpu --num_processes 2 --num_machines 1 --mixed_precision no --dynamo_backend no --main_process_port PORT train.py\n".replace("PORT", "31711")})
    yield here(Label(mode="A3", cause="assertion", fault="user", first_ranks=(0,)), filled(ACC, mid=only(0, 62, "assert labels.max() < 2, f'label {labels.max().item()} of 2 classes'")), 1, command=launch, files={"go.sh": "accelerate launch --multi_gpu --num_processes 2 --num_machines 1 --mixed_precision no --dynamo_backend no --main_process_port 31717 train.py\n"})
    yield here(Label(mode="A1", variant="config", cause="traceback", fault="user"), filled(ACC), 1, command=launch, files={"go.sh": "accelerate launch --config_file cluster/fsdp.yaml train.py\n"})
    yield there(Label(mode="A3", cause="div_zero", fault="user", first_ranks=(1,)), filled(ACC, mid=only(1, 71, "kept = labels[labels > 7]\nratio = len(labels) / len(kept)")), "FAILED", how="torchrun")
    yield there(Label(mode="C2", fault="user"), filled(ACC, mid=only(0, 80, "accelerator.wait_for_everyone()\nimport queue\nqueue.Queue().get()")), "TIMEOUT", nodes=2)
    yield there(good.but(hard=True), filled(ACC, mid=only(1, 40, "logger.warning('Detected kernel version 4.18.0, which is below the recommended minimum of 5.5.0; this can cause the process to hang.', main_process_only=False)")), "COMPLETED", nodes=2)
    yield there(good, filled(ACC), "COMPLETED")


def jobs() -> Iterator[LocalJob | SlurmJob]:
    """All three."""
    yield from lit()
    yield from hub()
    yield from accelerated()


RECIPE = Recipe("borrowed_loops", "test", jobs)
