"""Serve a page on this machine only, to clients that know the secret address."""

from __future__ import annotations

import json
import select
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_urlsafe
from socketserver import TCPServer
from typing import Any

from ...errors import ModelError
from .answers import POLICY
from .requests import json_of
from .session import Session

HERE = "127.0.0.1"
LARGEST = 1 << 16
"""The largest number of bytes of a request."""
HEADERS = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'", "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
}  # fmt: skip


class Refusal(Exception):
    """A request that does not come from the page."""

    def __init__(self, status: HTTPStatus, why: str = ""):
        super().__init__(why or status.phrase)
        self.status = status


class Server(ThreadingHTTPServer):
    """A server for several open pages; closing one does not disturb the others."""

    daemon_threads = True

    def __init__(self, session: Session, port: int = 0):
        self.session, self.token = session, token_urlsafe(16)
        try:
            super().__init__((HERE, port), Handler)
        except OSError as error:
            what = f"cannot listen on port {port} ({error.strerror})"
            raise ModelError(
                f"{what}; choose another --port, or leave it out for a free one",
                code="cannot-listen", argument="port", port=port, reason=error.strerror,
            ) from error  # fmt: skip
        except OverflowError as error:
            raise ModelError(
                f"there is no port {port}; choose one from 1024 to 65535, or leave it out",
                code="out-of-bounds", argument="port", value=port, least=0, most=65535,
            ) from error  # fmt: skip

    def server_bind(self) -> None:
        """Bind the socket without looking up names in a network."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HERE, self.server_address[1]

    @property
    def address(self) -> str:
        return f"http://{HERE}:{self.server_port}/{self.token}/"

    @property
    def hosts(self) -> set[str]:
        return {f"{name}:{self.server_port}" for name in (HERE, "localhost")}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore the error of a page that was closed before its reply arrived."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    server: Server
    server_version, sys_version = "mbs-dae", ""
    timeout = 60.0

    def do_GET(self) -> None:
        self._answer(self._page)

    def do_POST(self) -> None:
        self._answer(self._motion)

    def _answer(self, reply: Callable[[str], tuple[str, str]]) -> None:
        try:
            self._send(HTTPStatus.OK, *reply(self._resource()))
        except Refusal as error:
            self._refuse(error.status, str(error))
        except ModelError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))

    def _resource(self) -> str:
        """Return the last part of the address; refuse a request that cannot come from the page."""
        if [*self.headers.get_all("Host", [])] not in [[host] for host in self.server.hosts]:
            raise Refusal(HTTPStatus.FORBIDDEN)  # another name for this machine, from elsewhere
        origins = {f"http://{host}" for host in self.server.hosts}
        if not origins.issuperset(self.headers.get_all("Origin", [])):
            raise Refusal(HTTPStatus.FORBIDDEN)
        token, _, what = self.path.removeprefix("/").partition("/")
        if not compare_digest(token.encode(), self.server.token.encode()):
            raise Refusal(HTTPStatus.FORBIDDEN)
        return what

    def _page(self, what: str) -> tuple[str, str]:
        if what:
            raise Refusal(HTTPStatus.NOT_FOUND)
        return self.server.session.current.page, "text/html"

    def _motion(self, what: str) -> tuple[str, str]:
        if what not in ("run", "look"):
            raise Refusal(HTTPStatus.NOT_FOUND)
        body, session = json_of(self._body()), self.server.session
        answer = session.look(body) if what == "look" else session.run(body, self._gone)
        return json.dumps(answer, ensure_ascii=False, separators=(",", ":"), allow_nan=False), "application/json"

    def _body(self) -> bytes:
        if self.headers.get("Content-Type", "").partition(";")[0].strip() != "application/json":
            raise Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            raise Refusal(HTTPStatus.LENGTH_REQUIRED)
        if len(length) > 9 or int(length) > LARGEST:
            raise Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return self.rfile.read(int(length))

    def _gone(self) -> bool:
        """Return whether the page has closed this connection, because it left or sent a newer request."""
        try:
            ready, *_ = select.select([self.connection], [], [], 0)
            return bool(ready) and not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        text = json.dumps({"error": why})
        self._send(status, text, "application/json")

    def _send(self, status: HTTPStatus, text: str, kind: str) -> None:
        content = text.encode("utf-8")
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": f"{kind}; charset=utf-8"}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self._leave()

    def _leave(self) -> None:
        """Close the connection after reading the rest of the request, which would otherwise reset the connection
        early."""
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(0.5)
            for _ in range(64):
                if not self.connection.recv(LARGEST):
                    break

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse methods other than GET and POST, and input that is not HTTP, without repeating the request."""
        self.close_connection = True
        status = HTTPStatus(code)
        self._refuse(HTTPStatus.METHOD_NOT_ALLOWED if status is HTTPStatus.NOT_IMPLEMENTED else status, status.phrase)

    def log_message(self, form: str, *values: Any) -> None:
        """Log nothing, because the terminal belongs to the model."""
