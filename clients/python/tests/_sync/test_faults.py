# Made by `npm run docs:make` from _async/test_faults.py; do not edit.
"""What goes wrong between the client and the server."""

from __future__ import annotations

import socket
import threading

import pytest

import almanac
from almanac import Almanac
from conftest import System
from faults import Answer, Cut, FaultProxy, Seen

PLAN = "/api/v1/plan"
LIMITED = Answer(429, b'{"detail":"Slow down.","code":"rate_limited","request_id":"r"}', {"retry-after": "0"})
AWAY = Answer(503, b'{"detail":"Away.","code":"unavailable","request_id":"r"}', {"retry-after": "0"})


def client_of(system: System, faults: FaultProxy, **options: object) -> Almanac:
    return Almanac(system.key, faults.url, **options)  # type: ignore[arg-type]


def test_a_storm_of_429_and_503_and_lost_connections_is_survived(system: System, faults: FaultProxy) -> None:
    storm: list[Answer | Cut] = [LIMITED, AWAY, Cut(0), LIMITED]
    faults.rule = lambda seen, count: storm[count] if count < len(storm) else None
    with client_of(system, faults) as client:
        assert (client.plan.get()).plan.id == "full_book"
    assert len(faults.seen) == 5


def test_retries_are_bounded(system: System, faults: FaultProxy) -> None:
    faults.rule = lambda seen, count: LIMITED
    with client_of(system, faults, max_retries=2) as client:
        with pytest.raises(almanac.ApiError) as raised:
            client.plan.get()
    assert raised.value.code == "rate_limited" and raised.value.retry_after_s == 0 and raised.value.request_id == "r"
    assert len(faults.seen) == 3


def test_a_pause_that_is_longer_than_the_deadline_is_reported_at_once(system: System, faults: FaultProxy) -> None:
    faults.rule = lambda seen, count: Answer(LIMITED.status, LIMITED.content, {"retry-after": "3600"})
    with client_of(system, faults) as client:
        with pytest.raises(almanac.ApiError) as raised:
            client.plan.get()
    assert raised.value.retry_after_s == 3600 and len(faults.seen) == 1


def test_a_retried_post_has_the_same_idempotency_key_and_one_effect(system: System, faults: FaultProxy) -> None:
    def lose_the_first_answer(seen: Seen, count: int) -> Cut | None:
        return Cut(10) if seen.method == "POST" and count == 0 else None

    faults.rule = lose_the_first_answer
    with client_of(system, faults) as client:
        created = client.keys.create("retried")
        # The answer with the secret was lost, and the server does not show it again.
        assert created.secret is None and created.secret_already_shown
        names = [key.name for key in client.keys.list() if key.status == "active"]
        assert names.count("retried") == 1
        client.keys.revoke(created.id)
    sent = [seen.headers["idempotency-key"] for seen in faults.seen if seen.method == "POST"]
    assert len(sent) == 2 and sent[0] == sent[1]


def test_html_in_place_of_json_is_not_almanac(system: System, faults: FaultProxy) -> None:
    faults.rule = lambda seen, count: Answer(200, b"<!doctype html><title>Login</title>", {"content-type": "text/html"})
    with client_of(system, faults) as client:
        with pytest.raises(almanac.ConnectionError) as raised:
            client.plan.get()
    assert raised.value.code == "not_almanac" and "HTML" in raised.value.detail and "base_url" in raised.value.remedy


def test_other_json_is_not_almanac(system: System, faults: FaultProxy) -> None:
    for content in (b'{"hello":"world"}', b"[]", b"null", b'{"plan":7}', b""):
        faults.rule = lambda seen, count: Answer(200, content, {"content-type": "application/json"})
        with client_of(system, faults) as client:
            with pytest.raises(almanac.ConnectionError) as raised:
                client.plan.get()
        assert raised.value.code == "not_almanac"


def test_a_deadline_says_why_the_last_attempt_failed(system: System) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        with Almanac(system.key, f"http://127.0.0.1:{port}", deadline_s=2, max_retries=20) as client:
            with pytest.raises(almanac.ConnectionError) as raised:
                client.plan.get()
    assert raised.value.code == "deadline_exceeded"
    assert "The last attempt failed: No server answers at" in raised.value.detail
    assert raised.value.remedy.startswith("Raise deadline_s. Start the server")


def test_a_server_that_is_none_is_not_almanac(system: System) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            connection.recv(65_536)
            connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")
            connection.close()

        threading.Thread(target=answer, daemon=True).start()
        with Almanac(system.key, f"http://127.0.0.1:{server.getsockname()[1]}", max_retries=0) as client:
            with pytest.raises(almanac.ConnectionError) as raised:
                client.plan.get()
    assert raised.value.code == "not_almanac"


def test_a_server_that_never_answers_ends_with_the_deadline(system: System) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        with Almanac(system.key, url, timeout_s=0.3, deadline_s=1) as client:
            with pytest.raises(almanac.ConnectionError) as raised:
                client.plan.get()
    assert raised.value.code in ("deadline_exceeded", "connection_failed")


def test_a_stream_that_is_cut_is_read_again_and_never_returned_in_part(system: System, faults: FaultProxy) -> None:
    def cut_the_first(seen: Seen, count: int) -> Cut | None:
        return Cut(5_000) if "format=csv" in seen.path and count == 0 else None

    faults.rule = cut_the_first
    with client_of(system, faults) as client:
        page = client.markets.list(series="GENBTC15M", status="finalized", limit=1).first_page()
        assert len(client.markets.snapshots(page.markets[0].ticker, step_ms=0).to_df()) == 450
    with client_of(system, faults, max_retries=0) as client:
        faults.rule = lambda seen, count: Cut(5_000)
        with pytest.raises(almanac.ConnectionError) as raised:
            client.markets.snapshots(page.markets[0].ticker, step_ms=0).to_df()
    assert raised.value.code == "connection_failed"


def test_a_page_without_a_way_to_go_on_is_an_error_and_no_end(system: System, faults: FaultProxy) -> None:
    with client_of(system, faults) as client:
        page = client.markets.list(limit=1).first_page()
        assert page.has_more
        body = b'{"count":0,"source":"archive","markets":[],"has_more":true,"next_cursor":null,"from_ts":null,"to_ts":null,"defaulted":false,"has_older":false}'
        faults.rule = lambda seen, count: Answer(200, body)
        with pytest.raises(almanac.ConnectionError) as raised:
            client.markets.list().to_list()
    assert raised.value.code == "incomplete_answer"
