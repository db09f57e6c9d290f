"""Snippets spread over programs: each stands in another model, another way of telling progress, another seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpus.label import Label
from corpus.running.job import LocalJob
from corpus.running.models import MODELS
from corpus.running.programs import Program
from corpus.running.snippets import EARLY, Snippet
from corpus.running.styles import STYLES

MODEL_TURN = {
    "": ("line", "np_mlp", "logistic", "np_factors", "line", "mlp", "logistic", "np_mlp", "lm", "np_factors"),
    "numpy": ("np_mlp", "np_factors"),
    "torch": ("mlp", "cnn", "gru", "lm"),
}
STYLE_TURN = ("plain", "logging", "json", "epochs", "dict", "nano", "table", "rank_logging", "lists", "bar", "wandbish")
SCRIPTS = ("train.py", "main.py", "run.py", "finetune.py", "pretrain.py", "fit.py", "train_net.py")


def environment_of(model: str, style: str, turn: int, *, old: bool = False) -> str:
    """The interpreter: the numpy of 2023 for half of the numpy programs where asked, torch's own numpy else."""
    if STYLES[style].needs:
        return "frameworks" if MODELS[model].library == "torch" else "numpy"
    library = MODELS[model].library
    if library == "torch":
        return "torch-old" if old else "torch"
    if library == "numpy":
        return "numpy" if old else "torch"
    return "system" if turn % 3 else "torch"


def label_of(snippet: Snippet, stage: str) -> Label:
    """Before progress it is a startup crash of the snippet's kind, else a crash in mid-training."""
    early = stage in EARLY or stage == "top"
    return Label(
        mode="A1" if early else "A3", variant=snippet.kind if early else None, cause=snippet.cause, fault="user", failed_ranks=(0,), first_ranks=(0,)
    )


def spread(
    snippets: Sequence[Snippet], *, offset: int = 0, styles: Sequence[str] = STYLE_TURN, old: bool = False, most: int = 1000
) -> Iterator[LocalJob]:
    """One job for each snippet and stage."""
    turn = offset
    for snippet in snippets:
        for stage in snippet.stages:
            if turn - offset >= most:
                return
            models = MODEL_TURN[snippet.needs]
            model, style = models[turn % len(models)], styles[turn % len(styles)]
            program = Program(
                model=model, style=style, total=(80, 120, 200, 150)[turn % 4], every=(5, 10, 20)[turn % 3], mid_step=(33, 57, 71, 44)[turn % 4],
                seed=turn, at={stage: snippet.code}, helpers=snippet.helpers, save_every=25 if stage == "save" or turn % 4 == 1 else 0,
            )  # fmt: skip
            script = SCRIPTS[turn % len(SCRIPTS)]
            yield LocalJob(
                label_of(snippet, stage), {script: program.text(), **dict(snippet.files)}, ("PYTHON", script), environment_of(model, style, turn, old=old),
                folders=("data", *snippet.folders), locked=snippet.locked, ends=lambda status: status == 1,
            )  # fmt: skip
            turn += 1


def on_other_versions(snippets: Sequence[Snippet], *, offset: int = 0, most: int = 8) -> Iterator[LocalJob]:
    """The same on older versions of the libraries."""
    yield from spread([s for s in snippets if s.needs], offset=offset, old=True, most=most)


def both(snippets: Sequence[Snippet], offset: int, *, most: int = 1000) -> Iterator[LocalJob]:
    """On the usual versions, then on older ones."""
    yield from spread(snippets, offset=offset, most=most)
    yield from on_other_versions(snippets, offset=offset)
