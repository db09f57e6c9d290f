"""The ways a job ends: each as a batch script of its own and as rank 1 of a step of two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SAYS = "printf 'out\\n'; printf 'err \\377\\n' >&2\n"
# Slurm may record a step after its own job when the job ends at once, which changes the job's DerivedExitCode, with and without gpualert.
AFTER = "code=$?; sleep 0.5; exit $code\n"
EAT = "exec /usr/bin/python3 -c 'x = bytearray(); [x.extend(bytes([1]) * 1000000) for _ in range(400)]'"
FLOOD = """exec /usr/bin/python3 -c 'print("x" * 100000)'"""


@dataclass(frozen=True)
class Places:
    """Where the files of one run of the rows lie: ``out`` for outputs, ``full`` on a full disk, ``locked`` closed to the user."""

    out: Path
    full: Path
    locked: Path


@dataclass(frozen=True)
class Row:
    """One way to end.

    Attributes:
        ending: shell commands that end so.
        options: more options of sbatch (batch) or srun (step).
        mixed: several programs write into one file at the same time: lines are compared, not their order.
        tracking: the row needs this way of tracking processes.
        outlives: under proctrack/linuxproc Slurm loses the srun of a script that dies first, and with it srun's last words.
        excepted: the one documented exception: the program does not see that its own output is full.
    """

    title: str
    kind: str
    ending: str = ""
    options: tuple[str, ...] = ()
    whole_script: str = ""
    mixed: bool = False
    tracking: str = ""
    slow: bool = False
    outlives: bool = False
    excepted: bool = False
    copy: int = 0  # several at the same time

    @property
    def key(self) -> str:
        """A name for files."""
        return f"{self.kind}-{''.join(c if c.isalnum() else '-' for c in self.title)}-{self.copy}"

    def script(self, places: Places) -> str:
        """The batch script; a step's ranks get a script of their own in ``places.out``."""
        if self.whole_script:
            return self.whole_script
        if self.kind == "batch":
            return f"#!/bin/bash\n{SAYS}{self.ending}\n"
        rank = places.out / f"{self.key}.sh"
        first = self.ending.partition("\n")[0]
        rank.write_text(self.ending if first.startswith("#!") else f'#!/bin/bash\n{SAYS}[ "$SLURM_PROCID" = 1 ] || exit 0\n{self.ending}\n')
        rank.chmod(0o755)
        words = [f"--output={places.out / self.key}.%t.out", f"--error={places.out / self.key}.%t.err", *(o.format(p=places) for o in self.options)]
        program = "/nonexistent/program" if self.ending == "" else str(rank)
        tasks = "-n2" if self.ending and not first.startswith("#!") else "-n1"
        srun = f"srun {tasks} {' '.join(words)} {program}"
        if "scancel the step" in self.title:
            return f"#!/bin/bash\n{SAYS}{srun} & sleep 2; scancel $SLURM_JOB_ID.0; wait $!; {AFTER}"
        return f"#!/bin/bash\n{SAYS}{srun}; {AFTER}"

    def sbatch(self, places: Places) -> list[str]:
        """Options of sbatch, with the job's --output."""
        own = [o.format(p=places) for o in self.options] if self.kind == "batch" else []
        rest = [] if any(o.startswith("--output") for o in own) else [f"--output={places.out / self.key}.out"]
        limit = ["--time=1"] if self.slow else []
        memory = ["--mem=100M"] if self.tracking == "cgroup" else []
        return [f"--job-name={self.key}", "-N1", "-n2", *limit, *memory, *rest, *own]


def _both(title: str, ending: str, **more: bool | str) -> Iterator[Row]:
    for kind in ("batch", "step"):
        yield Row(title, kind, ending, mixed=kind == "step" or bool(more.get("mixed")),
                  **{key: value for key, value in more.items() if key != "mixed"})  # type: ignore[arg-type]


ROWS: tuple[Row, ...] = (
    *_both("time limit", "exec sleep 300", slow=True, mixed=True, outlives=True),
    *(row for code in (0, 1, 3, 255) for row in _both(f"exit {code}", f"exit {code}")),
    *(row for name in ("SEGV", "ABRT", "KILL", "TERM") for row in _both(f"SIG{name}", f"kill -{name} $$; sleep 5")),
    *_both("Python exception", """exec /usr/bin/python3 -c 'import sys; print("rank"); sys.stdout.flush(); raise ValueError("\\u00fc")'"""),
    Row("exec failure", "batch", "exec /nonexistent/program"),
    Row("exec failure", "step", mixed=True),
    Row("scancel", "batch", "scancel $SLURM_JOB_ID; exec sleep 60", mixed=True),
    Row("scancel", "step", "[ $SLURM_PROCID = 0 ] || scancel $SLURM_JOB_ID; exec sleep 60", mixed=True, outlives=True),
    Row("scancel the step", "step", "exec sleep 60", mixed=True),
    *_both("OOM kill", EAT, tracking="cgroup", mixed=True),
    Row("interpreter missing", "batch", whole_script="#!/nonexistent/interpreter\necho never\n"),
    Row("interpreter missing", "step", "#!/nonexistent/interpreter\necho never\n", mixed=True),
    Row("--output: folder missing", "batch", "exit 0", ("--output=/nonexistent/folder/out",)),
    Row("--output: folder missing", "step", "exit 0", ("--output=/nonexistent/folder/out",), mixed=True),
    Row("--output: folder closed", "batch", "exit 0", ("--output={p.locked}/out",)),
    Row("--output: folder closed", "step", "exit 0", ("--output={p.locked}/out",), mixed=True),
    Row("--output: disk full", "batch", FLOOD, ("--output={p.full}/%j.out", "--error={p.out}/%x.full"), excepted=True),
    Row("--output: disk full", "step", FLOOD, ("--output={p.full}/%j.%t.out",), mixed=True, excepted=True),
)
