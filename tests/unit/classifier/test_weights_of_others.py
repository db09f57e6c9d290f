"""Weights of somebody else, settings and folders that speak of checkpoints without a resume; and resumes that fail in other houses' words."""

from __future__ import annotations

import pytest

from gpualert_slurm.cause import Cause
from tests.unit.classifier.test_resuming import trace
from tests.unit.classifier.test_underway import trace as frames
from tests.unit.classifier.test_underway import verdict

STARTUPS = {
    "a settings table": "resume_from_checkpoint | None\ncheckpoint_dir | runs/7\n" + trace("ValueError: shapes (8,3) and (4,8) not aligned"),
    "arguments of a house": "  load ............................................ \n  save ............................................ ckpts\n" + trace("RuntimeError: The size of tensor a (4) must match the size of tensor b (5) at non-singleton dimension 1"),
    "a folder that was made": "Created checkpoint folder /runs/a\n" + trace("KeyError: 'label'"),
    "an encoder from the net": "loading pretrained encoder resnet18\n" + trace("RuntimeError: invalid hash value (expected \"f37072fd\", got \"00aa\")", "load_state_dict_from_url", "raise RuntimeError"),
    "a tokenizer": "loading tokenizer from ./base\n" + trace("json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)", "load_tokenizer", "return json.load(f)"),
    "an option that is off": "{\"resume\": false, \"ckpt\": \"last.pt\", \"lr\": 0.1}\n" + trace("IndexError: index 12 is out of bounds for axis 0 with size 12"),
    "none there, and it says so": "no checkpoint under runs/a, starting fresh\n" + trace("ValueError: Expected input batch_size (8) to match target batch_size (7)."),
}
RESUMES = {
    "an accelerator's state": "Resumed from checkpoint: ft/step_40\n" + trace("safetensors_rust.SafetensorError: Error while deserializing header: incomplete metadata, file not fully covered", "main", "accelerator.load_state(args.resume)"),
    "a manager's restore": "I0101 restoring step 400 from /runs/a\n" + trace("ValueError: Requested shape: (64, 12) is not compatible with the stored shape: (64, 16).", "restore", "mngr.restore(400)"),
    "an optimizer of another size": "picking up at epoch 3\n" + trace("ValueError: loaded state dict has a different number of parameter groups", "main", "opt.load_state_dict(blob['optim'])"),
    "torch's own words": "==> resuming from runs/a/last.pth\n" + trace("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory"),
    "weights that do not fit what was built": "restoring weights of run 12\n" + trace("RuntimeError: Error(s) in loading state_dict for Net:\n\tsize mismatch for head.weight: copying a param with shape torch.Size([10, 64]) from checkpoint, the shape in current model is torch.Size([12, 64])."),
    "a file that is gone": "resuming from runs/a/step_900.pt\n" + trace("FileNotFoundError: [Errno 2] No such file or directory: 'runs/a/step_900.pt'"),
}


@pytest.mark.parametrize("name", STARTUPS)
def test_a_startup_crash_that_is_no_resume(name: str):
    assert verdict(STARTUPS[name]).mode == "A1"


@pytest.mark.parametrize("name", RESUMES)
def test_a_resume_that_failed(name: str):
    assert verdict(RESUMES[name]).mode == "E2"


NCCL_OR_NOT = {
    "a timeout that the watchdog tells": ("torch.distributed.DistBackendError: NCCL error in: /pytorch/x.cpp:90, remote process exited or there was a network error, NCCL version 2.27.3", Cause.NCCL),
    "no group was made": ("ValueError: Default process group has not been initialized, please make sure to call init_process_group.", Cause.TRACEBACK),
    "an old card": ("torch.distributed.DistBackendError: NCCL error in: /pytorch/x.cpp:90, invalid usage, NCCL version 2.27.3\nncclInvalidUsage: This usually reflects invalid usage of NCCL library.\nLast error:\nDuplicate GPU detected : rank 1 and rank 0 both on CUDA device 1b000", Cause.NCCL),
    "a name in a path": ("FileNotFoundError: [Errno 2] No such file or directory: '/etc/nccl_topo.xml'", Cause.FILE_NOT_FOUND),
    "a setting of it": ("KeyError: 'NCCL_SOCKET_IFNAME'", Cause.TRACEBACK),
    "a library that is not there": ("ImportError: libnccl.so.2: cannot open shared object file: No such file or directory", Cause.MISSING_MODULE),
}


@pytest.mark.parametrize("name", NCCL_OR_NOT)
def test_what_is_of_nccl_and_what_only_names_it(name: str):
    error, cause = NCCL_OR_NOT[name]
    assert verdict(frames("ddp.py:<module>", "ddp.py:main", error=error)).cause is cause
