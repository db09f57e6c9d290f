"""Parting words: who leaves by itself with a code, and says why in words that nobody knows beforehand."""

from __future__ import annotations

import json

import pytest

from gpualert_slurm.cause import Cause
from tests.unit.classifier.records import Run, steps, trace

R_FILE = """Error in file(file, "rt") : cannot open the connection
In addition: Warning message:
In file(file, "rt") :
  cannot open file 'x.csv': No such file or directory
Execution halted
"""
SAID = {
    "a script": ("[fit] rows /scratch/u/rows.rec are missing, giving up\n", Cause.FILE_NOT_FOUND),
    "perror": ("fopen: No such file or directory\n", Cause.FILE_NOT_FOUND),
    "a program's name before it": ("./fit: weights.bin: No such file or directory\n", Cause.FILE_NOT_FOUND),
    "German": ("Abbruch: Datei zeilen.csv nicht gefunden\n", Cause.FILE_NOT_FOUND),
    "Chinese": ("错误:找不到数据文件 rows.csv\n", Cause.FILE_NOT_FOUND),
    "a boxed message": ("╭─ Error ─────────────────────╮\n│ Path 'rows' does not exist. │\n╰─────────────────────────────╯\n", Cause.FILE_NOT_FOUND),
    "a cause below the error": ("Error: no shard\n\nCaused by:\n    0: opening s.arrow\n    1: Permission denied (os error 13)\n", Cause.PERMISSION),
    "R's condition": (R_FILE, Cause.FILE_NOT_FOUND),
    "R's memory": ("Error: cannot allocate vector of size 74.5 Gb\nExecution halted\n", Cause.RAM_OOM),
    "Rust": ("thread 'main' panicked at src/main.rs:12:17:\nattempt to divide by zero\nnote: run with `RUST_BACKTRACE=1`\n", Cause.DIV_ZERO),
    "Julia behind a long stack": (
        "ERROR: LoadError: OutOfMemoryError()\nStacktrace:\n" + "".join(f" [{i}] fit(x)\n   @ Main ./fit.jl:{i}\n" for i in range(1, 24)),
        Cause.RAM_OOM,
    ),
    "Ruby": ("fit.rb:12:in `/': divided by 0 (ZeroDivisionError)\n\tfrom fit.rb:12:in `<main>'\n", Cause.DIV_ZERO),
    "Fortran": ("At line 12 of file fit.f90\nFortran runtime error: Cannot open file 'r.dat': No such file or directory\n", Cause.FILE_NOT_FOUND),
    "a sanitiser": ("==41==ERROR: AddressSanitizer: SEGV on unknown address 0x0\n    #0 0x55 in main fit.c:9\n==41==ABORTING\n", Cause.SEGFAULT),
    "a macro around CUDA": ("GPUassert: an illegal memory access was encountered main.cu 88\n", Cause.CUDA_RUNTIME),
    "a macro around NCCL": ("Failed, NCCL error main.cpp:88 'invalid usage (run with NCCL_DEBUG=WARN for details)'\n", Cause.NCCL),
    "a loss": ("!!! objective is NaN at round 31, stopping here\n", Cause.NAN_LOSS),
    "a traceback in a JSON record": (json.dumps({"level": "error", "exception": trace("KeyError: 'lr'")}) + "\n", Cause.TRACEBACK),
    "an unknown reason": ("cannot continue: 0 entries are left\n", None),
}


@pytest.mark.parametrize("name", sorted(SAID))
def test_parting_words_are_the_crash_with_the_cause_that_they_name(name):
    """Before progress a startup crash, after it one in mid-training."""
    text, cause = SAID[name]
    early = Run().rank(0, "n1", "reading the settings\n" + text, code=1).accounting().verdict()
    late = Run().rank(0, "n1", steps(1, 40) + text, code=1, end=60, times=[50.0]).accounting(end=61).verdict()
    modes = {"A1", "E1"} if cause is Cause.NAN_LOSS else {"A1"}
    assert early.mode in modes
    assert late.mode in {"E1" if cause is Cause.NAN_LOSS else "A3", "A3"}
    assert early.cause is cause
    assert late.cause is cause


@pytest.mark.parametrize("name", sorted(SAID))
def test_the_same_words_spoil_no_good_run(name):
    """Exit 0 is exit 0, whatever is said last."""
    verdict = Run().rank(0, "n1", steps(1, 60) + SAID[name][0], code=0, end=60, times=[50.0]).accounting("COMPLETED", code=0, end=61).verdict()
    assert verdict.mode == "G1"


