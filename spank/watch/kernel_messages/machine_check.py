"""The processor or the memory controller reports an error of the machine."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.evidence import Role
from gpualert_slurm.spank.watch.kernel_message import Data, KernelMessage


def _read(match: re.Match[str], recent: Sequence[str]) -> Data:  # noqa: ARG001
    uncorrected = match["edac"] == "UE" or (match["severity"] or "") in ("fatal", "recoverable")
    return {"words": match.group(0)[:200], "uncorrected": uncorrected}


MESSAGE = KernelMessage(
    says="kernel_line",
    pattern=re.compile(
        r"(?:mce: \[Hardware Error\]: (?:CPU \d+: )?Machine [Cc]heck.*"
        r"|\{\d+\}\[Hardware Error\]: event severity: (?P<severity>fatal|recoverable|corrected)"
        r"|EDAC [^:]{1,40}: \d+ (?P<edac>UE|CE) .*)$"
    ),
    read=_read,
    role=lambda data: Role.ROOT if data["uncorrected"] else Role.CONFIRMATION,
    node_wide=True,
    samples=(
        "mce: [Hardware Error]: CPU 2: Machine Check: 0 Bank 5: be00000000800400",
        "{1}[Hardware Error]: event severity: fatal",
        "EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#0_DIMM#0 (channel:0 slot:0 page:0x0 offset:0x0 grain:32 syndrome:0x0)",
    ),
    near_misses=("mce: CPU supports 32 MCE banks", "EDAC MC: Ver: 3.0.0"),
)
