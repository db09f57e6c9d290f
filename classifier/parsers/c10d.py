"""PyTorch's store looking for its host (``torch/csrc/distributed/c10d/socket.cpp``; recorded by running 2.13): a name that no resolver knows."""

from __future__ import annotations

from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="PyTorch c10d",
    patterns=(
        Pattern(
            name="unknown_host",
            says="rendezvous",
            role=Role.CONFIRMATION,
            regex=r"\[c10d\] The (?:IPv[46] )?network addresses of \((?P<address>[^,()]{1,253}), (?P<port>\d{1,5})\) cannot be retrieved \(gai error: -2 ",
            literals=("[c10d] The ",),
            samples=(
                "[W1125 11:53:19.528406450 socket.cpp:764] [c10d] The IPv6 network addresses of (n1, 15638) cannot be retrieved (gai error: -2 - Name or service not known).",
            ),
            near_misses=(
                "[W1125 11:53:19.5 socket.cpp:764] [c10d] The IPv6 network addresses of (n1, 15638) cannot be retrieved (gai error: -5 - No address associated with hostname).",
                "[W1125 11:53:19.5 socket.cpp:460] [c10d] The server socket cannot be initialized on [::]:29500 (errno: 97 - Address family not supported by protocol).",
            ),
        ),
    ),
)
"""A host of IPv4 alone is told with another code: this one is that nobody knows the name."""
