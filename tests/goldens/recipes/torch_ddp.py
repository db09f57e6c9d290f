"""Two ranks of plain torch under torchrun, talking through gloo."""

# /// runs
# env = "new"
# launch = ["torchrun", "--nnodes=1", "--nproc-per-node=2", "--master-addr=127.0.0.1", "--master-port=PORT"]
# steady = false
# [[run]]
# log = "torchrun-2.13/01"
# what = "two ranks, 20 steps"
# args = ["1"]
# words = ["progress"]
# absent = ["exception", "failure_summary"]
# learns = true
# [[run]]
# log = "torchrun-2.13/02"
# what = "rank 1 raises after 5 steps, torchrun takes rank 0 down"
# args = ["2"]
# ends = 1
# words = ["progress", "failure_summary"]
# root = {type = "KeyError"}
# [[run]]
# log = "torchrun-2.13/03"
# what = "rank 1 is killed by SIGKILL after 5 steps"
# args = ["3"]
# ends = 1
# words = ["progress", "failure_summary"]
# absent = ["native_crash"]
# [[run]]
# log = "torchrun-2.13/04"
# what = "rank 1 dies of a segmentation fault"
# args = ["4"]
# vars = {PYTHONFAULTHANDLER = "1"}
# ends = 1
# words = ["progress", "failure_summary", "native_crash"]
# root = {says = "native_crash", cause = "segfault"}
# [[run]]
# log = "torchrun-2.13/05"
# what = "the second node never comes"
# launch = ["torchrun", "--nnodes=2", "--nproc-per-node=2", "--rdzv-backend=c10d", "--rdzv-endpoint=127.0.0.1:PORT", "--rdzv-id=7", "--rdzv-conf=join_timeout=4"]
# args = ["1"]
# ends = 1
# root = {detail = "rendezvous_timeout"}
# absent = ["progress"]
# [[run]]
# log = "torchrun-2.13/06"
# what = "the port is taken"
# files = {"with_port.py" = "import socket, subprocess, sys\ns = socket.create_server(('127.0.0.1', int(sys.argv[1])))\nsys.exit(subprocess.call(sys.argv[2:]))\n"}
# launch = ["python", "with_port.py", "PORT", "torchrun", "--nnodes=1", "--nproc-per-node=2", "--master-addr=127.0.0.1", "--master-port=PORT"]
# args = ["1"]
# ends = 1
# root = {detail = "port_in_use"}
# absent = ["progress"]
# [[run]]
# log = "torchrun-2.13/07"
# what = "rank 1 stays away from a collective, rank 0 waits for it until the time-out"
# args = ["5"]
# ends = 1
# words = ["progress", "failure_summary"]
# [[run]]
# log = "torchrun-2.13/08"
# what = "every rank raises the same before the first step"
# args = ["6"]
# ends = 1
# words = ["failure_summary"]
# root = {type = "AssertionError", cause = "assertion"}
# absent = ["progress"]
# [[run]]
# log = "torchrun-2.13/09"
# what = "rank 1 leaves with status 3 and no word"
# args = ["7"]
# ends = 1
# words = ["progress", "failure_summary"]
# [[run]]
# log = "torchrun-2.13/10"
# what = "a script that is not there"
# launch = ["torchrun", "--nnodes=1", "--nproc-per-node=2", "--master-addr=127.0.0.1", "--master-port=PORT", "scripts/pretrain.py"]
# args = ["1"]
# ends = 1
# root = {says = "launch_refused", cause = "file_not_found"}
# words = ["failure_summary"]
# [[run]]
# log = "torchrun-2.13/11"
# what = "SIGTERM to the launcher in mid-training"
# args = ["8"]
# signal = {name = "TERM", after = "step 3 "}
# ends = 1
# words = ["progress"]
# [[run]]
# log = "torchrun-2.0/01"
# what = "rank 1 raises after 5 steps, torchrun takes rank 0 down"
# env = "old"
# args = ["2"]
# ends = 1
# words = ["progress", "failure_summary"]
# root = {type = "KeyError"}
# [[run]]
# log = "torchrun-2.0/02"
# what = "rank 1 is killed by SIGKILL after 5 steps"
# env = "old"
# args = ["3"]
# ends = 1
# words = ["progress", "failure_summary"]
# [[run]]
# log = "torchrun-2.0/03"
# what = "the second node never comes"
# env = "old"
# launch = ["torchrun", "--nnodes=2", "--nproc-per-node=2", "--rdzv-backend=c10d", "--rdzv-endpoint=127.0.0.1:PORT", "--rdzv-id=7", "--rdzv-conf=join_timeout=4"]
# args = ["1"]
# ends = 1
# root = {detail = "rendezvous_timeout"}
# [[run]]
# log = "torchrun-2.0/04"
# what = "rank 1 stays away from a collective, rank 0 waits for it until the time-out"
# env = "old"
# args = ["5"]
# ends = 1
# words = ["progress", "failure_summary"]
# ///

import ctypes
import datetime as dt
import os
import signal
import sys
import time

import torch
import torch.distributed as dist
from progress_notes import note
from torch.nn.parallel import DistributedDataParallel

part = sys.argv[-1]


def main():
    dist.init_process_group("gloo", timeout=dt.timedelta(seconds=6))
    rank = dist.get_rank()
    torch.manual_seed(rank)
    assert part != "6", "global batch 30 is not divisible by 4 micro batches"
    model = DistributedDataParallel(torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    lookup = {}
    for step in range(400 if part == "8" else 20):
        inputs = torch.randn(16, 8)
        loss = ((model(inputs) - inputs.sum(1, keepdim=True)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0:
            print(f"step {step} loss {loss.item():.5f} lr 5.00e-02")
            note(step=step, loss=loss.item())
        if part == "8":
            time.sleep(0.1)
        if step == 5 and rank == 1:
            if part == "2":
                lookup["labels"]
            elif part == "3":
                os.kill(os.getpid(), signal.SIGKILL)
            elif part == "4":
                ctypes.string_at(0)
            elif part == "5":
                time.sleep(30)
            elif part == "7":
                sys.exit(3)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