def test_memory_of_a_gpu_is_told_in_a_macros_words_too():
    """``GPUassert`` and its like print cudaGetErrorString."""
    assert Run().rank(0, "n1", "GPUassert: out of memory main.cu 31\n", code=2).accounting(code=2).verdict().mode == "B1"


def test_a_last_sentence_without_trouble_ends_a_run_only_behind_progress():
    """A gate of quality at the end of a loop; a greeting at the start says nothing of why it left."""
    gate = "quality of this model: 93 of 100 points wanted 95\n"
    assert Run().rank(0, "n1", steps(1, 40) + gate, code=1, end=60, times=[50.0]).accounting(end=61).verdict().mode == "A3"
    assert Run().rank(0, "n1", gate, code=1).accounting().verdict().mode == "unknown"


def test_warnings_and_counts_of_no_errors_are_no_trouble():
    for text in ("WARNING: apex is missing, going on without\n", "0 errors, 3 files\n", "wandb: could not reach the server\n"):
        assert Run().rank(0, "n1", text, code=3).accounting(code=3).verdict().mode == "unknown", text


def test_what_launchers_say_of_others_is_nobodys_parting_word():
    """The line of a shell names the death of a child; the reason stands above it."""
    text = "fit: grid.c:88: step: Assertion `n > 0' failed.\njob.sh: line 9: 31234 Aborted                 (core dumped) ./fit\n"
    verdict = Run().batch(text, code=134).accounting(code=134).verdict()
    assert (verdict.mode, verdict.cause) == ("A2", Cause.ASSERTION)


def test_an_abort_has_the_cause_that_its_last_words_name():
    """SIGABRT is a runtime's way of leaving: Rust's allocator, C's assert, .NET's unhandled exceptions."""
    for text, cause in (
        ("memory allocation of 549755813888 bytes failed\n", Cause.RAM_OOM),
        ("Unhandled exception. System.IO.FileNotFoundException: Could not find file '/s/rows.csv'.\n   at Fit.Main()\n", Cause.FILE_NOT_FOUND),
    ):
        verdict = Run().rank(0, "n1", text, signal=6).accounting(code=0, signal=6).verdict()
        assert (verdict.mode, verdict.cause) == ("A2", cause)


def test_a_run_that_was_cut_has_no_parting_words():
    """What stands last in a job at its time limit is where it was, not why it ended."""
    verdict = Run().rank(0, "n1", steps(1, 40) + "cannot reach the tracker, buffering\n", signal=15, end=3601, times=[3590.0])
    assert verdict.accounting("TIMEOUT", code=0, signal=15, end=3601, time_limit_s=3600).verdict().mode == "F3"


def test_a_container_that_finds_no_image_or_program_misses_a_file():
    """What is missing is the same within Apptainer's FATAL as without."""
    for text in (
        "FATAL:   could not open image /s/img.sif: failed to retrieve path for /s/img.sif: lstat /s/img.sif: no such file or directory\n",
        'FATAL:   "python4": executable file not found in $PATH\n',
    ):
        verdict = Run().rank(0, "n1", text, code=255).accounting(code=255).verdict()
        assert (verdict.mode, verdict.cause, verdict.detail) == ("A1", Cause.FILE_NOT_FOUND, "container")


@pytest.mark.parametrize(
    "said",
    [
        '{"event": "config_rejected", "file": "load.json", "unknown_keys": ["learning_rate"]}',
        "postag: no setting called epochs; there are rounds, sentences, seed",
        "usage: STEPS=<number> flats.sh (got STEPS=4e2)",
        "ladder.pl: what is 'gian=3'? known: book from gain games",
        "vae.py: chave desconhecida 'tamanho' (conhecidas: epocas, lote)",
        "parity: parity.w: short read, weights are incomplete",
    ],
)
def test_settings_and_files_in_words_of_ones_own(said: str):
    verdict = Run().rank(0, "n1", said + "\n", code=2, end=5).accounting("FAILED", code=2, end=6).verdict()
    assert verdict.mode == "A1"
    assert said[:20] in verdict.headline


def test_what_a_worker_said_before_torchrun_told_of_its_end():
    agent = (
        "E1124 11:10:57.391 15654 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: 1) local_rank: 0 (pid: 1) of binary: python\n"
        + trace("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n====\ntrain.py FAILED", file="/env/torch/distributed/run.py")
    )
    said = "unknown setting 'learning_rate' (known: steps, lr, every)\n"
    verdict = Run().rank(0, "n1", said + agent, code=1, end=5).accounting("FAILED", code=1, end=6).verdict()
    assert (verdict.mode, "learning_rate" in verdict.headline) == ("A1", True)
