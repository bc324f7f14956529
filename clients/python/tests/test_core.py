"""What needs no server: times, decoding, retries, server-sent events, options."""

from __future__ import annotations

import csv
import json
import os
import re
import runpy
import tempfile
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from email.utils import format_datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import almanac
from almanac import models
from almanac._core.answers import error_of
from almanac._core.config import make_config
from almanac._core.decode import decode
from almanac._core.files import PartFile, refuse_devices, target_path
from almanac._core.frames import frame_of_csv
from almanac._core.local import play
from almanac._core.replay import Gap, markets_in
from almanac._core.requests import Call, prepare
from almanac._core.retry import retry_after_s, retry_delay_s
from almanac._core.sse import EventParser
from almanac._core.times import day_text, from_unix, to_micros, to_unix_text
from almanac.errors import ApiError, ConnectionError, FileError

MICROS = st.integers(0, 4_102_444_800_000_000)


def test_a_time_is_what_its_users_hold() -> None:
    day = 1_771_977_600
    same = [
        date(2026, 2, 25),
        "2026-02-25",
        "2026-02-25T00:00:00",
        "2026-02-25T05:30:00+05:30",
        numpy.datetime64("2026-02-25"),
        numpy.datetime64("2026-02-25T00:00:00.000000999"),
        numpy.int64(day),
        numpy.int32(day),
        numpy.float64(day),
        Decimal(day),
        pandas.Series([pandas.Timestamp("2026-02-25")])[0],
        pandas.Series([day])[0],
    ]
    assert [to_micros(each) for each in same] == [day * 1_000_000] * len(same)
    days: list[almanac.Time] = [date(2026, 2, 25), numpy.datetime64("2026-02-25T23:59"), day + 1]
    assert {day_text(each) for each in days} == {"2026-02-25"}
    nothing = [pandas.NaT, numpy.datetime64("NaT", "us"), float("nan"), float("inf"), numpy.float32(day), True, None, [day], "soon"]
    nothing += ["1771977600", "1771123112345", "20260225", "2026-W08-3"]
    for each in nothing:
        with pytest.raises(almanac.AlmanacError) as raised:
            to_micros(each)
        assert raised.value.code == "invalid_options", each


def options(**changed: Any) -> Any:
    defaults: dict[str, Any] = {
        "api_key": "ak_live_x",
        "base_url": "http://127.0.0.1:8080",
        "as_of": None,
        "strict": True,
        "timeout_s": 1,
        "deadline_s": 1,
        "max_retries": 0,
        "numbers": "float",
    }
    return make_config(**{**defaults, **changed})


@given(MICROS)
def test_every_microsecond_survives_json_and_a_query(micros: int) -> None:
    time = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=micros)
    text = to_unix_text(time)
    assert Decimal(text) * 1_000_000 == micros
    assert from_unix(json.loads(text)) == from_unix(json.loads(text, parse_float=Decimal)) == time
    assert to_micros(float(text)) == to_micros(time.isoformat()) == micros
    naive = time.replace(tzinfo=None)
    stamps = [pandas.Timestamp(time), pandas.Timestamp(naive), numpy.datetime64(naive), naive, naive.isoformat()]
    assert [to_micros(stamp) for stamp in stamps] == [micros] * len(stamps)


@given(st.lists(st.one_of(st.none(), MICROS), min_size=1), st.lists(st.decimals(0, 1, places=6), min_size=1))
def test_a_table_has_the_exact_values_of_its_text(times: list[int | None], prices: list[Decimal]) -> None:
    rows = [(None if micros is None else Decimal(micros) / 1_000_000, prices[at % len(prices)]) for at, micros in enumerate(times)]
    text = '"ticker","ts","yes_best_bid"\r\n' + "".join(f'"NA",{"" if time is None else time},{price}\r\n' for time, price in rows)
    frame = frame_of_csv(text.encode(), "float")
    assert list(frame["ticker"]) == ["NA"] * len(rows)
    assert list(frame["yes_best_bid"]) == [float(price) for _, price in rows]
    exact = frame_of_csv(text.encode(), "decimal")
    assert list(exact["yes_best_bid"]) == [price for _, price in rows]
    for found, micros in zip(frame["ts"], times):
        assert (found != found) if micros is None else found.to_pydatetime() == from_unix(Decimal(micros) / 1_000_000)


