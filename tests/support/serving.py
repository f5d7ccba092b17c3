"""A model file that is served, as ``mbs-dae view`` serves it, beside the test that asks it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any

from mbs_dae.cli.commands import time_grid
from mbs_dae.cli.model_file import ModelFile
from mbs_dae.view.served.server import HERE, Server
from mbs_dae.view.served.session import Session


@contextmanager
def served(path: Path, **choices: Any) -> Iterator[Server]:
    """On any free port."""
    file = ModelFile(path, {}, lambda times: time_grid(times, None, None, None), {})
    with Server(Session(file, choices)) as server:
        listening = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        listening.start()
        try:
            yield server
        finally:
            server.shutdown()
            listening.join()


def sent(server: Server, what: str, body: Any = None, method: str = "POST", **headers: str) -> tuple[int, Any]:
    """The status and the answer; text where it is no JSON. `what` is the last part of the address, or all of it."""
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    path = what if what.startswith("/") else f"/{server.token}/{what}"
    connection = HTTPConnection(HERE, server.server_port, timeout=20)
    try:
        own = {"Content-Type": "application/json"} if method == "POST" else {}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, data, own | named)
        response = connection.getresponse()
        text = response.read().decode()
        return response.status, json.loads(text) if text.startswith("{") else text
    finally:
        connection.close()
