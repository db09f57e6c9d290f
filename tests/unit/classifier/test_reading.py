"""A file that is cut short or garbled: a checkpoint's (E2), or data's (A1), by who read it."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run


def read(error: str, file: str, function: str, code: str, before: str = "") -> str:
    text = f'{before}Traceback (most recent call last):\n  File "/home/alice/{file}", line 12, in {function}\n    {code}\n{error}\n'
    return Run().rank(0, "n1", text, code=1).accounting().verdict().mode


ERRORS = (
    "zipfile.BadZipFile: File is not a zip file",
    "_pickle.UnpicklingError: pickle data was truncated",
    "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory",
    "safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooSmall",
)


@pytest.mark.parametrize("error", ERRORS)
def test_who_reads_rows_reads_data(error):
    assert read(error, "rows.py", "load_rows", "x = read('shards/train_000.bin')") == "A1"


@pytest.mark.parametrize("error", ERRORS)
def test_who_resumes_reads_a_checkpoint(error):
    assert read(error, "train.py", "resume", "state = read(path)") == "E2"
    assert read(error, "train.py", "load_checkpoint", "return read(path)") == "E2"


def test_without_a_word_of_either_the_format_decides():
    """torch.save and safetensors hold models most often; a zip is anybody's."""
    assert read(ERRORS[2], "main.py", "<module>", "x = torch.load(p)") == "E2"
    assert read(ERRORS[0], "main.py", "<module>", "x = ZipFile(p)") == "A1"


def test_a_state_that_does_not_parse_where_a_run_resumes_is_a_checkpoint():
    """A state of one's own in JSON."""
    error = "json.decoder.JSONDecodeError: Unterminated string starting at: line 1 column 812 (char 811)"
    assert read(error, "train.py", "resume", "s = json.load(f)") == "E2"
    assert read(error, "train.py", "main", "s = json.load(f)") == "A1"


def test_a_script_says_it_in_its_own_words():
    for text in ("checkpoint ck/last.bin is corrupt (bad checksum)\n", "--resume given, but no checkpoint in runs/7\n"):
        assert Run().rank(0, "n1", text, code=1).accounting().verdict().mode == "E2", text


def test_what_a_reader_of_saved_files_raises_where_a_run_resumes_is_a_checkpoints():
    """torch.load of a file of zeros: ``OSError: [Errno 22] Invalid argument``, raised in torch/serialization.py."""
    frame = '  File "/opt/env/lib/python3.11/site-packages/torch/serialization.py", line 807, in __init__\n    super().__init__(name)\n'
    text = 'Traceback (most recent call last):\n  File "/home/alice/train.py", line 12, in <module>\n    s = torch.load(f"ckpt/{{rank}}.pt")\n{}OSError: [Errno 22] Invalid argument\n'
    assert Run().rank(0, "n1", text.format(frame), code=1).accounting().verdict().mode == "E2"
    assert Run().rank(0, "n1", text.format("").replace("ckpt", "rows"), code=1).accounting().verdict().mode == "A1"
