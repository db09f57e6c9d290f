"""Programs that hold back what they print until their exit: the error stands first, and all steps behind it, at the same instant."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

STEPS = "".join(f"step {i} loss {3 / i:.4f}\n" for i in range(1, 9))


def verdict(text: str, times: list[float] | None, code: int = 255):
    run = Run().rank(0, "n1", text, code=code, end=9, local=0, times=times)
    return run.accounting("FAILED", code=code, end=10).verdict()


@pytest.mark.parametrize(
    ("error", "cause"),
    [("Illegal division by zero at fit.pl line 1.", "div_zero"), ("cannot open /data/x: No such file or directory at fit.pl line 1.", "file_not_found")],
)
def test_steps_let_out_at_once_behind_the_error_were_before_it(error: str, cause: str):
    said = verdict(f"{error}\n{STEPS}", [8.9] * 9)
    assert (said.mode, said.cause) == ("A3", cause)


def test_steps_that_came_in_their_own_time_behind_it_survived_it():
    said = verdict("Illegal division by zero at fit.pl line 1.\n" + STEPS, [0.5 + i for i in range(9)])
    assert said.cause != "div_zero"


@pytest.mark.parametrize(
    ("thrown", "says", "cause"),
    [
        ("std::out_of_range", "vector::_M_range_check: __n (which is 12) >= this->size() (which is 12)", None),
        ("std::runtime_error", "matrix is singular", "runtime_error"),
        ("std::filesystem::__cxx11::filesystem_error", "filesystem error: cannot get file size: No such file or directory [/data/x]", "file_not_found"),
    ],
)
def test_what_a_native_exception_was_counts_by_its_meaning(thrown: str, says: str, cause: str | None):
    text = f"{STEPS}terminate called after throwing an instance of '{thrown}'\n  what():  {says}\n"
    run = Run().rank(0, "n1", text, signal=6, end=9, local=0, times=[0.5 + 0.5 * i for i in range(10)])
    said = run.accounting("FAILED", code=134, end=10).verdict()
    assert (said.mode, said.cause) == ("A2", cause)


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ('Exception in thread "main" java.nio.file.NoSuchFileException: /data/none', "file_not_found"),
        ('Exception in thread "main" java.nio.file.AccessDeniedException: /ckpt/m.bin', "permission"),
        ('Exception in thread "main" java.lang.RuntimeException: the optimizer stalled', "runtime_error"),
    ],
)
def test_the_jvm_s_classes_have_meanings(line: str, cause: str):
    said = verdict(f"{STEPS}{line}\n\tat Fit.main(Fit.java:1)\n", [0.5 + 0.5 * i for i in range(10)], 1)
    assert (said.mode, said.cause) == ("A3", cause)
