"""Tracebacks that others print: IPython's stories of cells, and those behind a launcher's labels."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.lines import heard
from tests.unit.classifier.records import Run

CELL = (
    "---------------------------------------------------------------------------\n"
    "{type}                         Traceback (most recent call last)\n"
    "Cell In[3], line 4\n      2     mse = epoch_of()\n      3     if e == 12:\n----> 4         raise {type}({message!r})\n\n"
    "{type}: {message}\n"
)
PAPERMILL = (
    'Traceback (most recent call last):\n  File "/usr/lib/python3/dist-packages/papermill/execute.py", line 251, in raise_for_execution_errors\n'
    "    raise error\npapermill.exceptions.PapermillExecutionError: \n"
    '---------------------------------------------------------------------------\nException encountered at "In [3]":\n'
)


@pytest.mark.parametrize("head", ["", PAPERMILL], ids=["IPython", "papermill"])
@pytest.mark.parametrize(
    ("kind", "message", "cause"),
    [
        ("RuntimeError", "generator ended after 960 rows", "runtime_error"),
        ("FileNotFoundError", "[Errno 2] No such file or directory: 'a.csv'", "file_not_found"),
        ("MemoryError", "", "ram_oom"),
    ],
)
def test_a_cells_own_exception_is_what_ended_a_notebook(head: str, kind: str, message: str, cause: str):
    said = Run().rank(0, "n1", "epoch 1 loss 0.3\n" + head + CELL.format(type=kind, message=message), code=1).accounting("FAILED", code=1, end=11.0).verdict()
    assert said.cause is not None
    assert said.cause.value == cause
    assert kind in said.headline


def test_a_traceback_behind_mpiexecs_labels_is_the_ranks():
    """MPICH's ``mpiexec -l`` writes ``[1] `` before each line; a step in brackets is no label."""
    lines = ["Traceback (most recent call last):", '  File "relax.py", line 12, in <module>', "    raise LookupError('no halo')", "LookupError: no halo"]
    said = Run().rank(0, "n1", "".join(f"[1] {line}\n" for line in lines), code=1).accounting("FAILED", code=1, end=11.0).verdict()
    assert "LookupError: no halo" in said.headline
    assert heard("[12] loss 0.3 KeyError ignored")[0] == "[12] loss 0.3 KeyError ignored"
