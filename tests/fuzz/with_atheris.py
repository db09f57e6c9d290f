"""One target under atheris (libFuzzer): ``python -m tests.fuzz.with_atheris TARGET [FLAG]… CORPUS``."""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["gpualert_slurm.classifier", "gpualert_slurm.programs"]):
    from tests.fuzz.targets import TARGETS

if __name__ == "__main__":
    target = TARGETS[sys.argv.pop(1)]
    atheris.Setup(sys.argv, target)
    atheris.Fuzz()
