"""Megatron-LM and megatron-core to 0.16: its iteration line (printed on the last rank only), checkpoints, checks. Not run: it needs GPUs."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.numbers import NUMBER, fields
from gpualert_slurm.classifier.pattern import Data, Match, Parser, Pattern
from gpualert_slurm.evidence import Role

_FIELDS = (
    ("loss", re.compile(r"\| (?:lm )?loss: (" + NUMBER + ")")),
    ("grad_norm", re.compile(r"\| grad norm: (" + NUMBER + ")")),
    ("learning_rate", re.compile(r"\| learning rate: (" + NUMBER + ")")),
    ("loss_scale", re.compile(r"\| loss scale: (" + NUMBER + ")")),
    ("nan_iterations", re.compile(r"\| number of nan iterations:\s{1,6}(" + NUMBER + ")")),
    ("step_time_ms", re.compile(r"elapsed time per iteration \(ms\): (" + NUMBER + ")")),
)


def _iteration(found: re.Match[str], match: Match) -> Match:
    data: Data = {"step": int(found["step"]), "planned": int(found["planned"]), **fields(match.line.text, _FIELDS)}
    return Match(match.says, match.role, match.line, match.pattern, data=data)


PARSER = Parser(
    program="Megatron-LM",
    patterns=(
        Pattern(
            name="iteration",
            says="progress",
            role=Role.MARKER,
            regex=r"\biteration\s{1,10}(?P<step>\d{1,12})/\s{0,10}(?P<planned>\d{1,12}) \|",
            literals=("iteration ",),
            samples=(
                (
                    " iteration       10/  500000 | consumed samples:         2560 | elapsed time per iteration (ms): 1234.5 | learning rate: 1.500000E-04 | global batch size:   256 | lm loss: 2.4E+00 | loss scale: 1.0"
                    " | grad norm: 1.2 | number of skipped iterations:   0 | number of nan iterations:   0 |"
                ),
                "[2025-01-01 00:00:00] iteration 20/ 100 | consumed samples: 1 | lm loss: nan | number of nan iterations:   1 |",
            ),
            near_misses=("iteration 10 of 500", " validation loss at iteration 100 | lm loss value: 2.4E+00 |"),
            read=_iteration,
        ),
        Pattern(
            name="loaded",
            says="checkpoint_loaded",
            role=Role.MARKER,
            regex=r"succ?esfully loaded checkpoint from|successfully loaded checkpoint from",
            literals=("fully loaded checkpoint from",),
            samples=(
                "  successfully loaded checkpoint from /ckpt [ t 1/1, p 1/1 ] at iteration 100",
                "  succesfully loaded checkpoint from /ckpt at iteration 3",
            ),
            near_misses=("could not load checkpoint from /ckpt",),
        ),
        Pattern(
            name="from_random",
            says="checkpoint_not_loaded",
            role=Role.MARKER,
            regex=r"will not load any checkpoints and will start from random",
            literals=("will start from random",),
            samples=("    will not load any checkpoints and will start from random", "[ts] will not load any checkpoints and will start from random"),
            near_misses=("will start from random seeds",),
        ),
        Pattern(
            name="exiting",
            says="planned_end",
            role=Role.MARKER,
            regex=r"\[after training is done\]|exiting program (?:after|at) (?:\d{1,12} )?iterations?",
            literals=("[after training is done]", "exiting program "),
            samples=("[after training is done] datetime: 2025-01-01 00:00:00", "[exiting program after 100 iterations] datetime: 2025-01-01"),
            near_misses=("exiting program after 20 minutes", "after training"),
        ),
        Pattern(
            name="saved",
            says="checkpoint_saved",
            role=Role.MARKER,
            regex=r"succ?ess?fully saved checkpoint (?:from|at|to|local)",
            literals=("fully saved checkpoint",),
            samples=(
                "  successfully saved checkpoint from iteration     500 to /ckpt [ t 1/1, p 1/1 ]",
                "[2026-01-01 00:00:00]   successfully saved checkpoint from iteration 1000 to /ckpt",
            ),
            near_misses=("saving checkpoint at iteration 500 to /ckpt in torch_dist format",),
        ),
        Pattern(
            name="timed_exit",
            says="teardown",
            role=Role.MARKER,
            regex=r"exiting program after (?P<minutes>[\d.]{1,12}) minutes|exiting program after receiving SIGTERM",
            literals=("exiting program after ",),
            samples=("[exiting program after 220.5 minutes] datetime: 2025-01-01 00:00:00", "[exiting program after receiving SIGTERM.] datetime: 2025-01-01"),
            near_misses=("[exiting program after 100 iterations] datetime: 2025-01-01",),
            detail="exit_interval",
        ),
        Pattern(
            name="validation",
            says="metrics",
            role=Role.MARKER,
            regex=r"validation loss at (?:iteration (?P<step>\d{1,12})|the end of training)[^|]{0,60}\| lm loss value: (?P<value>" + NUMBER + ")",
            literals=("validation loss at ",),
            samples=(
                " validation loss at iteration 100 | lm loss value: 2.412345E+00 | lm loss PPL: 1.116010E+01 |",
                " validation loss at the end of training for val data | lm loss value: 1.9E+00 | lm loss PPL: 6.7E+00 |",
            ),
            near_misses=(" validation loss at iteration 100 is not known",),
            read=lambda found, match: Match(match.says, match.role, match.line, match.pattern, data={"name": "eval_loss", "value": float(found["value"])}),
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="non_finite",
            words=r"found NaN in local (?:grad norm|forward loss)|Unexpected result (?:nan|inf)|found Inf in local",
            samples=(
                ("AssertionError", "Rank 3: found NaN in local grad norm in backward pass before data-parallel communication collective."),
                ("RuntimeError", "Rank 3, node n2, device 3, iteration 120: Unexpected result nan (message='found NaN in local forward loss calculation')"),
            ),
            near_misses=(("RuntimeError", "Unexpected result of a call"),),
            cause=Cause.NAN_LOSS,
        ),
        ExceptionRule(
            detail="parallel_config",
            words=r"(?:world size|world_size|number of layers|num_attention_heads|global batch size|hidden_size|vocab).{0,80}(?:not divisible|divisible by|must be a multiple)",
            samples=(
                ("RuntimeError", "world_size (6) is not divisible by 4"),
                ("AssertionError", "global batch size (250) is not divisible by micro batch size (4) times data parallel size (8)"),
                ("AssertionError", "number of layers should be divisible by the pipeline parallel size"),
            ),
            near_misses=(("AssertionError", "the world size is 8"),),
            about="config",
        ),
    ),
)
