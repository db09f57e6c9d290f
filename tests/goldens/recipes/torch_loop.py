"""A loop of one's own in plain torch."""

# /// runs
# env = "new"
# [[run]]
# log = "torch-2.13/01"
# what = "two epochs to the end"
# args = ["1"]
# words = ["progress", "checkpoint_saved", "planned_end", "metrics"]
# absent = ["exception"]
# learns = true
# [[run]]
# log = "torch-2.13/02"
# what = "matrices that do not fit, before the first step"
# args = ["2"]
# ends = 1
# root = {type = "RuntimeError", detail = "shapes", about = "config"}
# absent = ["progress"]
# [[run]]
# log = "torch-2.13/03"
# what = "the batch of one step has another shape"
# args = ["3"]
# ends = 1
# words = ["progress"]
# root = {type = "RuntimeError", detail = "shapes"}
# [[run]]
# log = "torch-2.13/04"
# what = "a checkpoint of another architecture"
# before = [["1"]]
# args = ["4"]
# ends = 1
# root = {type = "RuntimeError", detail = "size_mismatch", about = "asset"}
# [[run]]
# log = "torch-2.13/05"
# what = "a checkpoint that was cut"
# before = [["1"], ["cut"]]
# args = ["5"]
# ends = 1
# root = {type = "RuntimeError", detail = "corrupt_checkpoint", about = "asset"}
# [[run]]
# log = "torch-2.13/06"
# what = "a checkpoint that holds a class of the user's, refused by weights_only"
# args = ["6"]
# ends = 1
# root = {type = "_pickle.UnpicklingError", detail = "weights_only", about = "asset"}
# [[run]]
# log = "torch-2.13/07"
# what = "host memory is refused to the CPU allocator"
# args = ["7"]
# memory_mib = 6000
# ends = 1
# words = ["progress"]
# root = {cause = "ram_oom"}
# [[run]]
# log = "torch-2.13/08"
# what = "numpy is refused host memory before the first step"
# args = ["8"]
# memory_mib = 6000
# ends = 1
# root = {cause = "ram_oom"}
# absent = ["progress"]
# [[run]]
# log = "torch-2.13/09"
# what = "an exception in a loader's worker"
# args = ["9"]
# ends = 1
# words = ["progress"]
# root = {type = "ValueError"}
# [[run]]
# log = "torch-2.13/10"
# what = "a loader's worker dies of a segmentation fault"
# args = ["10"]
# ends = 1
# steady = false
# root = {cause = "segfault"}
# words = ["worker_killed"]
# [[run]]
# log = "torch-2.13/11"
# what = "moves the model to a GPU with a build that has no CUDA"
# args = ["11"]
# ends = 1
# root = {cause = "assertion", detail = "no_cuda_build", about = "env"}
# [[run]]
# log = "torch-2.13/12"
# what = "anomaly detection finds a NaN in the backward pass"
# args = ["12"]
# ends = 1
# root = {cause = "nan_loss"}
# words = ["progress"]
# [[run]]
# log = "torch-2.13/13"
# what = "an empty validation set"
# args = ["13"]
# ends = 1
# root = {cause = "div_zero"}
# words = ["progress"]
# [[run]]
# log = "torch-2.13/14"
# what = "the loss becomes NaN and the run goes on to its end"
# args = ["14"]
# words = ["progress", "planned_end"]
# absent = ["exception"]
# [[run]]
# log = "torch-2.13/15"
# what = "a process of mp.spawn raises"
# args = ["15"]
# ends = 1
# steady = false
# root = {type = "PermissionError", cause = "permission"}
# [[run]]
# log = "torch-2.13/16"
# what = "a process of mp.spawn is killed"
# args = ["16"]
# ends = 1
# words = ["killed"]
# absent = ["progress"]
# [[run]]
# log = "torch-2.13/17"
# what = "an exit handler raises after a good end"
# args = ["17"]
# words = ["progress", "planned_end"]
# [[run]]
# log = "torch-2.13/18"
# what = "the disk is full while a checkpoint is written"
# args = ["18"]
# ends = 1
# words = ["progress"]
# root = {detail = "disk_full", about = "env"}
# [[run]]
# log = "torch-2.13/19"
# what = "a class label outside the classes"
# args = ["19"]
# ends = 1
# root = {type = "IndexError", detail = "index_range", about = "data"}
# [[run]]
# log = "torch-2.13/20"
# what = "floats where the loss wants integers"
# args = ["20"]
# ends = 1
# root = {type = "RuntimeError", detail = "dtype", about = "config"}
# [[run]]
# log = "torch-2.13/21"
# what = "SIGINT in mid-training"
# args = ["21"]
# signal = {name = "INT", after = "step 20/"}
# ends = -2
# words = ["progress"]
# steady = false
# [[run]]
# log = "torch-2.13/22"
# what = "a worker is refused another open file"
# args = ["22"]
# ends = 1
# steady = false
# root = {detail = "too_many_files", about = "env"}
# [[run]]
# log = "torch-2.13/23"
# what = "the step lies in a compiled model that fails"
# args = ["23"]
# ends = 1
# steady = false
# root = {detail = "shapes"}
# [[run]]
# log = "torch-2.0/01"
# what = "a checkpoint of another architecture"
# env = "old"
# before = [["1"]]
# args = ["4"]
# ends = 1
# root = {type = "RuntimeError", detail = "size_mismatch", about = "asset"}
# [[run]]
# log = "torch-2.0/02"
# what = "a checkpoint that was cut"
# env = "old"
# before = [["1"], ["cut"]]
# args = ["5"]
# ends = 1
# root = {type = "RuntimeError", detail = "corrupt_checkpoint", about = "asset"}
# [[run]]
# log = "torch-2.0/03"
# what = "host memory is refused to the CPU allocator"
# env = "old"
# args = ["7"]
# memory_mib = 12000
# ends = 1
# root = {cause = "ram_oom"}
# [[run]]
# log = "torch-2.0/04"
# what = "a CUDA build on a node without a GPU"
# env = "old"
# args = ["11"]
# ends = 1
# root = {cause = "cuda_runtime", detail = "no_gpu", about = "env"}
# [[run]]
# log = "torch-2.0/05"
# what = "a loader's worker dies of a segmentation fault"
# env = "old"
# args = ["10"]
# ends = 1
# steady = false
# root = {cause = "segfault"}
# words = ["worker_killed"]
# [[run]]
# log = "torch-2.0/06"
# what = "anomaly detection finds a NaN in the backward pass"
# env = "old"
# args = ["12"]
# ends = 1
# root = {cause = "nan_loss"}
# ///