@given(st.lists(st.one_of(st.none(), st.integers(0, 2**63 - 1)), min_size=1))
def test_a_table_has_exact_sequence_numbers(numbers: list[int | None]) -> None:
    text = "seq,ticker\r\n" + "".join(f"{'' if number is None else number},A\r\n" for number in numbers)
    frame = frame_of_csv(text.encode(), "float")
    assert str(frame["seq"].dtype) == "Int64"
    assert [None if number is pandas.NA else number for number in frame["seq"]] == numbers


@given(st.text(min_size=1).filter(lambda text: text not in (".", "..")))
def test_any_id_stays_one_segment_of_the_path(ticker: str) -> None:
    try:
        ticker.encode()
    except UnicodeEncodeError:
        return
    url = prepare(Call(operation="getMarket", path={"ticker": ticker}), options()).url
    assert url.startswith("http://127.0.0.1:8080/api/v1/markets/")
    assert "/" not in url.removeprefix("http://127.0.0.1:8080/api/v1/markets/") and "?" not in url


@given(st.lists(st.tuples(st.sampled_from(["pending", "ready"]), st.text(st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp"])))))
def test_events_are_read_whatever_their_data(events: list[tuple[str, str]]) -> None:
    parser = EventParser()
    found = []
    for number, (name, data) in enumerate(events):
        for line in (": comment", f"event: {name}", f"id: {number}", f"data: {data}", ""):
            event = parser.feed(line)
            if event is not None:
                found.append(tuple(event))
    assert found == events
    assert parser.last_id == (str(len(events) - 1) if events else None)


def api_error(status: int, wait_s: float | None = None) -> ApiError:
    body = {"code": "x", "detail": "x", "request_id": "x"}
    return ApiError(status=status, body=body, retry_after_s=wait_s, detail="x", remedy="")


@given(st.integers(1, 50), st.floats(0, 100))
def test_a_pause_is_bounded_and_never_shorter_than_the_server_asks_for(attempt: int, wait_s: float) -> None:
    delay = retry_delay_s(api_error(429, wait_s), attempt=attempt, retries=50, left_s=1_000)
    assert delay is not None and wait_s <= delay <= wait_s + 10
    other = retry_delay_s(ConnectionError("connection_failed", "", is_transient=True), attempt=attempt, retries=50, left_s=1_000)
    assert other is not None and 0 < other <= 10
    assert retry_delay_s(api_error(429, wait_s), attempt=attempt, retries=50, left_s=wait_s) is None


def test_errors_that_a_retry_cannot_change_are_not_retried() -> None:
    for status in (400, 401, 402, 403, 404, 409, 422, 500):
        assert retry_delay_s(api_error(status), attempt=1, retries=5, left_s=100) is None


def test_a_date_of_retry_after_counts_from_the_clock_of_the_server() -> None:
    headers = {"retry-after": "Wed, 21 Oct 2015 07:28:30 GMT", "date": "Wed, 21 Oct 2015 07:28:00 GMT"}
    assert retry_after_s(headers) == 30
    assert retry_after_s({"retry-after": "7"}) == 7
    assert retry_after_s({"retry-after": "soon"}) is None and retry_after_s({}) is None


@pytest.mark.parametrize(("offset_s", "expected"), [(-3_600, r"Your clock is 3\d{3} s ahead of"), (3_600, r"Your clock is 3\d{3} s behind"), (0, None)])
def test_a_clock_that_is_off_is_named_where_a_time_is_in_the_future(offset_s: int, expected: str | None) -> None:
    body = b'{"code":"as_of_in_future","detail":"x","request_id":"r"}'
    date = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=offset_s), usegmt=True)
    remedy = error_of(400, {"date": date}, body).remedy
    assert re.search(expected, remedy) if expected else "clock of the server" not in remedy


def test_fields_that_the_client_does_not_know_are_ignored_and_missing_ones_are_an_error() -> None:
    money = decode(models.Money, {"amount": 500, "currency": "USD", "new": True})
    assert money == models.Money(amount=500, currency="USD")
    values: list[object] = [{"amount": 500}, {"amount": "many", "currency": "USD"}, None, [], "text"]
    for value in values:
        with pytest.raises(ConnectionError, match="not_almanac"):
            decode(models.Money, value)


def test_an_option_of_a_newer_server_does_not_break_a_quote() -> None:
    option = decode(models.UpgradeOption, {"type": "upgrade", "tier_id": "pro", "price": {"amount": 1, "currency": "USD"}})
    assert option.tier_id == "pro"


@pytest.mark.parametrize("url", ["", "127.0.0.1:8080", "ftp://x", "http://", "http://x:99999", "http://x/?q=1"])
def test_an_address_that_is_none_is_refused_with_a_remedy(url: str) -> None:
    with pytest.raises(almanac.AlmanacError) as raised:
        options(base_url=url)
    assert raised.value.code == "invalid_options" and "base_url" in raised.value.remedy


@pytest.mark.parametrize("url", ["http://x", "http://x/", "http://x/api/v1", "http://x/api/v1/"])
def test_an_address_may_end_with_the_path_of_the_api(url: str) -> None:
    assert options(base_url=url).base_url == "http://x"


@pytest.mark.parametrize("key", ["", "  ", "ak live", "schlüssel", "ak\nlive"])
def test_a_key_that_cannot_be_sent_is_refused(key: str) -> None:
    with pytest.raises(almanac.AlmanacError, match="invalid_options"):
        options(api_key=key)


def test_one_ticker_is_not_taken_for_several() -> None:
    with almanac.Almanac("ak_live_x", "http://127.0.0.1:8080") as client, pytest.raises(almanac.AlmanacError, match="invalid_options"):
        client.exports.create(tickers="KXBTC")


def test_a_name_from_the_server_does_not_leave_the_folder(tmp_path: Path) -> None:
    for name in ("../../etc/passwd", "/etc/passwd", "..\\..\\etc\\passwd"):
        assert target_path(tmp_path, name) == tmp_path / "passwd"
    assert target_path(tmp_path, "..").parent == tmp_path


def test_a_client_does_not_show_its_key() -> None:
    with almanac.Almanac("ak_live_secret", "http://127.0.0.1:8080") as client:
        assert "secret" not in repr(client)


def test_two_downloads_of_one_file_at_once_store_its_bytes_once(tmp_path: Path) -> None:
    target, content = tmp_path / "file.csv", bytes(range(100)) * 1_000
    digest = sha256(content).hexdigest()
    with PartFile(target, len(content), digest) as one, PartFile(target, len(content), digest) as other:
        one.write(content[:40_000])
        other.write(content[:70_000])
        one.write(content[40_000:])
        assert one.is_right() and one.keep() == target and target.read_bytes() == content
        other.restart()
        other.write(content)
        assert other.is_right() and other.keep() == target
    assert target.read_bytes() == content and os.listdir(tmp_path) == ["file.csv"]


def test_a_wrong_variable_of_the_connection_is_named(monkeypatch: Any) -> None:
    monkeypatch.setenv("ALL_PROXY", "garbage://x")
    with pytest.raises(almanac.AlmanacError) as raised:
        almanac.Almanac("ak_live_key", "http://127.0.0.1:9")
    assert raised.value.code == "invalid_options"


@pytest.mark.parametrize("part", ["path", "query", "body"])
def test_half_of_a_pair_of_letters_is_refused_before_it_is_sent(part: str) -> None:
    sent: dict[str, Any] = {part: {"ticker": "half: \ud800"}}
    with pytest.raises(almanac.AlmanacError) as raised:
        prepare(Call(operation="getMarket", **sent), options())
    assert raised.value.code == "invalid_options"


def test_a_device_or_a_pipe_is_never_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    refuse_devices(tmp_path / "new.csv")
    with pytest.raises(FileError) as raised:
        refuse_devices(pipe)
    assert raised.value.code == "file_unwritable"


@given(
    st.dictionaries(
        st.text(st.characters(blacklist_categories=["Cs"]), min_size=1), st.lists(st.integers(0, 10**15), unique=True), max_size=5
    )
)
def test_markets_of_one_file_are_replayed_in_one_order_whatever_their_names(markets: dict[str, list[int]]) -> None:
    rows = [(ticker, micros) for ticker in sorted(markets) for micros in sorted(markets[ticker])]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL)
            writer.writerow(["ticker", "ts", "venue_ts", "seq", "yes_best_bid", "yes_best_ask", "coin_price"])
            writer.writerows([ticker, Decimal(micros) / 1_000_000, "", "7", "0.51", "", "1"] for ticker, micros in rows)
        sources = markets_in(path)
        assert [source.ticker for source in sources] == sorted(ticker for ticker in markets if markets[ticker])
        gap = Gap(0, "gap", None, "a reason", "all")
        events = list(play(sources, [gap], 0, 2 * 10**15, "decimal"))
    assert events[0] == gap
    assert sorted((event.ticker, event.ts_us) for event in events[1:]) == rows
    assert [event.ts_us for event in events] == sorted(event.ts_us for event in events)


def test_the_benchmark_runs() -> None:
    """Its figures are no test."""
    bench = runpy.run_path(str(Path(__file__).parent.parent / "bench.py"))
    assert bench["table"](100).ours > 0 and bench["replay"](300).ours > 0
