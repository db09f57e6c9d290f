"""Which frameworks and families of exceptions are read, and by which parser: ``doc/frameworks.md``.

A fact without a pattern needs its reason here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

HEAD = """# Frameworks and exceptions that are read

Generated from `classifier/parsers/` by `make docs`; a test compares, and fails where a fact has neither a pattern nor a reason.
What each pattern reads, with a line of it: [failure_modes.md](failure_modes.md). How recordings are made, and what was never run:
[goldens.md](goldens.md).
"""
FACTS = ("step", "loss", "grad norm", "learning rate", "saved", "loaded", "planned end")
_DATA = {"step": "step", "loss": "loss", "grad_norm": "grad norm", "learning_rate": "learning rate"}
_SAYS = {"checkpoint_saved": "saved", "checkpoint_loaded": "loaded", "planned_end": "planned end"}
TRAINER = ("transformers_trainer", "plain_loop", "tqdm")
LOOP = ("plain_loop", "tqdm")
SLURM = "a real Slurm (tests/system)"


@dataclass(frozen=True)
class Framework:
    """What prints a run's progress: its parsers, and why a fact has no pattern. ``recorded``: its folders' names in tests/goldens/logs begin so."""

    name: str
    parsers: tuple[str, ...]
    recorded: tuple[str, ...] = ()
    none: tuple[tuple[str, str], ...] = ()
    later: tuple[str, ...] = ()
    """Patterns of its parsers for lines that it does not print, but a later version."""


FRAMEWORKS = (
    Framework("Hugging Face Trainer < 5", TRAINER, ("trainer-4",), later=("transformers_trainer.shards",)),
    Framework("Hugging Face Trainer ≥ 5", TRAINER, ("trainer-5",)),
    Framework("TRL", ("trl", *TRAINER), ("trl-",)),
    Framework("LLaMA-Factory", ("llama_factory", *TRAINER)),
    Framework("Axolotl", ("axolotl", *TRAINER)),
    Framework("Unsloth", ("unsloth", *TRAINER)),
    Framework("Megatron-LM", ("megatron",)),
    Framework(
        "PyTorch Lightning",
        ("lightning", "tqdm"),
        ("lightning-",),
        (
            ("grad norm", "printed only where the user logs it to the bar: the bar's further values"),
            ("learning rate", "printed only where the user logs it to the bar: the bar's further values"),
            ("saved", "its ModelCheckpoint prints nothing at the default verbosity"),
        ),
    ),
    Framework(
        "Keras",
        ("keras",),
        ("keras-",),
        (
            ("grad norm", "Keras prints none"),
            ("learning rate", "Keras prints none but in its callbacks' words"),
            ("loaded", "Keras prints nothing when it loads weights (BackupAndRestore included)"),
        ),
    ),
    Framework(
        "TensorFlow",
        ("tensorflow", "keras", *LOOP),
        ("keras-2",),
    ),
    Framework("DeepSpeed", ("deepspeed", *LOOP), ("deepspeed-",)),
    Framework("accelerate", ("accelerate", *LOOP), ("accelerate-",)),
    Framework("JAX and Flax loops", ("jax", "orbax", *LOOP), ("jax-",)),
    Framework(
        "MLPerf :::MLLOG",
        ("mllog",),
        (),
        (
            ("grad norm", "no key of MLPerf's has it"),
            ("learning rate", "logged once as a hyperparameter, not by step"),
            ("saved", "no key of MLPerf's has it"),
            ("loaded", "no key of MLPerf's has it"),
            ("planned end", "`run_stop` with status `success`, read by `mllog.entry`"),
        ),
    ),
    Framework("plain `step … loss …`", LOOP, ("torch-", "torchrun-", "jax-")),
)


@dataclass(frozen=True)
class Family:
    """Exceptions and refusals of one library or launcher. ``words``: what marks its lines among those of a parser that reads several programs."""

    name: str
    parsers: tuple[str, ...]
    recorded: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    seen: str = ""


FAMILIES = (
    Family("datasets", ("datasets",), ("datasets-",)),
    Family("PyArrow", ("datasets",), ("datasets-",), ("pyarrow", "Arrow")),
    Family("PEFT", ("peft",), ("peft-",)),
    Family("hub client", ("hub",), ("hub-",)),
    Family("bitsandbytes", ("bitsandbytes",)),
    Family("safetensors", ("safetensors",), ("trainer-5", "peft-0.21")),
    Family("CUDA", ("cuda", "torch"), ("torch-2.13",)),
    Family("NCCL", ("nccl", "nccl_heartbeat", "torch"), (), ("NCCL",)),
    Family("JAX", ("jax",), ("jax-",)),
    Family("TensorFlow", ("tensorflow", "keras"), ("keras-2",)),
    Family("torchrun, torchelastic", ("torchelastic",), ("torchrun-",)),
    Family("srun", ("slurm", "srun_launch"), (), ("srun",), SLURM),
    Family("slurmstepd", ("slurm", "srun_launch"), (), ("slurmstepd",), SLURM),
    Family("pyxis, enroot", ("container", "slurm"), (), ("pyxis", "enroot")),
    Family("PMI, PMIx", ("mpi", "slurm", "srun_launch"), (), ("PMI", "pmi"), "srun --mpi of a real Slurm 22.05"),
)


def read_by(parsers: Iterable[str]) -> dict[str, list[str]]:
    """By fact the patterns that read it, as their own samples show."""
    from gpualert_slurm.classifier.engine import engine
    from gpualert_slurm.classifier.lines import clean

    found: dict[str, list[str]] = {fact: [] for fact in FACTS}
    wanted = tuple(parsers)
    for name, pattern, compiled in engine().patterns:
        if name.partition(".")[0] not in wanted:
            continue
        matches = [pattern.match(clean(sample.encode(), 0, 1), compiled, name) for sample in pattern.samples]
        facts = {_SAYS.get(match.says) for match in matches if match is not None}
        facts |= {_DATA.get(key) for match in matches if match is not None and match.says == "progress" for key in match.data}
        for fact in facts & set(FACTS):
            found[str(fact)].append(name)
    return {fact: sorted(names, key=lambda name: wanted.index(name.partition(".")[0])) for fact, names in found.items()}


def lines_of(family: Family) -> Iterator[tuple[str, str]]:
    """Name and sample of everything that reads this family: patterns, stories, rules of exceptions."""
    from gpualert_slurm.classifier import parsers
    from gpualert_slurm.classifier.pattern import Parser
    from gpualert_slurm.discovery import discover

    for module, parser in discover(parsers, "PARSER", Parser).items():
        if module not in family.parsers:
            continue
        told = [(f"{module}.{one.name}", one.samples) for one in (*parser.patterns, *parser.stories)]
        told += [(f"{module} {rule.detail}", tuple(f"{kind}: {words}" for kind, words in rule.samples)) for rule in parser.exceptions]
        for name, samples in told:
            mine = [sample for sample in samples if not family.words or any(word in sample for word in family.words)]
            if mine:
                yield name, mine[0].splitlines()[0]


def recorded(begins: tuple[str, ...]) -> list[str]:
    """The versions that were really run, by their folders' names."""
    logs = Path(__file__).resolve().parents[1] / "tests" / "goldens" / "logs"
    return sorted(folder.name for folder in logs.iterdir() if begins and folder.name.startswith(begins))


