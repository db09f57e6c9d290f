"""Which GPUs are a job's: by Slurm's own word, a device cgroup, or being alone; else nobody's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.spank.watch.gpu_choice import choose, parse_devices_list, parse_numbers

# NVML's index follows the PCI bus; the driver numbered the devices the other way round.
CARDS = [GpuSnapshot(node="n1", uuid=f"GPU-{i}", time_ns=1, index=i, minor_number=3 - i) for i in range(4)]


def test_slurms_numbers_are_minor_numbers_not_nvml_indexes():
    """``SLURM_JOB_GPUS=0`` is /dev/nvidia0, here NVML's last GPU."""
    choice = choose(CARDS, "0,1", None, alone=False)
    assert choice.uuids == {"GPU-3", "GPU-2"}
    assert choice.why_not is None


def test_slurms_word_comes_before_the_cgroups():
    """Where both speak, the Epilog's variable decides; the cgroup serves a job whose epilog never ran."""
    assert choose(CARDS, "3", {0}, alone=True).uuids == {"GPU-0"}
    assert choose(CARDS, None, {0}, alone=False).uuids == {"GPU-3"}


def test_alone_on_the_node_all_gpus_are_the_jobs():
    """A cluster without gres gives whole nodes."""
    assert len(choose(CARDS, None, None, alone=True).uuids) == 4


@pytest.mark.parametrize("alone", [False, None])
def test_unknown_is_nobody(alone):
    """On a shared node a guess would show one user another's GPU."""
    choice = choose(CARDS, None, None, alone=alone)
    assert choice.uuids == frozenset()
    assert choice.why_not


def test_card_that_nvml_did_not_see_is_said():
    """Slurm gave two, NVML had one."""
    choice = choose(CARDS[:1], "3,0", None, alone=False)
    assert choice.uuids == {"GPU-0"}
    assert choice.why_not == "1 of 2 GPUs named by SLURM_JOB_GPUS=3,0 in the Epilog were not seen by NVML"


def test_without_minor_numbers_only_all_or_nothing_can_be_told():
    """Four of four is clear; two of four is not."""
    bare = [c.model_copy(update={"minor_number": None}) for c in CARDS]
    assert len(choose(bare, "0-3", None, alone=False).uuids) == 4
    assert choose(bare, "0,1", None, alone=False).why_not


def test_numbers_of_slices_are_not_numbers_of_cards():
    """With MIG ``SLURM_JOB_GPUS=0,1`` may be two slices of one card: nobody's on a shared node, all cards when alone."""
    sliced = [c.model_copy(update={"mig_enabled": True}) for c in CARDS]
    choice = choose(sliced, "0,1", None, alone=False)
    assert choice.uuids == frozenset()
    assert "MIG" in str(choice.why_not)
    assert len(choose(sliced, "0,1", None, alone=True).uuids) == 4


@pytest.mark.parametrize(("text", "numbers"), [("0", {0}), ("0,2-3", {0, 2, 3}), ("", None), ("GPU-aa", None), ("0,", None), ("3-1", set())])
def test_lists_of_numbers(text, numbers):
    """Slurm's range lists; anything else is not understood rather than half understood."""
    assert parse_numbers(text) == (None if numbers is None else frozenset(numbers))


def test_devices_list_of_a_cgroup():
    """The GPUs a cgroup lets through; one that lets all through says nothing."""
    assert parse_devices_list("c 1:3 rwm\nc 195:0 rwm\nc 195:2 rw\nc 195:255 rwm\nc 195:254 rwm\n") == {0, 2}
    assert parse_devices_list("a *:* rwm\n") is None
    assert parse_devices_list("c 195:* rwm\n") is None
    assert parse_devices_list("c 1:3 rwm\n") == frozenset()


@given(st.text(max_size=200))
def test_any_text_is_a_list_or_none(text):
    """Neither reader raises."""
    parse_numbers(text)
    parse_devices_list(text)
