"""NVIDIA's XIDs by whose they are. After NVIDIA's XID catalogue (docs.nvidia.com/deploy/xid-errors, 2025-10) and the attribution of gpud and gcm."""

from __future__ import annotations

from enum import Enum


class Kind(str, Enum):
    """Whose an XID is at first sight."""

    HARDWARE = "hardware"
    LATENT = "latent"
    APPLICATION = "application"
    CASCADE = "cascade"
    AMBIGUOUS = "ambiguous"


_HARDWARE = {
    46,
    48,
    54,
    57,
    58,
    61,
    62,
    64,
    74,
    79,
    94,
    95,
    110,
    119,
    120,
    136,
    140,
    143,
    *range(144, 151),
    157,
    158,
    164,
    165,
    167,
    168,
    169,
    171,
    172,
    173,
    175,
    176,
}
_LATENT = {63, 92, 156, 160}
_APPLICATION = {13, 31, 43, 69}
_CASCADE = {45, 93, 106, 107, 121, 137, 141, 152, 153, 154, 162, 163}

WORDS = {
    13: "graphics engine exception",
    31: "memory page fault",
    43: "the GPU stopped processing",
    45: "preemptive cleanup",
    48: "double bit ECC error",
    61: "internal micro-controller breakpoint",
    62: "internal micro-controller halt",
    63: "row remapping recorded",
    64: "row remapping failed",
    69: "graphics engine class error",
    74: "NVLink error",
    79: "the GPU has fallen off the bus",
    92: "high rate of corrected ECC errors",
    94: "contained memory error",
    95: "uncontained memory error",
    119: "GSP does not answer",
    120: "GSP error",
    136: "link training failed",
    140: "unrecovered ECC error",
    143: "GPU initialisation failed",
    154: "recovery action changed",
    158: "fatal timeout",
    167: "PCIe fatal timeout",
    171: "uncorrectable DRAM error",
    172: "uncorrectable SRAM error",
    173: "C2C link failed",
}
RESET = {48, 62, 64, 95, 119, 120, 136, 140, 143, 155, 156, 158}
"""NVIDIA's immediate action is a GPU reset (48: by its own workflow, which ends there)."""


def xid_kind(number: int) -> Kind:
    """Whose the XID is; one the table does not know is ambiguous."""
    for kind, numbers in ((Kind.HARDWARE, _HARDWARE), (Kind.LATENT, _LATENT), (Kind.APPLICATION, _APPLICATION), (Kind.CASCADE, _CASCADE)):
        if number in numbers:
            return kind
    return Kind.AMBIGUOUS
