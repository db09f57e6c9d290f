"""What doctor reads of ``scontrol show config``."""

from __future__ import annotations

from gpualert_slurm.programs.doctor.examination import by_key


def test_a_program_a_line_and_a_key_a_line_are_both_read() -> None:
    """22.05 prints ``Epilog``; 24.11 ``Epilog[0]``, ``Epilog[1]``, …: the same key either way, and all of its programs."""
    assert by_key("Epilog                  = /opt/a\nPrologFlags             = Alloc,Contain\n") == {"Epilog": "/opt/a", "PrologFlags": "Alloc,Contain"}
    assert by_key("Epilog[0]               = /opt/a\nEpilog[1]               = /opt/b\nEpilogMsgTime           = 2000 usec\n") == {
        "Epilog": "/opt/a, /opt/b",
        "EpilogMsgTime": "2000 usec",
    }
    assert by_key("Epilog                  = (null)\nPartition = with = signs\n") == {"Epilog": "(null)", "Partition": "with = signs"}
