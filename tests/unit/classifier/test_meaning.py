"""All fifteen causes by meaning, in the words of different software versions; and what only looks like one."""

from __future__ import annotations

import io

import pytest

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier import scan
from gpualert_slurm.classifier.meaning import meaning_of
from gpualert_slurm.evidence import Role, Where

CASES = [
    (Cause.CUDA_OOM, "RuntimeError", "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 15.90 GiB total capacity; 14 GiB already allocated)"),
    (Cause.CUDA_OOM, "torch.cuda.OutOfMemoryError", "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacty of 79.15 GiB"),
    (Cause.CUDA_OOM, "torch.OutOfMemoryError", "HIP out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 63.98 GiB"),
    (Cause.CUDA_OOM, "RuntimeError", "CUDA error: out of memory"),
    (Cause.CUDA_OOM, "torch.AcceleratorError", "CUDA error: out of memory"),
    (Cause.CUDA_OOM, "RuntimeError", "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
    (Cause.CUDA_OOM, "RuntimeError", "cuDNN error: CUDNN_STATUS_ALLOC_FAILED"),
    (Cause.CUDA_OOM, "jaxlib.xla_extension.XlaRuntimeError", "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8589934592 bytes."),
    (Cause.CUDA_OOM, "jax.errors.JaxRuntimeError", "RESOURCE_EXHAUSTED: Out of memory allocating 4294967296 bytes."),
    (
        Cause.CUDA_OOM,
        "tensorflow.python.framework.errors_impl.ResourceExhaustedError",
        "OOM when allocating tensor with shape[256,1024] on device:GPU:0",
    ),
    (Cause.CUDA_OOM, "cupy.cuda.memory.OutOfMemoryError", "Out of memory allocating 4,294,967,296 bytes"),
    (
        Cause.NCCL,
        "RuntimeError",
        "NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1269, unhandled system error, NCCL version 2.14.3",
    ),
    (Cause.NCCL, "torch.distributed.DistBackendError", "NCCL error in: ../torch/csrc/NCCLUtils.hpp:219, internal error, NCCL version 2.18.1"),
    (Cause.NCCL, "RuntimeError", "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE)"),
    (Cause.CUDA_RUNTIME, "RuntimeError", "CUDA error: an illegal memory access was encountered"),
    (Cause.CUDA_RUNTIME, "torch.AcceleratorError", "CUDA error: device-side assert triggered"),
    (Cause.CUDA_RUNTIME, "RuntimeError", "CUDA error: no kernel image is available for execution on the device"),
    (Cause.CUDA_RUNTIME, "RuntimeError", "HIP error: invalid device function"),
    (Cause.CUDA_RUNTIME, "RuntimeError", "cuDNN error: CUDNN_STATUS_EXECUTION_FAILED"),
    (Cause.CUDA_RUNTIME, "RuntimeError", "No CUDA GPUs are available"),
    (Cause.ASSERTION, "AssertionError", "Torch not compiled with CUDA enabled"),
    (Cause.CUDA_RUNTIME, "RuntimeError", "CUDA unknown error - this may be due to an incorrectly set up environment"),
    (Cause.DEVICE_MISMATCH, "RuntimeError", "Expected a 'cuda' device type for generator but found 'cpu'"),
    (Cause.TRACEBACK, "ValueError", "No valid checkpoint found in runs/a (looked for pot*.ckpt)"),
    (Cause.FILE_NOT_FOUND, "FileNotFoundError", "--resume auto: no valid checkpoint found in out"),
    (Cause.RUNTIME_ERROR, "equinox.EquinoxRuntimeError", "hidden state left its range"),
    (Cause.RAM_OOM, "MemoryError", ""),
    (
        Cause.RAM_OOM,
        "numpy.core._exceptions._ArrayMemoryError",
        "Unable to allocate 59.6 GiB for an array with shape (8000000000,) and data type float64",
    ),
    (Cause.RAM_OOM, "numpy._core._exceptions._ArrayMemoryError", "Unable to allocate 7.28 TiB for an array with shape (1000000, 1000000)"),
    (
        Cause.RAM_OOM,
        "RuntimeError",
        "[enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes.",
    ),
    (Cause.RAM_OOM, "OSError", "[Errno 12] Cannot allocate memory"),
    (
        Cause.RAM_OOM,
        "RuntimeError",
        "DataLoader worker (pid 7) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory.",
    ),
    (Cause.FILE_NOT_FOUND, "FileNotFoundError", "[Errno 2] No such file or directory: 'data/train.bin'"),
    (Cause.FILE_NOT_FOUND, "datasets.exceptions.DataFilesNotFoundError", "No (supported) data files found in /data/c4"),
    (
        Cause.FILE_NOT_FOUND,
        "OSError",
        "x/y does not appear to have a file named config.json. Checkout 'https://huggingface.co/x/y/tree/main' for available files.",
    ),
    (
        Cause.FILE_NOT_FOUND,
        "OSError",
        "gpt5-nano is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'",
    ),
    (Cause.PERMISSION, "PermissionError", "[Errno 13] Permission denied: '/scratch/bob/data'"),
    (Cause.PERMISSION, "OSError", "[Errno 13] Permission denied: 'out'"),
    (
        Cause.PERMISSION,
        "huggingface_hub.errors.GatedRepoError",
        "401 Client Error. Cannot access gated repo for url https://huggingface.co/api/models/m",
    ),
    (Cause.PERMISSION, "OSError", "You are trying to access a gated repo.\nMake sure to have access to it"),
    (Cause.MISSING_MODULE, "ModuleNotFoundError", "No module named 'flash_attn'"),
    (Cause.MISSING_MODULE, "ImportError", "libcudart.so.12: cannot open shared object file: No such file or directory"),
    (Cause.MISSING_MODULE, "ImportError", "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by /home/u/x.so)"),
    (Cause.MISSING_MODULE, "ImportError", "cannot import name 'x' from 'y' (/site/y.py)"),
    (Cause.DIV_ZERO, "ZeroDivisionError", "division by zero"),
    (Cause.DIV_ZERO, "ZeroDivisionError", "integer division or modulo by zero"),
    (Cause.DIV_ZERO, "RuntimeError", "ZeroDivisionError"),
    (Cause.DEVICE_MISMATCH, "RuntimeError", "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"),
    (
        Cause.DEVICE_MISMATCH,
        "RuntimeError",
        "Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors on cuda:0",
    ),
    (Cause.DEVICE_MISMATCH, "RuntimeError", "Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same"),
    (Cause.DEVICE_MISMATCH, "RuntimeError", "expected device cuda:0 but got device cpu"),
    (Cause.DEVICE_MISMATCH, "RuntimeError", "Tensor on device meta is not on the expected device cpu!"),
    (Cause.DEVICE_MISMATCH, "RuntimeError", "Tensor on device cuda:0 is not on the expected device meta!"),
    (
        Cause.DEVICE_MISMATCH,
        "RuntimeError",
        "Input and parameter tensors are not at the same device, found input tensor at cpu and parameter tensor at cuda:0",
    ),
    (
        Cause.DEVICE_MISMATCH,
        "RuntimeError",
        "Input and hidden tensors are not at the same device, found input tensor at cuda:0 and hidden tensor at cpu",
    ),
    (
        Cause.DEVICE_MISMATCH,
        "RuntimeError",
        "Expected query, key, and value to have the same device type, but got query.device: cuda:0 key.device: cpu and value.device: cuda:0 instead.",
    ),
    (
        Cause.DEVICE_MISMATCH,
        "RuntimeError",
        "grid_sampler(): expected input and grid to be on same device, but input is on cuda:0 and grid is on cpu",
    ),
    (
        Cause.DEVICE_MISMATCH,
        "RuntimeError",
        "index_add(): self, index and source expected to be in the same device, but got (self) cuda:0, (index) cpu, and (source) cuda:0",
    ),
    (Cause.DEVICE_MISMATCH, "RuntimeError", "indices should be either on cpu or on the same device as the indexed tensor (cpu)"),
    (Cause.DEVICE_MISMATCH, "RuntimeError", "invalid gradient at index 0 - expected device cuda:0 but got cpu"),
    (
        Cause.DEVICE_MISMATCH,
        "RuntimeError",
        "attempting to assign a gradient with device type 'cpu' to a tensor with device type 'cuda'. Please ensure that the gradient and the tensor are on the same device",
    ),
    (Cause.DEVICE_MISMATCH, "RuntimeError", "Attempting to copy from device cpu to device meta, but cross-device copies are not allowed!"),
    (Cause.DEVICE_MISMATCH, "RuntimeError", "backend of indices (CPU) must match backend of values (CUDA)"),
    (Cause.DEVICE_MISMATCH, "RuntimeError", "'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda Long tensor"),
    (
        Cause.DEVICE_MISMATCH,
        "ValueError",
        "DistributedDataParallel's input module must be on the same type of devices, but input module parameters locate in {'cpu', 'cuda'}.",
    ),
    (Cause.NAN_LOSS, "FloatingPointError", "Loss is nan"),
    (Cause.NAN_LOSS, "ValueError", "loss is NaN at step 120"),
    (Cause.NAN_LOSS, "RuntimeError", "Function 'LogSoftmaxBackward0' returned nan values in its 0th output."),
    (Cause.NAN_LOSS, "Exception", "Current loss scale already at minimum - cannot decrease scale anymore. Exiting run."),
    (Cause.NAN_LOSS, "RuntimeError", "found NaN in local grad norm in backward pass before data-parallel communication collective"),
    (Cause.OOM_KILLER, "RuntimeError", "DataLoader worker (pid 4711) is killed by signal: Killed. "),
    (Cause.OOM_KILLER, "RuntimeError", "DataLoader worker (pid(s) 31337) is killed by signal: Killed."),
    (Cause.SEGFAULT, "RuntimeError", "DataLoader worker (pid 12) is killed by signal: Segmentation fault. "),
    (Cause.ASSERTION, "AssertionError", "sequence length must be a multiple of 8"),
    (Cause.ASSERTION, "AssertionError", ""),
    (Cause.TRACEBACK, "KeyError", "'labels'"),
    (Cause.TRACEBACK, "ValueError", "Target modules {'query_key_value'} not found in the base model. Please check the target modules and try again."),
    (Cause.TRACEBACK, "json.decoder.JSONDecodeError", "Expecting value: line 1 column 1 (char 0)"),
    (Cause.TRACEBACK, "OSError", "[Errno 98] Address already in use"),
    (Cause.RUNTIME_ERROR, "RuntimeError", "mat1 and mat2 shapes cannot be multiplied (4x5 and 6x7)"),
    (Cause.RUNTIME_ERROR, "RuntimeError", "Error(s) in loading state_dict for Net:"),
    (Cause.RUNTIME_ERROR, "RuntimeError", "two ranks must not share the same device"),
    (Cause.RUNTIME_ERROR, "RuntimeError", "The device is the same as before"),
    (Cause.RUNTIME_ERROR, "RuntimeError", "Duplicate GPU detected: rank 0 and rank 1 both on CUDA device 1000"),
    (Cause.RUNTIME_ERROR, "RuntimeError", "expected device to be a string"),
    (Cause.RUNTIME_ERROR, "RuntimeError", "Tensor on device cuda:0 is large"),
]


@pytest.mark.parametrize(("cause", "kind", "message"), CASES)
def test_an_exception_means(cause, kind, message):
    assert meaning_of(kind, message).cause is cause


def test_every_cause_has_words():
    assert {cause for cause, _, _ in CASES} == set(Cause)


@pytest.mark.parametrize(
    ("kind", "message", "detail"),
    [
        (
            "torch.distributed.DistBackendError",
            "NCCL error in: x.cpp:1, unhandled cuda error\nLast error:\nCuda failure 'uncorrectable ECC error encountered'",
            "ecc_uncorrectable",
        ),
        ("RuntimeError", "CUDA error: uncorrectable NVLink error detected during the execution", "nvlink_uncorrectable"),
    ],
)
def test_hardware_in_a_wrapper_of_nccl_is_hardware(kind, message, detail):
    meaning = meaning_of(kind, message)
    assert (meaning.cause, meaning.detail) == (Cause.CUDA_RUNTIME, detail)


@pytest.mark.parametrize(
    ("message", "about"),
    [
        ("[Errno 2] No such file or directory: 'data/train.bin'", "data"),
        ("[Errno 2] No such file or directory: '/models/llama/model.safetensors'", "asset"),
        ("[Errno 2] No such file or directory: 'out/checkpoint-500/optimizer.pt'", "asset"),
        ("[Errno 2] No such file or directory: 'configs/base.yaml'", "config"),
    ],
)
def test_a_missing_path_is_data_asset_or_configuration_by_its_name(message, about):
    assert meaning_of("FileNotFoundError", message).about == about


@pytest.mark.parametrize(
    "message",
    [
        "number of nan iterations: 0",
        "nan_policy is 'omit'",
        "the loss is finite; nan checks: 0",
        "dataset nanotron not available",
        "information is infinite-dimensional",
    ],
)
def test_words_that_hold_nan_are_no_nan_loss(message):
    assert meaning_of("ValueError", message).cause is Cause.TRACEBACK


def read(text: str, where: Where | None = None):
    return scan(io.BytesIO(text.encode()), "x.log", where or Where(node="n1", rank=0, step="0")).evidence


def roots(text: str):
    return [(e.says, e.cause, e.data.get("type")) for e in read(text) if e.role is Role.ROOT]


HEAD = 'Traceback (most recent call last):\n  File "/home/u/train.py", line 3, in main\n    x()\n'


def test_the_cause_of_a_chain_is_its_specific_link():
    """A RuntimeError raised from a FileNotFoundError is a missing file."""
    chain = (
        HEAD
        + "FileNotFoundError: [Errno 2] No such file or directory: 'data/x'\n\nThe above exception was the direct cause of the following exception:\n\n"
        + HEAD
        + "RuntimeError: cannot load the data\n"
    )
    last = [e for e in read(chain) if e.says == "exception"]
    assert [(e.cause, e.data["type"]) for e in last] == [(Cause.FILE_NOT_FOUND, "RuntimeError")]


def test_hardware_named_lines_below_an_nccl_error_is_hardware():
    text = (
        HEAD + "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/NCCLUtils.hpp:219, unhandled cuda error, NCCL version 2.18.1\n"
        "ncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 'uncorrectable ECC error encountered'\n"
    )
    error = next(e for e in read(text) if e.says == "exception")
    assert (error.cause, error.detail) == (Cause.CUDA_RUNTIME, "ecc_uncorrectable")


def test_faulthandler_names_the_python_line_that_ran():
    text = (
        'Fatal Python error: Segmentation fault\n\nThread 0x00007e (most recent call first):\n  File "/home/u/other.py", line 1 in wait\n\n'
        'Current thread 0x00007f (most recent call first):\n  File "/opt/lib/python3.11/ctypes/__init__.py", line 519 in string_at\n'
        '  File "/home/u/train.py", line 7 in batch\nExtension modules: numpy (total: 1)\n'
    )
    crash = next(e for e in read(text) if e.says == "native_crash")
    assert (crash.cause, crash.data["file"], crash.data["frame_line"]) == (Cause.SEGFAULT, "/home/u/train.py", 7)


def test_an_exception_in_a_loader_is_told_by_its_original():
    text = (
        HEAD + "FileNotFoundError: Caught FileNotFoundError in DataLoader worker process 0.\nOriginal Traceback (most recent call last):\n"
        '  File "/home/u/data.py", line 9, in __getitem__\n    open(p)\n' + "FileNotFoundError: [Errno 2] No such file or directory: 'data/7.jpg'\n"
    )
    found = [e for e in read(text) if e.says == "exception" and e.role is Role.ROOT]
    assert [(e.cause, e.data["file"]) for e in found] == [(Cause.FILE_NOT_FOUND, "/home/u/data.py")]


def test_a_killed_loader_stays_the_root_when_its_parent_only_says_that_it_is_gone():
    text = (
        HEAD
        + "RuntimeError: DataLoader worker (pid 77) is killed by signal: Killed. \n\nThe above exception was the direct cause of the following exception:\n\n"
        + HEAD
        + "RuntimeError: DataLoader worker (pid(s) 77) exited unexpectedly\n"
    )
    assert (("exception", Cause.OOM_KILLER, "RuntimeError")) in roots(text)
    assert all(cause is Cause.OOM_KILLER for _, cause, _ in roots(text))


def test_the_innermost_frame_of_the_users_own_code_is_named():
    text = (
        'Traceback (most recent call last):\n  File "/home/u/train.py", line 12, in train\n    loss.backward()\n'
        '  File "/opt/venv/lib/python3.11/site-packages/torch/_tensor.py", line 522, in backward\n    torch.autograd.backward(\nRuntimeError: boom\n'
    )
    error = next(e for e in read(text) if e.says == "exception")
    assert (error.data["file"], error.data["frame_line"], error.data["function"]) == ("/home/u/train.py", 12, "train")


def test_interleaved_ranks_keep_their_own_tracebacks():
    one = [f"[rank1]: {line}" for line in (HEAD + "ValueError: one").splitlines()]
    two = [f"[rank2]: {line}" for line in (HEAD + "KeyError: 'two'").splitlines()]
    mixed = "\n".join(line for pair in zip(one, two, strict=True) for line in pair) + "\n"
    assert sorted((e.where.rank, e.data["type"]) for e in read(mixed) if e.says == "exception") == [(1, "ValueError"), (2, "KeyError")]


@pytest.mark.parametrize(
    ("prefix", "rank", "local"),
    [("3: ", 3, None), ("[rank3]: ", 3, None), ("[1,3]<stderr>:", 3, None), ("[default3]:", None, 3), ("(Worker pid=12, ip=10.0.0.1) ", None, None)],
)
def test_a_prefix_is_taken_off_and_remembered(prefix, rank, local):
    text = "".join(f"{prefix}{line}\n" for line in (HEAD + "KeyError: 'k'").splitlines())
    found = [e for e in read(text, Where(node="n1", step="batch")) if e.says == "exception"]
    assert [(e.where.rank, e.where.local_rank) for e in found] == [(rank, local)]


def test_what_finalisers_print_after_success_is_no_root():
    assert roots("Error in atexit._run_exitfuncs:\n" + HEAD + "RuntimeError: too late\n") == []
    assert roots("Exception ignored in: <function Pool.__del__ at 0x7f>\n" + HEAD + "ValueError: I/O operation on closed file\n") == []


def test_nuls_and_colours_in_a_traceback_hide_nothing():
    text = "\x1b[31mTraceback (most recent call last):\x1b[0m\n\0\0  File \"t.py\", line 1, in f\n\x1b[1mKeyError\x1b[0m: 'x'\n"
    assert [e.data["type"] for e in read(text) if e.says == "exception"] == ["KeyError"]


def test_lost_peers_are_a_cascade():
    assert roots(HEAD + "torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error\n") == []
    assert roots(HEAD + "ConnectionResetError: [Errno 104] Connection reset by peer\n") == []


def test_a_pipe_that_ended_is_the_loss_of_who_was_at_its_other_end():
    """An end of file where a file is read is the file's."""
    frame = '  File "/usr/lib/python3.11/multiprocessing/connection.py", line 382, in _recv\n    raise EOFError\n'
    assert roots(HEAD + frame + "EOFError\n") == []
    assert len(roots(HEAD + '  File "/home/u/t.py", line 3, in load\n    return pickle.load(f)\nEOFError: Ran out of input\n')) == 1


def test_bash_says_killed_in_the_middle_of_a_log():
    text = "starting\n/var/spool/slurmd/job00042/slurm_script: line 23:   427 Killed                  python train.py\nafter\nmore\n"
    assert [e.data["signal"] for e in read(text) if e.says == "killed"] == [9]


def test_a_healthy_megatron_line_is_progress_and_nothing_else():
    text = " iteration       10/  500000 | consumed samples: 2560 | lm loss: 2.4E+00 | loss scale: 1.0 | grad norm: 1.2 | number of nan iterations:   0 |\n"
    assert [(e.says, e.cause) for e in read(text)] == [("progress", None)]


@pytest.mark.parametrize(
    "text",
    [
        "    raise RuntimeError('CUDA out of memory')  # echoed source\n",
        "usage: train.py [-h] [--on-error {raise,ignore}]\n",
        "loading /data/killed_by_error/nan/FileNotFoundError.txt\n",
        "errors: 0, killed: 0, nan: 0\n",
        "INFO: set handler for ConnectionResetError: retry 3 times\n",
        "epoch 3: error rate 0.12, exception rate 0.0\n",
        "config: {'on_exception': 'raise', 'oom': 'killed'}\n",
    ],
)
def test_words_of_failure_in_names_source_and_help_are_no_root(text):
    assert roots(text) == []
