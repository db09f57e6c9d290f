"""An advice is a sentence, something to paste, or both."""

from __future__ import annotations

import pytest

from gpualert_slurm.notify.view import Step
from gpualert_slurm.notify.view_builder import brief, step


@pytest.mark.parametrize(
    ("advice", "text", "code"),
    [
        ("srun -w n2 ls -l /data", "", "srun -w n2 ls -l /data"),
        ("$ make data", "", "make data"),
        ("#SBATCH --exclude=n2   # until the operators say it is well", "", "#SBATCH --exclude=n2   # until the operators say it is well"),
        ("Then submit again: `sbatch train.sh`", "Then submit again", "sbatch train.sh"),
        ("Check the path on the compute node: srun -N1 ls -ld data/x", "Check the path on the compute node", "srun -N1 ls -ld data/x"),
        ("Choose the port by job: export MASTER_PORT=$((20000 + 1))", "Choose the port by job", "export MASTER_PORT=$((20000 + 1))"),
        ("Use fewer loader workers, or ask for more memory: #SBATCH --mem=64G", "Use fewer loader workers, or ask for more memory", "#SBATCH --mem=64G"),
    ],
)
def test_what_can_be_pasted_is_set_apart(advice, text, code):
    assert step(advice) == Step(text, code)


@pytest.mark.parametrize(
    "advice",
    [
        "chmod +x PROGRAM, and check its first line (#!) and its architecture.",
        "Check the token: huggingface-cli whoami; export HF_TOKEN=… in the job script.",
        "Before the next run: export A=1 B=2, and a shorter --time",
        "Lower the learning rate or clip gradients.",
        "For a core: ulimit -c unlimited in the script, then gdb python core",
        "find out who did it.",
        "make sure the path exists",
    ],
)
def test_a_sentence_stays_a_sentence(advice):
    assert step(advice) == Step(advice)


@pytest.mark.parametrize(
    ("headline", "short"),
    [
        ("rank 3: FileNotFoundError: [Errno 2] No such file or directory: 'data/train.bin'", "rank 3: FileNotFoundError: data/train.bin"),
        ("PermissionError: [Errno 13] Permission denied: '/scratch/a/b/c/d/e/f/g/h/i/j/k/l/model.pt'", "PermissionError: .../l/model.pt"),
        ("rank 0: CUDA out of memory", "rank 0: CUDA out of memory"),
        ("see https://example.org/a/very/long/path/that/stays/as/it/is/here", "see https://example.org/a/very/long/path/that/stays/as/it/is/here"),
    ],
)
def test_a_subject_says_the_error_once_and_the_end_of_a_long_path(headline, short):
    assert brief(headline) == short
