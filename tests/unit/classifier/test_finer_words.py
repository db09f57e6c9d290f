"""Words that were taken for another thing: settings for steps, a configuration for a driver, a full card for NCCL, a line of a save for nothing."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.test_stood_still import verdict as good


def verdict(text: str, code: int | None = 1, signal: int | None = None):
    return Run().rank(0, "n1", text, code=code, signal=signal, end=60, times=[5.0 + i / 10 for i in range(text.count("\n"))]).accounting("FAILED", code=1, end=61).verdict()


def cause(text: str, **more) -> Cause | None:
    return verdict(text, **more).cause


def test_a_request_for_a_card_that_is_not_there_is_the_configurations():
    assert cause(trace("lightning.fabric.utilities.exceptions.MisconfigurationException: No supported gpu backend found!")) is Cause.TRACEBACK
    assert cause(trace("NotImplementedError: Cannot copy out of meta tensor; no data!")) is Cause.TRACEBACK


def test_a_hub_that_cannot_be_reached_or_asked_is_no_missing_file():
    assert cause(trace("OSError: We couldn't connect to 'https://huggingface.co' to load the files, and couldn't find them in the cached files.")) is Cause.TRACEBACK
    assert cause(trace("huggingface_hub.errors.HFValidationError: Repo id must be in the form 'repo_name' or 'namespace/repo_name': '/m/x'.")) is Cause.TRACEBACK
    assert cause(trace("OSError: ./base does not appear to have a file named config.json.")) is Cause.FILE_NOT_FOUND


def test_nccl_that_gets_no_memory_is_a_full_card():
    said = "torch.distributed.DistBackendError: NCCL error in: /pytorch/NCCLUtils.cpp:94, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.27\n"
    full = said + "ncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\n"
    assert cause(trace(full + "Failed to CUDA calloc async 24117248 bytes")) is Cause.CUDA_OOM
    assert cause(trace(full + "Cuda failure 2 'out of memory'")) is Cause.CUDA_OOM
    assert cause(trace(full + "Cuda failure 'invalid device function'")) is Cause.NCCL


def test_files_that_are_not_there_in_words_of_boosters_and_handlers():
    assert cause(trace("_catboost.CatBoostError: Invalid data path='d/train.tsv': file does not exist.")) is Cause.FILE_NOT_FOUND
    assert cause(trace("ValueError: Directory path 'runs/a' is not found")) is Cause.FILE_NOT_FOUND


def test_a_native_program_that_stops_at_nan():
    text = "terminate called after throwing an instance of 'fasttext::DenseMatrix::EncounteredNaNError'\n  what():  Encountered NaN.\n"
    assert verdict(text, code=None, signal=6).mode == "E1"


def test_how_many_steps_there_are_to_be_is_no_step():
    told = "***** Running training *****\n  Num examples = 4000\n  Total optimization steps = 90\n"
    assert verdict(told + trace("ValueError: bad value")).mode == "A1"
    assert verdict("training: total steps: 500, lr 0.1\ntraining: total steps: 500, lr 0.1\n" + trace("ValueError: bad value")).mode == "A1"


def test_a_save_at_nearly_every_step_in_anybodys_words():
    def storm(form: str) -> str:
        return "".join(f"step {i} loss {3 / i:.3f}\n" + form.format(i=i) + "\n" for i in range(1, 41))

    assert good(storm("checkpoint m.bin: saved in 0.54 s")).mode == "D2"
    assert good(storm("  -> snapshot written (0.5 s): run/s{i:04d}.pt")).mode == "D2"
    assert good(storm("ckpt/last.pt: state dumped, 14 MB, 0.48 s")).mode == "D2"
    assert good(storm("[io] stored weights step_{i:05d}.npz in 512 ms")).mode == "D2"
    assert good(steps(1, 40) + "checkpoint m.bin: saved in 0.54 s\n").mode == "G1"


def test_a_manager_that_found_no_checkpoint_is_no_resume():
    found = "I1122 13:56:29.7 1399 checkpoint_manager.py:1881] Found 0 checkpoint steps in /runs/a\n"
    assert verdict(found + trace("ValueError: operands could not be broadcast together with shapes (64,12) (64,16)")).mode == "A1"
    assert verdict("checkpoints found: none\n" + trace("ValueError: shapes (4,8) and (4,9) not aligned")).mode == "A1"
