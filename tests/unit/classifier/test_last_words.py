"""Programs that are no Python: what they say last is what ended the run, and what they say on the way is not."""

from __future__ import annotations

import pytest

from gpualert_slurm.cause import Cause
from tests.unit.classifier.records import Run, steps

NODE = """/home/alice/fit.js:12
    throw new RangeError('step 3 of 2')
    ^

RangeError: step 3 of 2
    at main (/home/alice/fit.js:12:11)
""" + "".join(f"    at frame{i} (node:internal/modules/cjs/loader:{i})\n" for i in range(20))
NODE_ENDS = "\nNode.js v20.20.2\n"
TCL = 'divide by zero\n    while executing\n"expr {1000 / ($step - 83)}"\n    (file "sweep.tcl" line 4)\n'
NODE_MODULE = NODE.replace("RangeError: step 3 of 2", "Error: Cannot find module 'tfjs'")
LAST = {
    "Perl": ("Illegal division by zero at train.pl line 8.\n", Cause.DIV_ZERO),
    "Perl: a file": ("train.pl: feats/a.ark: No such file or directory at train.pl line 12.\n", Cause.FILE_NOT_FOUND),
    "Perl: a module": (
        "Can't locate PDL.pm in @INC (@INC contains: /etc/perl) at a.pl line 3.\nBEGIN failed at a.pl line 3.\n",
        Cause.MISSING_MODULE,
    ),
    "Perl: memory": ("Out of memory!\n", Cause.RAM_OOM),
    "gawk": ("awk: cmd. line:1: fatal: division by zero attempted\n", Cause.DIV_ZERO),
    "mawk": ("mawk: division by zero\n", Cause.DIV_ZERO),
    "Tcl": (TCL, Cause.DIV_ZERO),
    "bash": ('anneal.sh: line 8: w / (step - 72): division by 0 (error token is "(step - 72)")\n', Cause.DIV_ZERO),
    "dash": ('fit.sh: 8: arithmetic expression: division by zero: "1 / 0"\n', Cause.DIV_ZERO),
    "Node.js": (NODE + NODE_ENDS, None),
    "Node.js: a module": (NODE_MODULE + NODE_ENDS, Cause.MISSING_MODULE),
    "a compiler": ("fit.c:28:5: error: unknown type name 'cublasHandle_t'\n   28 |     cublasHandle_t handle;\n", None),
    "absl's flags": ("FATAL Flags parsing error: Unknown command line flag 'x'.\nPass --helpshort to see help on flags.\n", None),
}


@pytest.mark.parametrize("name", sorted(LAST))
def test_the_last_word_of_another_runtime_is_the_crash(name):
    """Before progress a startup crash, after it one in mid-training; with its cause where the words name one."""
    text, cause = LAST[name]
    early = Run().rank(0, "n1", text, code=1).accounting().verdict()
    late = Run().rank(0, "n1", steps(1, 40) + text, code=1, end=60, times=[50.0]).accounting(end=61).verdict()
    assert (early.mode, late.mode) == ("A1", "A3")
    assert cause is None or early.cause is late.cause is cause


@pytest.mark.parametrize("name", sorted(LAST))
def test_such_words_on_the_way_are_nothing(name):
    """A run that goes on behind them and ends well is well."""
    text = steps(1, 20) + LAST[name][0] + steps(21, 60)
    assert Run().rank(0, "n1", text, code=0, end=60, times=[50.0]).accounting("COMPLETED", code=0, end=61).verdict().mode == "G1"


def test_a_stack_that_node_survived_is_no_end():
    """Only a program that its exception ended prints Node's version behind it."""
    assert Run().rank(0, "n1", NODE + "going on\n" * 80, code=3).accounting(code=3).verdict().mode == "unknown"