import atexit
import ctypes
import os
import resource
import signal
import sys
import time
from pathlib import Path

import numpy as np
import torch
from progress_notes import note
from torch.utils.data import DataLoader, Dataset, get_worker_info

part = sys.argv[1]
EPOCHS, STEPS = 2, 25


class Setup:
    """What a user keeps beside the weights."""


class Rows(Dataset):
    """Sums of random numbers."""

    def __len__(self):
        return STEPS * 8

    def __getitem__(self, index):
        if get_worker_info() is not None and index > 90:
            if part == "9":
                raise ValueError(f"row {index} has 7 columns, expected 8")
            if part == "10" and get_worker_info().id == 1:
                time.sleep(3)  # by then the parent waits for this row, with all others read: it meets the death in one place alone
                ctypes.string_at(0)
        x = torch.randn(8)
        return x, x.sum()


def child(rank):
    if part == "15" and rank == 1:
        Path("labels.npy").chmod(0)
        os.setuid(65534)
        Path("labels.npy").read_bytes()
    if part == "16" and rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    torch.zeros(3).sum()


def cleanup():
    raise RuntimeError("cannot schedule new futures after interpreter shutdown")


def main():
    torch.manual_seed(0)
    if part == "cut":
        os.truncate("last.pt", 1200)
        return
    if part in {"15", "16"}:
        Path("labels.npy").touch()
        torch.multiprocessing.spawn(child, nprocs=2)
    if part == "17":
        atexit.register(cleanup)
    width = 12 if part == "4" else 16
    model = torch.nn.Sequential(torch.nn.Linear(8, width), torch.nn.Tanh(), torch.nn.Linear(9 if part == "2" else width, 1))
    if part in {"4", "5"}:
        model.load_state_dict(torch.load("last.pt")["model"])
    if part == "6":
        torch.save({"setup": Setup()}, "last.pt")
        torch.load("last.pt")
    if part == "8":
        np.zeros((200_000, 200_000))
    if part == "11":
        model.to("cuda")
    if part == "12":
        torch.autograd.set_detect_anomaly(True)
    if part == "23":
        model = torch.compile(model, backend="eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    if part == "22":
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
    loader = DataLoader(Rows(), batch_size=8, num_workers=2 if part in {"9", "10", "22"} else 0)
    step, kept = 0, []
    for epoch in range(1, EPOCHS + 1):
        for rows, y in loader:
            x = rows
            if part == "22":
                kept.append((x, y))
            if part in {"3", "23"} and step == 12:
                x = rows[:, :7]
            loss = ((model(x).squeeze(1) - y) ** 2).mean()
            if part == "19":
                loss = torch.nn.functional.cross_entropy(torch.randn(4, 3), torch.tensor([0, 1, 2, 3]))
            if part == "20":
                loss = torch.nn.functional.cross_entropy(torch.randn(4, 3), torch.tensor([0.0, 1.0, 2.0, 2.0]))
            if part == "12" and step == 10:
                loss = loss + torch.sqrt(model[0].weight.sum() * 0 - 1)
            if part == "14" and step == 10:
                loss = loss * float("nan")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if part == "7" and step == 10:
                torch.zeros(64 * 1024**3, dtype=torch.uint8)
            if part == "21":
                time.sleep(0.05)
            step += 1
            if step % 5 == 0:
                print(f"epoch {epoch}/{EPOCHS} step {step}/{EPOCHS * STEPS} loss {loss.item():.4f} lr 1.0e-02")
                note(step=step, loss=loss.item(), planned=EPOCHS * STEPS)
        if part == "18":
            Path("/dev/full").write_bytes(b"x" * 100_000)
        if part == "13":
            hits, rows = 0, []
            print(f"val_acc {hits / len(rows):.3f}")
        torch.save({"model": model.state_dict(), "step": step}, "last.pt")
        print(f"saved checkpoint to last.pt at step {step}")
    print(f"final loss: {loss.item():.4f}")
    print("Training complete.")


if __name__ == "__main__":
    main()
