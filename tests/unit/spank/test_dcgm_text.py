"""DCGM's command line as numbers by GPU: its table of cards, its rows, and anything else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.spank.watch import dcgm_text

LISTING = """2 GPUs found.
+--------+----------------------------------------------------------------------+
| GPU ID | Device Information                                                   |
+--------+----------------------------------------------------------------------+
| 0      | Name: NVIDIA A100-SXM4-80GB                                          |
|        | PCI Bus ID: 00000000:07:00.0                                         |
|        | Device UUID: GPU-0a0a0a0a-1111-2222-3333-000000000001                |
+--------+----------------------------------------------------------------------+
| 3      | Name: NVIDIA A100-SXM4-80GB                                          |
|        | PCI Bus ID: 00000000:0F:00.0                                         |
|        | Device UUID: GPU-0a0a0a0a-1111-2222-3333-000000000002                |
+--------+----------------------------------------------------------------------+
1 NvSwitches found.
+-----------+
| Switch ID |
+-----------+
| 8         |
+-----------+
"""
"""As NVIDIA's documentation has it; the UUIDs are made up."""


def test_numbers_of_cards_are_taken_with_their_uuids():
    """DCGM's numbers have gaps, and are not NVML's."""
    assert dcgm_text.uuids(LISTING) == {0: "GPU-0a0a0a0a-1111-2222-3333-000000000001", 3: "GPU-0a0a0a0a-1111-2222-3333-000000000002"}
    assert dcgm_text.uuids("0 GPUs found.\n") == {}


def test_rows_of_old_and_new_releases_are_ratios_by_card():
    assert dcgm_text.row("    GPU 0      0.550  0.180  0.105  0.300") == (
        0, {"sm_activity_percent": 55, "sm_occupancy_percent": 18, "tensor_activity_percent": 10.5, "memory_bandwidth_percent": 30},
    )  # fmt: skip
    assert dcgm_text.row("GPU 3     1.000                 N/A                   0.000                 N/A") == (
        3, {"sm_activity_percent": 100, "tensor_activity_percent": 0},
    )  # fmt: skip


def test_heads_slices_and_what_makes_no_sense_are_no_rows():
    """A MIG slice's share is not the card's; a row of other columns is another release's; a ratio above one is none."""
    for line in ("#Entity   SMACT  SMOCC  TENSO  DRAMA", "ID", "", "GPU-I 0   0.1 0.1 0.1 0.1", "Switch 8 0.1 0.1 0.1 0.1", "GPU 0 0.5 0.5", "GPU x 1 1 1 1"):
        assert dcgm_text.row(line) is None, line
    assert dcgm_text.row("GPU 0 1.5 nan -0.1 1e9") == (0, {})


def test_several_rows_of_one_card_are_averaged():
    rows = [(0, {"sm_activity_percent": 10.0}), (0, {"sm_activity_percent": 20.0}), (1, {})]
    assert dcgm_text.means(rows) == {0: {"sm_activity_percent": 15.0}}


@given(st.text(max_size=300))
def test_no_text_raises(text):
    dcgm_text.uuids(text)
    found = dcgm_text.row(text)
    assert found is None or all(0 <= value <= 100 for value in found[1].values())
