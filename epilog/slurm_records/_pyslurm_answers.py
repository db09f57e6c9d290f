"""The child in which PySlurm runs: one question as JSON in the arguments, records as JSON on stdout; trouble is one line on stderr and status 1."""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

from gpualert_slurm.epilog.slurm_records.pyslurm import load, node_state


def answer(pyslurm: Any, question: dict[str, Any]) -> str:  # noqa: ANN401 - PySlurm ships no types
    """What is printed: PySlurm's version, or the records of the ``jobs`` (id to time) or ``nodes`` asked for."""
    if "version" in question:
        return json.dumps(str(getattr(pyslurm, "__version__", "")))
    if "jobs" in question:
        wanted = {int(job): int(since_ns) for job, since_ns in question["jobs"].items()}
        return "[" + ",".join(r.model_dump_json() for r in load(pyslurm, wanted, question["cluster"])) + "]"
    nodes = pyslurm.Nodes.load()
    return "[" + ",".join(node_state(nodes[name]).model_dump_json() for name in question["nodes"] if name in nodes) + "]"


def main() -> None:
    """Answer ``sys.argv[1]``. What PySlurm raises, or what its library calls fatal, ends this process and nothing else."""
    try:
        said = answer(importlib.import_module("pyslurm"), json.loads(sys.argv[1]))
    except Exception as error:  # PySlurm raises RPCError and, on a broken reply, whatever its conversion meets
        sys.exit(f"{type(error).__name__}: {error}")
    print(said)  # noqa: T201
