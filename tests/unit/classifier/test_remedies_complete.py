"""Every finer name that a parser or a mode can give has advice, or a reason why it has none."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gpualert_slurm.classifier import meaning, modes, parsers
from gpualert_slurm.classifier.judge import outside_slurm
from gpualert_slurm.classifier.ladder import all_modes
from gpualert_slurm.classifier.meaning import meaning_of
from gpualert_slurm.classifier.pattern import Parser
from gpualert_slurm.classifier.remedies import WITHOUT, by_detail, remedy
from gpualert_slurm.classifier.standstill import WATCHDOG
from gpualert_slurm.discovery import discover
from gpualert_slurm.evidence import Evidence, FieldValue, Role, Trust
from tests.unit.classifier.records import Run, trace

ROOMS = [Path(next(iter(package.__path__))) for package in (parsers, modes)]
SOURCES = [*(path for room in ROOMS for path in sorted(room.glob("*.py"))), Path(str(meaning.__file__))]


def constants(node: ast.expr) -> set[str]:
    """The texts that an expression can give, as far as they stand in it."""
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    if isinstance(node, ast.IfExp):
        return constants(node.body) | constants(node.orelse)
    return set()


def in_source(path: Path) -> set[str]:
    """What stands behind ``detail=`` in a call, and what is assigned to ``cause, detail``."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    found = {text for call in nodes if isinstance(call, ast.Call) for word in call.keywords if word.arg == "detail" for text in constants(word.value)}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = zip(node.targets[0].elts, node.value.elts, strict=False)
            found |= {text for target, value in pairs if isinstance(target, ast.Name) and target.id == "detail" for text in constants(value)}
    return found


def every_detail() -> dict[str, str]:
    """Each finer name, and where it comes from."""
    found: dict[str, str] = {}
    for name, parser in discover(parsers, "PARSER", Parser).items():
        found.update({pattern.detail: f"{name}.{pattern.name}" for pattern in parser.patterns if pattern.detail})
        found.update({rule.detail: f"{name}'s exceptions" for rule in parser.exceptions})
    found.update({rule.detail: "meaning.py" for rule in (*meaning._FIRST, *meaning._THEN) if rule.detail})
    found.update({told.detail: "meaning.py" for _, told in meaning._BY_TYPE if told.detail})
    for path in SOURCES:
        found.update(dict.fromkeys(in_source(path), path.name))
    from gpualert_slurm.classifier.modes.a2_killed import CAUSES

    found.update({detail: "a2_killed.py" for _, detail in CAUSES.values() if detail})
    return found


DETAILS = every_detail()


def test_names_are_found_in_patterns_exceptions_rules_and_code():
    assert {"shapes", "dtype", "index_range", "dataset_columns", "script_missing", "cgroup_limit", "sockets", "sigfpe"} <= DETAILS.keys()
    assert len(DETAILS) > 120


@pytest.mark.parametrize("detail", sorted(DETAILS))
def test_a_finer_name_has_advice_or_a_reason_why_not(detail):
    assert (detail in by_detail()) != (detail in WITHOUT), f"{detail} of {DETAILS[detail]}: write it into classifier/advice/, or say in WITHOUT why it has none"


def test_no_advice_is_for_a_name_that_nothing_gives():
    assert set(by_detail()) <= DETAILS.keys()
    assert set(WITHOUT) <= DETAILS.keys()


@pytest.mark.parametrize("detail", sorted(by_detail()))
def test_advice_is_lines_that_say_what_to_do(detail):
    lines = by_detail()[detail]
    assert lines
    for line in lines:
        assert 20 < len(line) < 260
        assert "\n" not in line


def exceptions() -> list[pytest.param]:
    rules = [(name, rule) for name, parser in discover(parsers, "PARSER", Parser).items() for rule in parser.exceptions]
    return [pytest.param(*rule.samples[0], id=f"{name}: {rule.detail}") for name, rule in rules]


@pytest.mark.parametrize(("kind", "message"), exceptions())
def test_every_exception_that_a_parser_knows_gets_advice_from_the_whole_judge(kind, message):
    """As the end of a run: whatever mode it becomes, its owner is told what to do, by more than "look at line n"."""
    verdict = Run().rank(0, "n1", trace(f"{kind}: {message}"), code=1).accounting().verdict()
    assert verdict.advice
    if meaning_of(kind, message).detail not in {None, *WITHOUT}:
        assert not any(line.startswith("Look at /home/alice") for line in verdict.advice), verdict.advice


@pytest.mark.parametrize("detail", sorted(by_detail()))
def test_outside_slurm_what_is_left_of_advice_is_still_a_sentence(detail):
    """``srun --option`` without srun is no command."""
    for line in outside_slurm((*by_detail()[detail], *WATCHDOG)):
        assert not line.startswith("-"), line
        assert "  " not in line.split("#")[0].strip(), line


@pytest.mark.parametrize("mode", [mode for mode in all_modes() if mode.variants], ids=lambda mode: mode.code)
def test_variants_are_named_once(mode):
    assert len(set(mode.variants)) == len(mode.variants)


def said(message: str, kind: str = "OSError") -> Evidence:
    source = FieldValue(record="x", query="x", name="x", value=message)
    return Evidence(id="e", says="exception", role=Role.ROOT, trust=Trust.USER, source=source, data={"type": kind, "message": message})


def test_advice_names_the_path_that_the_error_names():
    error = said("Can't find 'adapter_config.json' at './runs/lora-7'")
    assert "srun -N1 ls -ld /models/llama" in remedy(said("'/models/llama' is not a local folder"), None, "unknown_model")[0]
    assert "(ls adapter_config.json)" in remedy(error, None, "adapter_missing")[0]


def test_what_is_no_plain_path_is_not_pasted_into_a_command():
    for odd in ("a; rm -rf ~", "$(reboot)/x", "-rf/", "x y/z"):
        assert "PATH" in remedy(said(f"'{odd}' is not a local folder"), None, "unknown_model")[0]
    assert "PATH on the compute node" in remedy(said("'/x/prog' not found"), None, "program_not_found")[0]
