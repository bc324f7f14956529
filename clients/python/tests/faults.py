"""A proxy in front of a real server that answers, cuts and changes what a test wants."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from types import TracebackType
from typing import Callable, Mapping

import httpx


@dataclass(frozen=True)
class Seen:
    method: str
    path: str
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Answer:
    """An answer in place of the server's."""

    status: int
    content: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cut:
    """The connection ends after so many bytes of the body. Without any, before the answer."""

    after: int


@dataclass(frozen=True)
class Flip:
    """One byte of the body is another one."""

    at: int


Rule = Callable[[Seen, int], "Answer | Cut | Flip | None"]


class FaultProxy:
    """`rule` decides about each request by its method and path, and by how many of the same kind came before."""

    def __init__(self, target: str) -> None:
        self.rule: Rule = lambda seen, count: None
        self.seen: list[Seen] = []
        self._target = target.removesuffix("/api/v1")
        self._lock = Lock()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                proxy._handle(self)

            do_POST = do_DELETE = do_GET

            def log_message(self, format: str, *args: object) -> None:
                """Tests are quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._http = httpx.Client(timeout=60)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> FaultProxy:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._http.close()

    def _handle(self, handler: BaseHTTPRequestHandler) -> None:
        seen = Seen(handler.command, handler.path, {name.lower(): value for name, value in handler.headers.items()})
        with self._lock:
            count = sum(1 for each in self.seen if (each.method, each.path) == (seen.method, seen.path))
            self.seen.append(seen)
            fault = self.rule(seen, count)
        body = handler.rfile.read(int(handler.headers.get("content-length", 0)))
        if isinstance(fault, Answer):
            self._send(handler, fault.status, fault.headers, fault.content)
        elif isinstance(fault, Cut) and fault.after == 0:
            self._break(handler)
        else:
            self._forward(handler, seen, body, fault)

    def _forward(self, handler: BaseHTTPRequestHandler, seen: Seen, body: bytes, fault: Cut | Flip | None) -> None:
        headers = {name: value for name, value in seen.headers.items() if name not in ("host", "connection", "content-length")}
        answer = self._http.request(seen.method, self._target + seen.path, headers={**headers, "accept-encoding": "identity"}, content=body)
        content = answer.content
        kept = {
            name: value
            for name, value in answer.headers.items()
            if name not in ("connection", "keep-alive", "transfer-encoding", "content-length", "date")
        }
        if isinstance(fault, Flip):
            content = content[: fault.at] + bytes([content[fault.at] ^ 1]) + content[fault.at + 1 :]
        self._send(handler, answer.status_code, kept, content, cut=fault.after if isinstance(fault, Cut) else None)

    def _send(
        self, handler: BaseHTTPRequestHandler, status: int, headers: Mapping[str, str], content: bytes, cut: int | None = None
    ) -> None:
        try:
            handler.send_response(status)
            for name, value in headers.items():
                handler.send_header(name, value)
            handler.send_header("content-length", str(len(content)))
            handler.end_headers()
            handler.wfile.write(content[:cut])
            handler.wfile.flush()
        except OSError:
            handler.close_connection = True
        if cut is not None:
            self._break(handler)

    def _break(self, handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True
        try:
            handler.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            """The client left first."""
