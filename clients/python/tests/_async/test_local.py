"""A local copy, and replays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import almanac
from almanac import AsyncAlmanac, Gap, Observation, TradePrint
from conftest import System
from faults import Answer, FaultProxy, Seen

SERIES = "GENBTC15M"


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix == ".csv"}


async def test_a_copy_has_every_closed_event_and_the_next_sync_only_what_changed(system: System, faults: FaultProxy, tmp_path: Path) -> None:
    async with AsyncAlmanac(system.key, faults.url) as client:
        first = await client.sync(tmp_path, series="GENRATE", format="csv", live=True)
        assert first.downloaded == 1 and first.unchanged == 0
        files = files_in(tmp_path)
        assert len(files) == 1
        downloads = sum(1 for seen in faults.seen if seen.path.endswith("/file"))
        again = await client.sync(tmp_path, series="GENRATE", format="csv", live=True, recheck=True)
        assert again.downloaded == 0 and again.unchanged == 1
        assert files_in(tmp_path) == files
        assert sum(1 for seen in faults.seen if seen.path.endswith("/file")) == downloads
        # A file that was damaged or lost is fetched again.
        name = next(iter(files))
        (tmp_path / name).write_bytes(b"damaged")
        assert (await client.sync(tmp_path, series="GENRATE", format="csv", live=True, recheck=True)).downloaded == 1
        assert files_in(tmp_path) == files


async def test_a_copy_has_the_rows_of_the_archive_and_replays_them_in_order(system: System, tmp_path: Path) -> None:
    streams: list[almanac.Stream] = ["snapshots", "l2", "trades"]
    async with AsyncAlmanac(system.key, system.base_url) as client:
        result = await client.sync(tmp_path, series="GENBTCH", format="csv", streams=streams)
        state = json.loads((tmp_path / "almanac.json").read_text())
        assert result.downloaded == len(state["files"]) > 3 and len(state["pending"]) == result.live
        events = list(almanac.replay(tmp_path))
        tickers = sorted({event.ticker for event in events})
        assert len(tickers) == 9 * result.downloaded
        assert [event.ts_us for event in events] == sorted(event.ts_us for event in events)
        one = tickers[0]
        expected = await client.markets.snapshots(one, step_ms=0).to_list()
        found = [event for event in almanac.replay(tmp_path, [one]) if isinstance(event, Observation)]
        assert [event.ts for event in found] == [snapshot.ts for snapshot in expected]
        assert [event.yes_best_bid for event in found] == [snapshot.yes_best_bid for snapshot in expected]
        trades = await client.markets.trades(one).to_list()
        prints = [event for event in almanac.replay(tmp_path, [one]) if isinstance(event, TradePrint)]
        assert [each.trade_id for each in prints] == [trade.trade_id for trade in trades]
        start, end = expected[3].ts, expected[7].ts
        assert start is not None and end is not None
        window = [event.ts for event in almanac.replay(tmp_path, [one], start, end) if isinstance(event, Observation)]
        assert window == [snapshot.ts for snapshot in expected[3:7]]


async def test_a_sync_that_failed_goes_on_where_it_was(system: System, faults: FaultProxy, tmp_path: Path) -> None:
    refused = Answer(429, b'{"detail":"Tomorrow.","code":"export_daily_limit","request_id":"r"}', {"retry-after": "3600"})

    def refuse_the_third(seen: Seen, count: int) -> Answer | None:
        return refused if seen.method == "POST" and count == 2 else None

    faults.rule = refuse_the_third
    async with AsyncAlmanac(system.key, faults.url) as client:
        with pytest.raises(almanac.ApiError) as raised:
            await client.sync(tmp_path, series="GENBTCH", format="csv")
        assert raised.value.code == "export_daily_limit"
        assert len(files_in(tmp_path)) == 2
        result = await client.sync(tmp_path, series="GENBTCH", format="csv")
        assert len(files_in(tmp_path)) == 2 + result.downloaded
        assert len({event.ticker for event in almanac.replay(tmp_path)}) == 9 * (2 + result.downloaded)


async def test_a_folder_with_other_options_or_a_damaged_state_is_refused(system: System, tmp_path: Path) -> None:
    async with AsyncAlmanac(system.key, system.base_url) as client:
        await client.sync(tmp_path, series="GENRATE", format="csv")
        with pytest.raises(almanac.FileError) as other:
            await client.sync(tmp_path, series=SERIES, format="csv")
        assert other.value.code == "file_conflict"
        (tmp_path / "almanac.json").write_text("{")
        with pytest.raises(almanac.FileError) as damaged:
            await client.sync(tmp_path, series="GENRATE", format="csv")
        assert damaged.value.code == "file_mismatch"


async def test_a_key_with_a_time_is_refused_before_anything_is_read(system: System, faults: FaultProxy, tmp_path: Path) -> None:
    async with AsyncAlmanac(system.key, system.base_url) as client:
        key = await client.keys.create("fenced", as_of=1_700_000_000)
    async with AsyncAlmanac(key.secret, faults.url) as fenced:
        with pytest.raises(almanac.AlmanacError) as raised:
            await fenced.sync(tmp_path / "copy", series=SERIES)
    assert raised.value.code == "as_of_unsupported" and "a key without as_of" in raised.value.remedy
    assert not any("/exports" in seen.path for seen in faults.seen)
    async with AsyncAlmanac(system.key, system.base_url) as client:
        await client.keys.revoke(key.id)


async def test_markets_are_replayed_without_a_copy_with_books_and_gaps(system: System) -> None:
    async with AsyncAlmanac(system.key, system.base_url) as client:
        closed = (await client.markets.list(series=SERIES, status="finalized", limit=2).first_page()).markets
        live = (await client.markets.list(series="GENRATE", status="live", limit=1).first_page()).markets
        tickers = [market.ticker for market in (*closed, *live)]
        events = [event async for event in client.replay(tickers, books=True)]
        assert [event.ts_us for event in events] == sorted(event.ts_us for event in events)
        assert {event.ticker for event in events} == set(tickers)
        assert [event.ticker for event in events if isinstance(event, Gap)] == [live[0].ticker]
        for market in closed:
            book = await client.markets.book(market.ticker)
            last = [event for event in events if isinstance(event, Observation) and event.ticker == market.ticker][-1]
            assert last.orderbook_yes == book.orderbook_yes and last.orderbook_no == book.orderbook_no
        with pytest.raises(almanac.AlmanacError):
            client.replay(tickers[0])
