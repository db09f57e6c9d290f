"""NCCL's own lines (2.14 to 2.30; from 2.27 on with a time stamp in front) and errors that carry its name."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.meaning import HARDWARE, meaning_of
from gpualert_slurm.classifier.pattern import Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role

_USUAL = re.compile(r"SHARP|CollNet|GDR|gdrcopy|IBEXT|net plugin|NET/Plugin|TUNER|libnccl-net|Could not find")


def _warn(found: re.Match[str], match: Match) -> Match | None:
    words = found["message"]
    if _USUAL.search(words):
        return None
    meaning = meaning_of("", words)
    hardware = meaning.detail in HARDWARE
    role = Role.CASCADE if "remote process exited" in words or "Connection closed by" in words else match.role
    return refined(
        match,
        role=role,
        cause=meaning.cause if hardware else match.cause,
        detail=meaning.detail if hardware else match.detail,
        says="hardware_text" if hardware else match.says,
    )


PARSER = Parser(
    program="NCCL",
    patterns=(
        Pattern(
            name="warn",
            says="nccl_error",
            role=Role.CONFIRMATION,
            regex=r"\bNCCL WARN (?P<message>.{1,300})",
            literals=("NCCL WARN ",),
            samples=(
                "n1:4711:4750 [0] NCCL WARN Cuda failure 'uncorrectable ECC error encountered'",
                "[2025-01-01 00:00:00] n1:1:2 [0] transport/net_ib.cc:1 NCCL WARN NET/IB : Got completion from peer 10.0.0.2 with status=12",
            ),
            near_misses=("NCCL INFO Using network Socket", "n1:1:2 [0] NCCL WARN NET/IB : SHARP is not available", "export NCCL_DEBUG=WARN "),
            cause=Cause.NCCL,
            read=_warn,
        ),
        Pattern(
            name="peer_gone",
            says="nccl_error",
            role=Role.CASCADE,
            regex=r"remote process exited or there was a network error",
            literals=("remote process exited or there",),
            samples=(
                "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely: remote process exited or there was a network error",
                "Last error: remote process exited or there was a network error",
            ),
            near_misses=("the remote process exited",),
            cause=Cause.NCCL,
        ),
        Pattern(
            name="error",
            says="nccl_error",
            role=Role.ROOT,
            regex=r"(?:NCCL error in: .{1,200}|ncclUnhandledCudaError|ncclSystemError|ncclInternalError)(?P<message>.{0,300})",
            literals=("NCCL error in: ", "ncclUnhandledCudaError", "ncclSystemError", "ncclInternalError"),
            samples=(
                "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/NCCLUtils.hpp:219, unhandled system error, NCCL version 2.18.1",
                "ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.",
            ),
            near_misses=("NCCL errors: 0", "set NCCL_ASYNC_ERROR_HANDLING"),
            cause=Cause.NCCL,
            general=True,
        ),
        Pattern(
            name="bootstrap",
            says="rendezvous",
            role=Role.ROOT,
            regex=r"Bootstrap : no socket interface found|^\s{0,4}Call to (?:bind|connect|listen) failed : |^\s{0,4}socket(?:Poll|Start|Finalize)Connect: [Cc]onnect to \S{1,100} (?:returned|failed)",
            literals=("Bootstrap : no socket", "Call to bind failed", "Call to connect failed", "Call to listen failed", "onnect: "),
            samples=(
                "Bootstrap : no socket interface found",
                "socketPollConnect: connect to 10.31.4.80<48211> returned No route to host, exceeded error retry count after 35 attempts",
                "Call to bind failed : Cannot assign requested address",
            ),
            near_misses=("socketPollConnect: 3 open", "the call to bind failed", "n1:1:2 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>"),
            cause=Cause.NCCL,
            detail="rendezvous_timeout",
        ),
        Pattern(
            name="communicator",
            says="communicator_ready",
            role=Role.MARKER,
            regex=r"NCCL INFO .{0,40}comm 0x[0-9a-f]{1,16} rank (?P<comm_rank>\d{1,6}) nranks (?P<comm_size>\d{1,6}) .{0,160}Init COMPLETE",
            literals=("Init COMPLETE",),
            samples=(
                "n1:1:2 [0] NCCL INFO comm 0x55d0c8f0a2c0 rank 0 nranks 2 cudaDev 0 busId 1b000 commId 0x7b34d1b5a0 - Init COMPLETE",
                "[2026-01-01 00:00:00] n1:1:2 [3] NCCL INFO ncclCommInitRank comm 0x5f1 rank 3 nranks 16 cudaDev 3 nvmlDev 3 busId 5d000 commId 0x1 - Init COMPLETE",
            ),
            near_misses=(
                "n1:1:2 [0] NCCL INFO comm 0x55d0c8f0a2c0 rank 0 nranks 2 cudaDev 0 busId 1b000 commId 0x7b34d1b5a0 - Init START",
                "Init COMPLETE",
            ),
        ),
        Pattern(
            name="sockets",
            says="slow_transport",
            role=Role.MARKER,
            regex=r"NCCL INFO (?:NET/Socket ?: ?Using|Using network Socket)|NET/IB : No device found",
            literals=("NET/Socket", "Using network Socket", "NET/IB : No device found"),
            samples=("n1:1:2 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>", "n1:1:2 [0] NCCL INFO Using network Socket"),
            near_misses=("n1:1:2 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB",),
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="no_gpu",
            words=r"ProcessGroupNCCL is only supported with GPUs",
            samples=(
                ("ValueError", "ProcessGroupNCCL is only supported with GPUs, no GPUs found!"),
                ("RuntimeError", "ProcessGroupNCCL is only supported with GPUs, no GPUs found!"),
            ),
            near_misses=(("ValueError", "this model is only supported with GPUs"),),
            cause=Cause.NCCL,
            about="env",
        ),
    ),
)
