"""A web server on loopback that keeps what is posted to it and answers as it is told."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType


@dataclass(frozen=True)
class Request:
    """One request; header names in lower case."""

    path: str
    headers: dict[str, str]
    body: bytes


class WebServer:
    """``with WebServer() as web: web.port``."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.status, self.location, self.delay_s = 200, "", 0.0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                outer.requests.append(Request(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                time.sleep(outer.delay_s)
                self.send_response(outer.status)
                if outer.location:
                    self.send_header("Location", outer.location)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"ok")

            do_GET = do_POST  # noqa: N815 - http.server's name

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> WebServer:
        self._thread.start()
        return self

    def stop(self) -> None:
        """Be away."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._server.server_close()
            self._thread.join(5)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
