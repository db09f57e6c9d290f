"""accelerate launch, one process on the CPU."""

# /// runs
# env = "new"
# launch = ["accelerate", "launch", "--cpu", "--num_processes=1", "--num_machines=1", "--main_process_port=PORT", "--mixed_precision=no", "--dynamo_backend=no"]
# steady = false
# [[run]]
# log = "accelerate-1.15/01"
# what = "to the end, with a saved state"
# args = ["1"]
# words = ["progress", "checkpoint_saved"]
# absent = ["exception"]
# [[run]]
# log = "accelerate-1.15/02"
# what = "the program raises"
# args = ["2"]
# ends = 1
# words = ["progress"]
# root = {type = "ValueError"}
# [[run]]
# log = "accelerate-1.15/03"
# what = "a saved state that is not there"
# args = ["3"]
# ends = 1
# root = {detail = "no_valid_checkpoint"}
# [[run]]
# log = "accelerate-1.15/04"
# what = "no batch size fits: host memory is refused at all of them"
# launch = ["python"]
# args = ["4"]
# memory_mib = 6000
# ends = 1
# root = {type = "RuntimeError", detail = "no_batch_size"}
# [[run]]
# log = "accelerate-1.15/05"
# what = "a batch size fits in the end"
# launch = ["python"]
# args = ["5"]
# memory_mib = 6000
# words = ["progress"]
# absent = ["exception"]
# [[run]]
# log = "accelerate-1.15/06"
# what = "goes on from a saved state, with INFO messages"
# launch = ["python"]
# before = [["6"]]
# args = ["7"]
# words = ["checkpoint_loaded", "progress"]
# [[run]]
# log = "accelerate-1.15/07"
# what = "an option that the launcher does not have"
# launch = ["accelerate", "launch", "--cpu", "--num_procs=2"]
# args = ["1"]
# ends = 2
# root = {says = "usage", detail = "bad_option"}
# [[run]]
# log = "accelerate-1.15/08"
# what = "one process leaves with status 5 "
# launch = ["accelerate", "launch", "--cpu", "--num_processes=1", "--num_machines=1", "--mixed_precision=no", "--dynamo_backend=no"]
# args = ["8"]
# ends = 1
# words = ["progress", "failure_summary"]
# [[run]]
# log = "accelerate-0.25/01"
# what = "a saved state that is not there"
# env = "old"
# launch = ["python"]
# args = ["3"]
# ends = 1
# root = {detail = "no_valid_checkpoint"}
# [[run]]
# log = "accelerate-0.25/02"
# what = "no batch size fits: host memory is refused at all of them"
# env = "old"
# launch = ["python"]
# args = ["4"]
# memory_mib = 12000
# ends = 1
# root = {type = "RuntimeError", detail = "no_batch_size"}
# ///

import logging
import sys

import torch
from accelerate import Accelerator
from accelerate.utils import find_executable_batch_size
from progress_notes import note

part = sys.argv[-1]
if part in {"1", "6", "7"}:
    logging.basicConfig(level=logging.INFO)


def main():
    accelerator = Accelerator(cpu=True)
    torch.manual_seed(0)
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    model, optimizer = accelerator.prepare(model, optimizer)
    if part in {"3", "7"}:
        accelerator.load_state("state")

    def fit(batch_size):
        if part == "4" or (part == "5" and batch_size > 16):
            torch.zeros(64 * 1024**3, dtype=torch.uint8)
        for step in range(1, 13):
            x = torch.randn(batch_size, 8)
            loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            accelerator.print(f"step {step}: loss {loss.item():.4f}")
            if accelerator.is_main_process:
                note(step=step, loss=loss.item())
            if part == "2" and step == 6:
                raise ValueError("could not broadcast input array from shape (7,) into shape (8,)")
            if part == "8" and step == 6:
                sys.exit(5)

    if part in {"4", "5"}:
        find_executable_batch_size(fit, starting_batch_size=64)()
    else:
        fit(16)
    if part in {"1", "6"}:
        accelerator.save_state("state")


if __name__ == "__main__":
    main()
