"""Clients and errors in several processes, and in several loops of asyncio."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import pickle
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Iterator

import httpx
import pytest

import almanac
from almanac.errors import ApiError, ConnectionError, FileError

FORK = multiprocessing.get_context("fork")
MISSING = b'{"detail":"There is none.","code":"market_not_found","request_id":"r"}'


class Server(ThreadingHTTPServer):
    """Finds no market, and records from which port each request comes."""

    daemon_threads = True

    def __init__(self) -> None:
        self.ports: list[int] = []
        ports = self.ports

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                ports.append(self.client_address[1])
                self.send_response(404)
                self.send_header("content-length", str(len(MISSING)))
                self.end_headers()
                self.wfile.write(MISSING)

            def log_message(self, format: str, *args: object) -> None:
                """Tests are quiet."""

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def code_of(client: almanac.Almanac) -> str:
    try:
        client.markets.get("NOPE")
    except almanac.AlmanacError as error:
        return error.code
    return ""


def in_fork(client: almanac.Almanac) -> Any:
    reader, writer = FORK.Pipe(duplex=False)
    process = FORK.Process(target=lambda: writer.send(code_of(client)))
    process.start()
    writer.close()
    process.join()
    return reader.recv()


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_never_reads_from_the_connections_of_its_parent(server: Server) -> None:
    with almanac.Almanac("ak_live_key", server.url) as client:
        codes = [code_of(client), in_fork(client), code_of(client)]
    assert codes == ["market_not_found"] * 3
    before, child, after = server.ports
    assert before == after != child
    with httpx.Client() as http:
        client = almanac.Almanac("ak_live_key", server.url, http=http)
        assert [code_of(client), in_fork(client), code_of(client)] == ["market_not_found", "invalid_options", "market_not_found"]


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_an_async_client_works_in_one_loop_after_the_other(server: Server) -> None:
    client = almanac.AsyncAlmanac("ak_live_key", server.url)

    async def code(*, is_last: bool = False) -> str:
        with pytest.raises(almanac.ApiError) as raised:
            await client.markets.get("NOPE")
        if is_last:
            await client.close()
        return raised.value.code

    codes = [asyncio.run(code(is_last=number == 2)) for number in range(3)]
    assert codes == ["market_not_found"] * 3
    # asyncio warns of the sockets of a loop that has ended.
    gc.collect()


def test_every_error_can_be_pickled_and_a_client_says_why_not() -> None:
    errors: list[almanac.AlmanacError] = [
        ApiError(status=402, body={"code": "payment_required", "request_id": "r"}, retry_after_s=3.0, detail="Buy it.", remedy="Pay."),
        ConnectionError("connection_failed", "No server answers.", is_transient=True),
        FileError("disk_full", "There is no space left.", "Free some."),
    ]
    for error in errors:
        copied = pickle.loads(pickle.dumps(error))
        assert (type(copied), str(copied), vars(copied)) == (type(error), str(error), vars(error))
    with almanac.Almanac("ak_live_key", "http://127.0.0.1:9") as client, pytest.raises(TypeError, match="Make one in each process"):
        pickle.dumps(client)