def page() -> str:
    """``doc/frameworks.md``."""
    lines = [HEAD, "## Progress", "", f"| framework | {' | '.join(FACTS)} | recorded |", "|---" * (len(FACTS) + 2) + "|"]
    reasons: list[str] = []
    for framework in FRAMEWORKS:
        found = {fact: [n for n in names if n not in framework.later] for fact, names in read_by(framework.parsers).items()}
        none = dict(framework.none)
        cells = []
        for fact in FACTS:
            if not found[fact] and fact in none:
                reasons.append(f"{framework.name}, {fact}: {none[fact]}.")
            cells.append(" ".join(f"`{name}`" for name in found[fact][:2]) if found[fact] else f"[{len(reasons)}]" if fact in none else "**none**")
        lines.append(f"| {framework.name} | {' | '.join(cells)} | {', '.join(recorded(framework.recorded)) or '–'} |")
    lines += ["", *(f"{number}. {reason}" for number, reason in enumerate(reasons, 1))]
    lines += ["", "## Exceptions and refusals", "", "| family | read by | how many | recorded |", "|---|---|---|---|"]
    for family in FAMILIES:
        names = [name for name, _ in lines_of(family)]
        shown = ", ".join(f"`{name}`" for name in names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
        lines.append(f"| {family.name} | {shown} | {len(names)} | {', '.join(recorded(family.recorded)) or family.seen or '–'} |")
    lines += ["", "“–”: written from documentation and from the projects' known messages, not run here."]
    return "\n".join(lines) + "\n"
