"""DeepSpeed 0.9 to 0.19: steps, loss scale, checkpoints, its launcher's summary. 0.19 recorded by running it on a CPU."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.numbers import number
from gpualert_slurm.classifier.pattern import Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role

_LOCAL = re.compile(r"--local[_-]rank=(?P<local>\d{1,4})'")


def _step(found: re.Match[str], match: Match) -> Match | None:
    if int(found["step"]) == 0:  # printed while the engine is built
        return None
    rate = number(found["lr"])
    return refined(
        Match(match.says, match.role, match.line, match.pattern),
        data={"step": int(found["step"]), **({"learning_rate": rate} if rate is not None else {})},
    )


def _ended(found: re.Match[str], match: Match) -> Match:
    """The exit, and which of the node's ranks it was by the option that the launcher gave it."""
    local = _LOCAL.search(match.line.text)
    return refined(match, data={"exitcode": int(found["exitcode"]), **({"local_rank": int(local["local"])} if local else {})})


PARSER = Parser(
    program="DeepSpeed",
    patterns=(
        Pattern(
            name="step",
            says="progress",
            role=Role.MARKER,
            regex=r"\[Rank \d{1,6}\] step=(?P<step>\d{1,12}), skipped=\d{1,12}, lr=\[(?P<lr>[-+\d.e]{1,30})",
            literals=(" step=",),
            samples=(
                "[2025-01-01 00:00:00,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=0, lr=[1e-05], mom=[[0.9, 0.999]]",
                "[Rank 0] step=20, skipped=1, lr=[0.0001, 0.0001], mom=[0.9]",
            ),
            near_misses=("[Rank 0] step=ten, skipped=0", "micro step=1", "[Rank 0] step=0, skipped=0, lr=[0.01], mom=[0]"),
            read=_step,
        ),
        Pattern(
            name="overflow",
            says="loss_scale",
            role=Role.RECOVERED,
            regex=r"OVERFLOW! Rank \d{1,6} Skipping step",
            literals=("OVERFLOW! Rank",),
            samples=("[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768", "OVERFLOW! Rank 3 Skipping step."),
            near_misses=("no OVERFLOW! here",),
        ),
        Pattern(
            name="scale_minimum",
            says="nan_loss",
            role=Role.ROOT,
            regex=r"[Cc]urrent loss scale already at minimum",
            literals=("urrent loss scale already at minimum",),
            samples=(
                "Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
                "current loss scale already at minimum",
            ),
            near_misses=("loss scale is at its minimum of 1",),
            cause=Cause.NAN_LOSS,
            detail="loss_scale_minimum",
        ),
        Pattern(
            name="launcher",
            says="failure_summary",
            role=Role.WRAPPER,
            regex=r"\[launch\.py:\d{1,5}:\w{1,40}\] .{0,300}exits with return code = (?P<exitcode>-?\d{1,3})",
            literals=("exits with return code = ",),
            samples=(
                "[2025-01-01 00:00:00,000] [ERROR] [launch.py:341:sigkill_handler] ['/usr/bin/python', 'train.py'] exits with return code = -9",
                "[INFO] [launch.py:330:main] python exits with return code = 1",
            ),
            near_misses=("exits with return code = 0 is success",),
            read=_ended,
        ),
        Pattern(
            name="process_ended",
            says="planned_end",
            role=Role.MARKER,
            regex=r"\[launch\.py:\d{1,5}:\w{1,40}\] Process (?P<pid>\d{1,10}) exits successfully",
            literals=(" exits successfully",),
            samples=(
                "[2025-01-01 00:00:00,000] [INFO] [launch.py:351:main] Process 4711 exits successfully.",
                "[2026-01-01 00:00:00,000] [INFO] [launch.py:367:main] Process 31337 exits successfully.",
            ),
            near_misses=("Process 4711 exits successfully",),
            detail="process",
        ),
        Pattern(
            name="killing",
            says="teardown",
            role=Role.CASCADE,
            regex=r"\[launch\.py:\d{1,5}:\w{1,40}\] Killing subprocess (?P<pid>\d{1,10})",
            literals=("] Killing subprocess ",),
            samples=("[2025-01-01 00:00:00,000] [INFO] [launch.py:335:sigkill_handler] Killing subprocess 4711", "[2026-01-01 00:00:00,000] [INFO] [launch.py:335:sigkill_handler] Killing subprocess 4712"),
            near_misses=("Killing subprocess 4711",),
        ),
        Pattern(
            name="saved",
            says="checkpoint_saved",
            role=Role.MARKER,
            regex=r"\[(?:torch|fast|nebula|decoupled)\w{0,30}_checkpoint_engine\.py:\d{1,5}:(?:save|commit)\] \[\w{1,20}\] (?:Saved|Checkpoint) (?P<path>\S{1,300})|\[engine\.py:\d{1,5}:_save_checkpoint\] Saving model checkpoint: (?P<file>\S{1,300})",
            literals=("_checkpoint_engine.py:", ":_save_checkpoint] Saving"),
            samples=(
                "[2025-01-01 00:00:00,000] [INFO] [torch_checkpoint_engine.py:23:save] [Torch] Saved ckpt/global_step20/mp_rank_00_model_states.pt.",
                "[2025-01-01 00:00:00,000] [INFO] [engine.py:3600:_save_checkpoint] Saving model checkpoint: ckpt/global_step20/mp_rank_00_model_states.pt",
            ),
            near_misses=("[INFO] [torch_checkpoint_engine.py:21:save] [Torch] Saving ckpt/global_step20/mp_rank_00_model_states.pt...",),
            detail="file",
        ),
        Pattern(
            name="loaded",
            says="checkpoint_loaded",
            role=Role.MARKER,
            regex=r"_checkpoint_engine\.py:\d{1,5}:load\] \[\w{1,20}\] Loaded checkpoint from (?P<path>\S{1,300})|\[\w{1,20}\] End Load checkpoint from (?P<file>\S{1,300})",
            literals=("Loaded checkpoint from ", "] End Load checkpoint from "),
            samples=(
                "[2025-01-01 00:00:00,000] [INFO] [torch_checkpoint_engine.py:29:load] [Torch] Loaded checkpoint from ckpt/global_step20/mp_rank_00_model_states.pt.",
                "[2026-01-01 00:00:00,000] [INFO] [torch_checkpoint_engine.py:45:load] [Torch] Loaded checkpoint from out/global_step5/x.pt.",
                "[2026-11-20 21:18:47,009] [INFO] [logging.py:123:log_dist] [Rank 0] [Torch] End Load checkpoint from ckpt/global_step20/mp_rank_00_model_states.pt...",
            ),
            near_misses=("[Rank 0] [Torch] Begin Load checkpoint from ckpt/global_step20/x.pt...", "[torch_checkpoint_engine.py:27:load] [Torch] Loading checkpoint from x.pt"),
        ),
        Pattern(
            name="not_loaded",
            says="checkpoint_not_loaded",
            role=Role.MARKER,
            regex=r"Unable to find latest file at (?P<path>\S{1,300}), if trying to load latest checkpoint",
            literals=("Unable to find latest file at ",),
            samples=(
                "[2025-01-01 00:00:00,000] [WARNING] [engine.py:2800:load_checkpoint] Unable to find latest file at ckpt/latest, if trying to load latest checkpoint please ensure this file exists or pass an explicit checkpoint tag when loading a checkpoint.",
                "[WARNING] [engine.py:3441:load_checkpoint] Unable to find latest file at /scratch/u/ckpt/latest, if trying to load latest checkpoint please ensure",
            ),
            near_misses=("Unable to find latest file",),
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="batch_config",
            words=r"Check batch related parameters|Train batch size: \d{1,9} has to be greater than 0",
            samples=(
                ("AssertionError", "Check batch related parameters. train_batch_size is not equal to micro_batch_per_gpu * gradient_acc_step * world_size 30 != 8 * 1 * 2"),
                ("AssertionError", "Train batch size: 0 has to be greater than 0"),
            ),
            near_misses=(("AssertionError", "Check the parameters"),),
            about="config",
        ),
        ExceptionRule(
            detail="config_file",
            words=r"Expected a string path to an existing deepspeed config|DeepSpeed requires --deepspeed_config|Error: DeepSpeed config .{1,200} not found",
            samples=(
                ("ValueError", "Expected a string path to an existing deepspeed config, or a dictionary or a base64. Received: ds_config.json"),
                ("ValueError", "Expected a string path to an existing deepspeed config, or a dictionary. Received: ds.json"),
            ),
            near_misses=(("ValueError", "a deepspeed config"),),
            about="config",
        ),
        ExceptionRule(
            detail="extension_build",
            words=r"Error building extension '|Unable to JIT load the .{1,60} op|CUDA_HOME (?:does not exist|environment variable is not set)|Installed CUDA version .{1,40} does not match the version torch was compiled with",
            samples=(
                ("RuntimeError", "Error building extension 'fused_adam'"),
                ("OSError", "CUDA_HOME environment variable is not set. Please set it to your CUDA install root."),
                ("deepspeed.ops.op_builder.builder.CUDAMismatchException", ">- DeepSpeed Op Builder: Installed CUDA version 12.9 does not match the version torch was compiled with 13.0"),
            ),
            near_misses=(("RuntimeError", "the extension was built"),),
            about="env",
        ),
    ),
)
