"""What a recipe describes: a job that is really run, or one that is written down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from corpus.label import Label
from corpus.running.hand import Hand


@dataclass(frozen=True)
class Signal:
    """Sent once a line of the output matches ``after`` (a regular expression), to ``to``: ``run`` is gpualert-run, else a child whose
    command line holds the text.
    """

    name: str
    after: str
    to: str = "run"
    wait_s: float = 0.0


@dataclass(frozen=True)
class LocalJob:
    """A command under gpualert-run. ``python`` names an environment (``running/environments.py``); the word PYTHON in ``command`` is its interpreter,
    PORT a free port. ``folders`` are made before; ``before`` runs first, uncaptured. ``locked`` names are closed to the job's user.
    """

    label: Label
    files: Mapping[str, str]
    command: tuple[str, ...]
    python: str = "torch"
    env: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    locked: tuple[str, ...] = ()
    before: tuple[tuple[str, ...], ...] = ()
    timeout_s: int | None = None
    memory_mib: int | None = None
    file_kib: int | None = None
    """RLIMIT_FSIZE."""
    disk_mib: int | None = None
    """``full/`` below the work folder is a file system of its own of this size."""
    group_mib: int | None = None
    """The command's memory control group (version 1) has this limit: beyond it the kernel kills."""
    signal: Signal | None = None
    ends: Callable[[int], bool] | None = None
    """What the command's exit status (minus the signal) must be for the case to be what its label says."""


@dataclass(frozen=True)
class SlurmJob:
    """A batch job on the bed. PYTHON in ``script`` as above. ``act`` names what happens to it while it runs (``running/acts.py``); ``after`` is
    the line of its output after which it happens. ``gpus`` scripts readings: by (node index, gpu): first, then later changes.
    """

    label: Label
    files: Mapping[str, str]
    script: str
    options: tuple[str, ...] = ()
    python: str = "torch"
    act: str = ""
    after: str = ""
    gpus: Mapping[tuple[int, int], tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]] = field(default_factory=dict)
    state: str = ""
    """How Slurm must say that it ended, for the case to be what its label says."""
    parent: str = ""
    """Submitted with ``--dependency=afterany`` on the job of this recipe with that key, once it is over."""
    key: str = ""
    bed: str = "plain"
    """``plain`` or ``cgroup``: how Slurm tracks and holds it; ``card``: one node that has the machine's one real GPU, jobs one after another."""
    args: tuple[str, ...] = ()
    """What stands behind the script's name in ``sbatch``."""


@dataclass(frozen=True)
class HandJob:
    """A job written down: its record and logs."""

    label: Label
    hand: Hand


Job = LocalJob | SlurmJob | HandJob


@dataclass(frozen=True)
class Recipe:
    """How to make cases that fail in one way. ``part`` is development or test; a job's own label may put it into test for its software's version."""

    name: str
    part: str
    jobs: Callable[[], Iterator[Job]]
    note: str = ""
