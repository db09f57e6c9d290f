"""MPI launchers and PMI: Open MPI 4 and 5 (PRRTE), MPICH, Intel MPI, PMIx, UCX, as they speak under srun.

Neither run nor read: from what is known of their messages.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.pattern import Data, Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role


def _noticed(found: re.Match[str], match: Match) -> Match:
    data: Data = {"rank": int(found["rank"]), "pid": int(found["pid"]), "host": found["host"], "signal": int(found["signal"])}
    data["exitcode"] = -int(found["signal"])
    return Match(match.says, match.role, match.line, match.pattern, data=data)


def _exited(found: re.Match[str], match: Match) -> Match:
    return Match(match.says, match.role, match.line, match.pattern, data={"rank": int(found["rank"]), "exitcode": int(found["exitcode"])})


PARSER = Parser(
    program="MPI",
    patterns=(
        Pattern(
            name="noticed",
            says="failure_summary",
            role=Role.WRAPPER,
            regex=r"(?:mpirun|mpiexec|prterun) noticed that process rank (?P<rank>\d{1,6}) with PID (?P<pid>\d{1,10}) on node (?P<host>[\w.-]{1,120}) exited on signal (?P<signal>\d{1,2})",
            literals=(" noticed that process rank ",),
            samples=(
                "mpirun noticed that process rank 3 with PID 4711 on node n2 exited on signal 9 (Killed).",
                "prterun noticed that process rank 1 with PID 31337 on node gpu-07 exited on signal 11 (Segmentation fault).",
            ),
            near_misses=("mpirun noticed that process rank 3 is slow",),
            read=_noticed,
        ),
        Pattern(
            name="exited",
            says="failure_summary",
            role=Role.WRAPPER,
            regex=r"^\s{0,4}Process name: \[(?:prterun-)?[^\]]{1,120},(?P<rank>\d{1,6})\]\s{1,4}Exit code:\s{1,8}(?P<exitcode>\d{1,3})",
            literals=("Process name: [",),
            samples=(
                "  Process name: [12345,1,3] Exit code:    1",
                "Process name: [prterun-n1-4711@1,3] Exit code:    1",
            ),
            near_misses=("Process name: train",),
            read=_exited,
        ),
        Pattern(
            name="abort",
            says="teardown",
            role=Role.CASCADE,
            regex=r"MPI_ABORT was invoked on rank (?P<rank>\d{1,6}) in communicator|application called MPI_Abort\(\w{1,60}, \d{1,10}\) - process (?P<rank2>\d{1,6})",
            literals=("MPI_ABORT was invoked on rank", "application called MPI_Abort("),
            samples=(
                "MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD",
                "application called MPI_Abort(MPI_COMM_WORLD, 1) - process 3",
            ),
            near_misses=("call MPI_Abort() on error",),
            read=lambda found, match: refined(match, data={"rank": int(found["rank"] or found["rank2"])}),
        ),
        Pattern(
            name="init_refused",
            says="launch_refused",
            role=Role.ROOT,
            regex=(
                r"(?P<message>was not built with SLURM's PMI support|OMPI was not built with SLURM support|MPI_INIT has failed because at least one MPI process is unreachable"
                r"|It looks like MPI_INIT failed for some reason|Fatal error in (?:internal_Init|PMPI_Init|MPI_Init)\w{0,20}|PMI_Init(?:ialized)? (?:failed|returned)|PMIX ERROR: [\w-]{3,60}"
                r"|Unable to start a daemon on the local node|There are not enough slots available in the system)"
            ),
            literals=(
                "was not built with SLURM",
                "MPI_INIT has failed because",
                "It looks like MPI_INIT failed",
                "Fatal error in ",
                "PMI_Init",
                "PMIX ERROR: ",
                "Unable to start a daemon on the local",
                "There are not enough slots available",
            ),
            samples=(
                'The application appears to have been direct launched using "srun", but OMPI was not built with SLURM\'s PMI support and therefore cannot execute.',
                "[n1:04711] PMIX ERROR: OUT-OF-RESOURCE in file client/pmix_client.c at line 231",
                "Fatal error in PMPI_Init_thread: Other MPI error, error stack:",
                "There are not enough slots available in the system to satisfy the 8",
            ),
            near_misses=("PMIX_ERROR is defined", "PMI_Initialise the library", "Fatal error in the loader"),
            detail="launcher_refused",
            general=True,
        ),
        Pattern(
            name="fabric",
            says="nccl_error",
            role=Role.CONFIRMATION,
            regex=r"\[n?[\w.-]{1,120}:\d{1,10}(?::\d{1,6}:\d{1,6})?\] +[\w.]{1,60}:\d{1,6} +UCX +ERROR (?P<message>.{1,200})",
            literals=(" UCX ",),
            samples=(
                "[1714000000.123456] [n2:4711:0:4711]            sock.c:343  UCX  ERROR recv(fd=27) failed: Connection reset by peer",
                "[n1:99:0:99] ib_mlx5_log.c:177 UCX  ERROR Transport retry count exceeded on mlx5_0:1/IB",
            ),
            near_misses=("[n1:99:0:99] parser.c:1 UCX  WARN unused env variable", "an ERROR line"),
            detail="fabric",
            read=lambda found, match: refined(match, role=Role.CASCADE if "reset by peer" in found["message"] else match.role),
        ),
    ),
)
