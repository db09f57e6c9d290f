"""The daemon's numbers for Prometheus, where ``daemon.metrics`` says: a loopback port, or a Unix socket. No name, user or job is in them.

Needs the extra ``metrics`` (prometheus-client); without it, or where the place cannot be had, the daemon works and says so once.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import os
import re
import socket
import stat
import threading
import wsgiref.simple_server
from collections.abc import Callable, Iterator
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING

from gpualert_slurm.config import ConfigError
from gpualert_slurm.programs.gpualertd.log import line

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

log = logging.getLogger(__name__)

SOCKET_MODE = 0o660
REQUEST_TIMEOUT_S = 10.0
HINT = "pip install 'gpualert-slurm[metrics]'"

Sample = tuple[str, str, str, dict[str, float]]
"""A metric: its name, ``counter`` or ``gauge``, what it says; and its values by the one label's value (``""``: no label), ``label=value``."""


def place(text: str) -> Path | tuple[str, int]:
    """Where to serve: the path of a socket, or a loopback address and its port.

    Raises:
        ConfigError: it is neither; these numbers are for this host alone.
    """
    if text.startswith("/"):
        return Path(text)
    found = re.fullmatch(r"\[?([0-9A-Fa-f.:]+?)\]?:(\d{1,5})", text)
    try:
        if found and ipaddress.ip_address(found[1]).is_loopback and 0 < int(found[2]) < 65536:
            return found[1], int(found[2])
    except ValueError:
        pass
    raise ConfigError(f"daemon.metrics = {text!r}: it must be a loopback address and a port (127.0.0.1:9841), or the path of a Unix socket")


class Metrics:
    """Serves what ``samples()`` gives when it is asked; a context."""

    def __init__(self, where: str, samples: Callable[[], Iterator[Sample]]) -> None:
        """``samples`` is called by another thread than the daemon's. Raises ConfigError for a place that is none."""
        self._where = place(where) if where else None
        self._samples = samples
        self._server: _Server | None = None

    def __enter__(self) -> Metrics:
        """Begin to serve, where there is a place; never raises."""
        if self._where is None:
            return self
        try:
            from prometheus_client import CollectorRegistry, ProcessCollector, make_wsgi_app
        except ImportError:
            log.warning(line("no_metrics", why="prometheus-client is not installed", hint=HINT))
            return self
        registry = CollectorRegistry()
        registry.register(_Collector(self._samples))
        ProcessCollector(namespace="gpualert", registry=registry)
        try:
            self._server = _server(self._where)
        except OSError as error:
            log.warning(line("no_metrics", where=self._where, why=error))
            return self
        self._server.set_app(make_wsgi_app(registry, disable_compression=True))
        threading.Thread(target=self._server.serve_forever, name="metrics", daemon=True).start()
        log.info(line("metrics", where=self._where))
        return self

    def __exit__(self, *_: object) -> None:
        """End serving; the socket goes."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            if isinstance(self._where, Path):
                self._where.unlink(missing_ok=True)


class _Collector:
    """What prometheus-client asks for at each scrape."""

    def __init__(self, samples: Callable[[], Iterator[Sample]]) -> None:
        self._samples = samples

    def collect(self) -> Iterator[Metric]:
        from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily

        for name, kind, says, values in self._samples():
            labels = sorted({key.partition("=")[0] for key in values if key})
            family = (CounterMetricFamily if kind == "counter" else GaugeMetricFamily)(f"gpualert_{name}", says, labels=labels)
            for key, value in sorted(values.items()):
                family.add_metric([key.partition("=")[2]] if key else [], value)
            yield family


class _Quiet(wsgiref.simple_server.WSGIRequestHandler):
    """Says nothing on stderr, and waits for no client for ever."""

    timeout = REQUEST_TIMEOUT_S

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its base class calls it so
        """Scrapes are no news."""

    def address_string(self) -> str:
        """A Unix socket's client has none."""
        return "local"


class _Server(ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True


class _UnixServer(_Server):
    address_family = socket.AF_UNIX

    def server_bind(self) -> None:
        """A socket that a killed daemon left is replaced, nothing else is."""
        path = Path(os.fsdecode(self.server_address))  # type: ignore[arg-type]
        with contextlib.suppress(FileNotFoundError):
            if stat.S_ISSOCK(path.lstat().st_mode):
                path.unlink()
        self.socket.bind(str(path))
        path.chmod(SOCKET_MODE)
        self.server_name, self.server_port = "localhost", 0
        self.setup_environ()

    def get_request(self) -> tuple[socket.socket, tuple[str, int]]:
        """With an address where the handler looks for one."""
        client, _ = self.socket.accept()
        return client, ("local", 0)


class _Server6(_Server):
    address_family = socket.AF_INET6


def _server(where: Path | tuple[str, int]) -> _Server:
    if isinstance(where, Path):
        return _UnixServer(str(where), _Quiet)  # type: ignore[arg-type]
    return (_Server6 if ":" in where[0] else _Server)(where, _Quiet)
