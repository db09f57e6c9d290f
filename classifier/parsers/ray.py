"""Ray 2: actors and workers that die, memory, what its task errors wrap. Neither run nor read: from what is known of its messages."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="Ray",
    patterns=(
        Pattern(
            name="memory_kill",
            says="worker_killed",
            role=Role.ROOT,
            regex=r"Task was killed due to the node running low on memory|(?P<count>\d{1,6}) Workers? \(tasks / actors\) killed due to memory pressure \(OOM\)",
            literals=("killed due to the node running low", "killed due to memory pressure (OOM)"),
            samples=(
                "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.",
                "(raylet) [2025-01-01 00:00:00,000 E 1 1] (raylet) node_manager.cc:3007: 1 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed due to other reasons",
            ),
            near_misses=("0 workers were killed", "the node runs low on memory"),
            cause=Cause.OOM_KILLER,
            detail="ray_memory_monitor",
        ),
        Pattern(
            name="worker_died",
            says="worker_killed",
            role=Role.CASCADE,
            regex=r"A worker died or was killed while executing a task by an unexpected system error|The actor (?:died unexpectedly before finishing this task|is dead because its (?:node|worker process) has died)|Worker exit type: (?P<exit>[A-Z_]{3,40})",
            literals=("A worker died or was killed while", "The actor died unexpectedly before", "The actor is dead because its ", "Worker exit type: "),
            samples=(
                "A worker died or was killed while executing a task by an unexpected system error.",
                "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.",
                "Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2.",
            ),
            near_misses=("the actor is alive",),
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="ray_memory_monitor",
            words=r"Task was killed due to the node running low on memory",
            samples=(("ray.exceptions.OutOfMemoryError", "Task was killed due to the node running low on memory."), ("OutOfMemoryError", "Task was killed due to the node running low on memory. ")),
            near_misses=(("ray.exceptions.RayTaskError", "a task failed"),),
            cause=Cause.OOM_KILLER,
        ),
        ExceptionRule(
            detail="ray_resources",
            words=r"No available node types can fulfill resource request|Placement group creation timed out|Cannot schedule .{1,80} with the resources|placement group .{0,80}cannot be fulfilled",
            samples=(
                ("ValueError", "Cannot schedule Trainer with the resources {'GPU': 8}"),
                ("TimeoutError", "Placement group creation timed out. Make sure your cluster either has enough resources or use an autoscaling cluster."),
            ),
            near_misses=(("ValueError", "the placement group is ready"),),
            about="config",
        ),
    ),
)
