"""DeepSpeed's engine and launcher on the CPU, talking through gloo."""

# /// runs
# env = "new"
# launch = ["deepspeed", "--num_gpus=2", "--master_port=PORT"]
# vars = {DS_ACCELERATOR = "cpu", DS_SKIP_CUDA_CHECK = "1"}
# steady = false
# [[run]]
# log = "deepspeed-0.19/01"
# what = "two ranks, 20 steps and a checkpoint"
# args = ["1"]
# words = ["progress", "checkpoint_saved"]
# absent = ["exception"]
# [[run]]
# log = "deepspeed-0.19/02"
# what = "one rank raises"
# args = ["2"]
# ends = 1
# words = ["progress", "failure_summary"]
# root = {type = "IndexError"}
# [[run]]
# log = "deepspeed-0.19/03"
# what = "one rank is killed"
# args = ["3"]
# ends = 247
# words = ["progress", "failure_summary"]
# [[run]]
# log = "deepspeed-0.19/04"
# what = "batch sizes that do not multiply"
# args = ["4"]
# ends = 1
# root = {type = "AssertionError", detail = "batch_config", about = "config"}
# absent = ["progress"]
# [[run]]
# log = "deepspeed-0.19/05"
# what = "asked to go on from a folder without a checkpoint: it starts from scratch"
# args = ["5"]
# words = ["checkpoint_not_loaded", "progress"]
# [[run]]
# log = "deepspeed-0.19/06"
# what = "goes on from a checkpoint"
# before = [["1"]]
# args = ["5"]
# words = ["checkpoint_loaded", "progress"]
# [[run]]
# log = "deepspeed-0.19/07"
# what = "a configuration file that is not there"
# args = ["6"]
# ends = 1
# root = {about = "config"}
# absent = ["progress"]
# ///

import argparse
import os
import signal

import deepspeed
import torch
from deepspeed.utils.logging import set_log_level_from_string
from progress_notes import note

parser = argparse.ArgumentParser()
parser.add_argument("part")
parser.add_argument("--local_rank", type=int, default=0)
args = parser.parse_args()
part = args.part


def main():
    torch.manual_seed(0)
    if part in {"1", "5"}:
        set_log_level_from_string("info")  # since 0.18 the default hides all but warnings
    config = {
        "train_batch_size": 30 if part == "4" else 16,
        "train_micro_batch_size_per_gpu": 8,
        "gradient_accumulation_steps": 1,
        "steps_per_print": 5,
        "optimizer": {"type": "SGD", "params": {"lr": 0.01}},
        "zero_optimization": {"stage": 0},
    }
    model = torch.nn.Linear(8, 1)
    deepspeed.init_distributed("gloo")
    engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config="ds_config.json" if part == "6" else config)
    if part == "5":
        engine.load_checkpoint("ckpt")
    for step in range(1, 21):
        x = torch.randn(8, 8)
        loss = ((engine(x) - x.sum(1, keepdim=True)) ** 2).mean()
        engine.backward(loss)
        engine.step()
        if engine.global_rank == 0:
            print(f"step {engine.global_steps} loss {loss.item():.4f}")
            note(step=engine.global_steps)
        if step == 7 and engine.global_rank == 1:
            if part == "2":
                order = [0, 1]
                order[step]
            if part == "3":
                os.kill(os.getpid(), signal.SIGKILL)
    if part == "1":
        engine.save_checkpoint("ckpt")


if __name__ == "__main__":
    main()
