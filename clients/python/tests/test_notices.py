"""Notices are warnings, long pauses are in the log, and errors speak of this client."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from typing import Callable

import httpx
import pytest

import almanac
from almanac._core.advice import ADVICE
from almanac._core.notices import notices_in
from almanac._core.wording import in_own_words

NOTICE = r'window_clamped;loc="query.end_ts";detail="Cut.", window_empty;detail="The first \"row\" %C3%BC is 4 h later."'
EMPTY = 'The first "row" ü is 4 h later.'
# Codes of requests that the client never sends.
FOREIGN = ("bad_request", "csrf_refused", "method_not_allowed", "not_found", "range_not_satisfiable")


@pytest.fixture
def answers() -> list[httpx.Response]:
    return []


def client_of(answers: list[httpx.Response]) -> almanac.Almanac:
    handler: Callable[[httpx.Request], httpx.Response] = lambda request: answers.pop(0)
    return almanac.Almanac("ak", "http://localhost", http=httpx.Client(transport=httpx.MockTransport(handler)))


def hits(next_offset: int | None) -> httpx.Response:
    body = {"q": "", "count": 0, "offset": 0, "limit": 40, "has_more": next_offset is not None, "next_offset": next_offset, "hits": []}
    return httpx.Response(200, json=body, headers={"almanac-notice": NOTICE})


def test_a_header_has_codes_and_sentences() -> None:
    assert notices_in({"almanac-notice": NOTICE}) == [("window_clamped", "Cut."), ("window_empty", EMPTY)]
    assert notices_in({}) == []


def test_a_notice_is_a_warning_of_the_line_that_called(answers: list[httpx.Response]) -> None:
    answers.append(hits(None))
    with client_of(answers) as client, pytest.warns(almanac.AlmanacWarning) as seen:
        client.search("x").first_page()
    assert [str(each.message) for each in seen] == ["Cut.", EMPTY]
    assert {each.filename for each in seen} == {__file__}


def test_a_list_that_reads_on_says_nothing_of_cut_windows(answers: list[httpx.Response]) -> None:
    answers += [hits(1), hits(None)]
    with client_of(answers) as client, pytest.warns(almanac.AlmanacWarning) as seen:
        assert client.search("x").to_list() == []
    assert [str(each.message) for each in seen] == [EMPTY, EMPTY]


def test_a_long_pause_is_in_the_log_before_it_begins(
    answers: list[httpx.Response], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"detail": "The limit is 120.", "code": "rate_limited", "request_id": "r"}
    answers += [httpx.Response(429, json=body, headers={"retry-after": wait}) for wait in ("0", "30")]

    def pause(seconds: float) -> None:
        if seconds > 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("almanac._sync.transport.sleep", pause)
    with client_of(answers) as client, caplog.at_level(logging.INFO, "almanac"), pytest.raises(KeyboardInterrupt):
        client.plan.get()
    [line] = [record.getMessage() for record in caplog.records]
    assert re.fullmatch(r"Waiting 3[01] s, then attempt 3: The limit is 120\.", line)


def test_errors_name_calls_of_this_client(answers: list[httpx.Response]) -> None:
    hint = {"code": "time_format", "detail": "Did you mean 1771992900?", "loc": None, "nearest": None}
    body = {"detail": "No market NOPE. Search with GET /api/v1/search.", "code": "market_not_found", "request_id": "r", "notices": [hint]}
    answers.append(httpx.Response(404, json=body))
    with client_of(answers) as client, pytest.raises(almanac.ApiError) as raised:
        client.markets.get("NOPE")
    error = raised.value
    assert error.detail == "No market NOPE."
    assert "`client.markets.list(...)`" in error.remedy and error.remedy.endswith("Did you mean 1771992900?")
    assert "/api/v1" not in str(error)


@pytest.mark.parametrize("code", [code for code in ADVICE if code not in FOREIGN])
def test_every_remedy_is_of_this_client(code: str) -> None:
    text = in_own_words(ADVICE[code])
    assert not any(word in text for word in ("/api/v1", "Retry-After", "RateLimit", "Authorization", "Idempotency-Key"))


STOPPED = "import almanac; almanac.Almanac('ak', 'http://127.0.0.1:9', max_retries=0).plan.get()"


def test_a_stopped_server_is_one_error_without_a_chain() -> None:
    def shown(*options: str) -> str:
        return subprocess.run([sys.executable, *options, "-c", STOPPED], capture_output=True, text=True).stderr

    lines = shown().strip().splitlines()
    assert lines[-1].startswith("almanac.errors.ConnectionError: connection_failed: No server answers at http://127.0.0.1:9")
    assert shown().count("Traceback") == 1
    assert shown("-X", "dev").count("Traceback") > 1


def test_a_notebook_shows_one_line() -> None:
    error = almanac.ConnectionError("connection_failed", "No server answers.", "Start it.")
    assert error._render_traceback_() == ["almanac.errors.ConnectionError: connection_failed: No server answers. Start it."]
