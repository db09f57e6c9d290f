"""The daemon's numbers, scraped as Prometheus does: over loopback and over a Unix socket, and nowhere else."""

from __future__ import annotations

import builtins
import http.client
import logging
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gpualert_slurm.config import ConfigError
from gpualert_slurm.programs.gpualertd.metrics import Metrics, Sample, place


def samples() -> Iterator[Sample]:
    yield "mails", "counter", "what became of messages", {"outcome=sent": 7.0, "outcome=refused": 1.0}
    yield "spool_unread", "gauge", "1 while pieces lie there", {"": 1.0}


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=10)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(10)
        self.sock.connect(str(self.path))


def scraped(connection: http.client.HTTPConnection) -> dict[tuple[str, str], float]:
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    return {(s.name, "".join(s.labels.values())): s.value for family in text_string_to_metric_families(text) for s in family.samples}


def free_port(address: str = "127.0.0.1") -> int:
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as one:
        one.bind((address, 0))
        return int(one.getsockname()[1])


def right(found: dict[tuple[str, str], float]) -> bool:
    return (found["gpualert_mails_total", "sent"], found["gpualert_mails_total", "refused"], found["gpualert_spool_unread", ""]) == (7, 1, 1)


def test_on_a_loopback_port() -> None:
    port = free_port()
    with Metrics(f"127.0.0.1:{port}", samples):
        found = scraped(http.client.HTTPConnection("127.0.0.1", port, timeout=10))
        assert right(found)
        assert found["gpualert_process_resident_memory_bytes", ""] > 0
    with pytest.raises(OSError, match="refused"):
        scraped(http.client.HTTPConnection("127.0.0.1", port, timeout=10))


def test_on_a_socket_of_a_daemon_that_was_killed(tmp_path: Path) -> None:
    """It is left behind, and replaced; another file in its place is not touched."""
    path = tmp_path / "metrics.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    with Metrics(str(path), samples):
        assert right(scraped(UnixConnection(path)))
        assert path.stat().st_mode & 0o777 == 0o660
    assert not path.exists()
    path.write_text("somebody's")
    with Metrics(str(path), samples):
        assert path.read_text() == "somebody's"


def test_a_client_that_says_nothing_holds_up_no_other() -> None:
    port = free_port()
    with Metrics(f"127.0.0.1:{port}", samples), socket.create_connection(("127.0.0.1", port), timeout=10):
        assert right(scraped(http.client.HTTPConnection("127.0.0.1", port, timeout=10)))


@pytest.mark.parametrize("where", ["0.0.0.0:9841", "10.1.2.3:9841", "host:9841", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", ":9841", "[::]:9841"])
def test_it_is_for_this_host_alone(where: str) -> None:
    with pytest.raises(ConfigError, match="loopback"):
        place(where)


def test_both_kinds_of_loopback() -> None:
    assert (place("127.0.0.1:9841"), place("[::1]:9841"), place("/run/x")) == (("127.0.0.1", 9841), ("::1", 9841), Path("/run/x"))


def test_without_the_library_or_the_port_the_daemon_goes_on(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """It says so once, and what to install."""
    real = builtins.__import__

    def refuse(name, *arguments, **named):  # type: ignore[no-untyped-def]
        if name == "prometheus_client":
            raise ImportError(name)
        return real(name, *arguments, **named)

    with socket.socket() as taken, caplog.at_level(logging.WARNING):
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with Metrics(f"127.0.0.1:{taken.getsockname()[1]}", samples):
            assert "no_metrics" in caplog.text
        caplog.clear()
        monkeypatch.setattr(builtins, "__import__", refuse)
        with Metrics(f"127.0.0.1:{free_port()}", samples):
            assert "pip install 'gpualert-slurm[metrics]'" in caplog.text
    with Metrics("", samples):
        pass
