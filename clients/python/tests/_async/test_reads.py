"""Every read of the API, against a real system."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Callable

import numpy
import pandas
import pytest

import almanac
from almanac import AsyncAlmanac
from conftest import System

SERIES = "GENBTC15M"


def client_of(system: System, **options: object) -> AsyncAlmanac:
    return AsyncAlmanac(system.key, system.base_url, **options)  # type: ignore[arg-type]


async def closed_market(client: AsyncAlmanac) -> almanac.models.Market:
    page = await client.markets.list(series=SERIES, status="finalized", limit=1).first_page()
    return page.markets[0]


async def test_the_catalogue_has_its_shapes(system: System) -> None:
    async with client_of(system) as client:
        market = await closed_market(client)
        detail = await client.markets.get(market.ticker)
        assert detail.market == market
        assert market.close_ts is not None and market.close_ts.tzinfo is timezone.utc
        assert market.event_ticker is not None
        event = await client.events.get(market.event_ticker)
        assert [each.ticker for each in event.markets] == [market.ticker]
        assert [each.ticker async for each in client.events.markets(market.event_ticker)] == [market.ticker]
        categories = await client.categories.list()
        assert {category.id for category in categories.categories} == {"crypto", "economics"}
        assert sorted([item.id async for item in client.series.list(category="crypto", limit=1)]) == [SERIES, "GENBTCH"]
        assert (await client.series.get(SERIES)).series.shape == "rolling"
        hits = await client.search("central bank", limit=2).to_list()
        assert hits[0].kind == "series" and hits[0].id == "GENRATE"
        assert [event.event_ticker async for event in client.series.events("GENRATE", limit=1)]
        every = [market.ticker async for market in client.markets.list(limit=50)]
        changes = client.markets.changes_since(0, limit=50)
        assert sorted({market.ticker async for market in changes}) == sorted(every)
        last = [page async for page in changes.pages()][-1]
        assert last.next_cursor is not None
        assert await client.markets.changes_since(0, cursor=last.next_cursor).to_list() == []


async def test_snapshots_are_the_same_rows_as_items_and_as_a_table(system: System) -> None:
    async with client_of(system) as client:
        ticker = (await closed_market(client)).ticker
        series = client.markets.snapshots(ticker, step_ms=0, limit=100)
        items = await series.to_list()
        frame = await series.to_df()
        assert len(items) == len(frame) == 450
        assert [item.ts for item in items] == [time.to_pydatetime() for time in frame["ts"]]
        assert [item.yes_best_bid for item in items] == list(frame["yes_best_bid"])
        assert str(frame["ts"].dtype) == "datetime64[ns, UTC]"
        assert frame["seq"].isna().all() and frame["venue_ts"].isna().all()


async def test_a_window_is_exact_whatever_its_times_are_written_as(system: System) -> None:
    async with client_of(system) as client:
        market = await closed_market(client)
        assert market.open_ts is not None
        start, end = market.open_ts + timedelta(seconds=10), market.open_ts + timedelta(seconds=20)
        windows: list[tuple[almanac.Time, almanac.Time]] = [
            (start, end),
            (start.timestamp(), end.timestamp()),
            (start.isoformat(), end.isoformat()),
            (start.replace(tzinfo=None), end.replace(tzinfo=None).isoformat()),
            (pandas.Timestamp(start), numpy.datetime64(end.replace(tzinfo=None), "ns")),
        ]
        for first, last in windows:
            rows = await client.markets.snapshots(market.ticker, start_ts=first, end_ts=last, step_ms=0).to_list()
            assert [row.ts for row in rows] == [start + timedelta(seconds=2 * step) for step in range(5)]
        with pytest.raises(almanac.AlmanacError, match="is not a time") as raised:
            await client.markets.snapshots(market.ticker, start_ts="soon").first_page()
        assert raised.value.code == "invalid_options"


async def test_a_list_that_is_not_read_names_how_to_read_it(system: System) -> None:
    async with client_of(system) as client:
        keys = client.keys.list()
        asks: list[Callable[[Any], object]] = [len, bool, lambda each: each[0]]
        for ask in asks:
            with pytest.raises(TypeError, match=r"list of ApiKey .* to_list\(\)"):
                ask(keys)
        assert repr(keys) == "<list of ApiKey from listKeys: not read yet. Iterate over it, or call to_list()>"
        assert "active" in {key.status for key in await keys.to_list()}
        with pytest.raises(AttributeError, match="has no 'ticker'. Its market has: use .market.ticker"):
            getattr(await client.markets.get((await closed_market(client)).ticker), "ticker")


async def test_decimals_are_exact_in_items_and_in_tables(system: System) -> None:
    async with client_of(system, numbers="decimal") as client:
        ticker = (await closed_market(client)).ticker
        series = client.markets.snapshots(ticker, step_ms=0)
        first = (await series.first_page()).snapshots[0]
        assert isinstance(first.yes_best_bid, Decimal) and isinstance(first.coin_price, Decimal)
        assert first.ts is not None and first.ts.microsecond == 0
        frame = await series.to_df()
        assert frame["yes_best_bid"].iloc[0] == first.yes_best_bid
        assert isinstance(frame["coin_price"].iloc[0], Decimal)


async def test_trades_candles_books_and_moments(system: System) -> None:
    async with client_of(system) as client:
        market = await closed_market(client)
        assert market.open_ts is not None and market.close_ts is not None
        trades = client.markets.trades(market.ticker, limit=10)
        listed = await trades.to_list()
        frame = await trades.to_df()
        assert [trade.trade_id for trade in listed] == list(frame["trade_id"])
        newest = [trade.trade_id async for trade in client.markets.trades(market.ticker, order="desc", limit=10)]
        assert newest == [trade.trade_id for trade in reversed(listed)]
        candles = await client.markets.candles(market.ticker, period_s=60).to_list()
        assert [candle.start_ts for candle in candles] == [market.open_ts + timedelta(minutes=minute) for minute in range(15)]
        table = await client.markets.candles_of([market.ticker], period_s=60).to_df()
        assert list(table["yes_bid_open"]) == [candle.yes_bid.open for candle in candles]
        book = await client.markets.book(market.ticker, at_ts=market.open_ts + timedelta(seconds=3), depth=1)
        assert book.ts == market.open_ts + timedelta(seconds=2) and book.age_ms == 1000
        assert book.orderbook_yes is not None and len(book.orderbook_yes) == 1
        times = [market.open_ts, market.open_ts - timedelta(days=1)]
        moments = (await client.markets.at([market.ticker], times)).snapshots
        assert {moment.ts for moment in moments} == {market.open_ts, None}


async def test_gaps_and_coverage_are_visible(system: System) -> None:
    async with client_of(system) as client:
        live = await client.markets.list(series="GENRATE", status="live", limit=1).first_page()
        with pytest.warns(almanac.AlmanacWarning, match="The window was cut"):
            preview = await client.markets.preview(live.markets[0].ticker)
        assert not preview.pending
        closed = await client.markets.preview((await closed_market(client)).ticker)
        assert closed.coverage is not None and closed.coverage.covered_share == 1 and closed.coverage.gaps == ()
        assert (await client.markets.coverage((await closed_market(client)).ticker)).gaps_n == 0
        # The recording of a live market ends now, which is a gap without an end.
        gaps = await client.markets.snapshots(live.markets[0].ticker).gaps()
        assert [gap.reason for gap in gaps] == ["the recording ended"] and gaps[0].end_ts is None
        assert await client.markets.snapshots(live.markets[0].ticker, end_ts=gaps[0].start_ts).gaps() == ()


async def test_an_event_on_one_clock_is_a_table_of_all_its_markets(system: System) -> None:
    async with client_of(system) as client:
        market = (await client.markets.list(series="GENBTCH", status="finalized", limit=1).first_page()).markets[0]
        assert market.event_ticker is not None and market.open_ts is not None and market.close_ts is not None
        start, end = market.open_ts, market.close_ts
        snapshots = client.events.snapshots(market.event_ticker, step_ms=600_000, limit=4, start_ts=start, end_ts=end)
        frame = await snapshots.to_df()
        assert isinstance(frame, pandas.DataFrame)
        assert frame.groupby("ticker").size().to_dict() == {ticker: 6 for ticker in frame["ticker"].unique()}
        assert frame["ticker"].nunique() == 9
        whole = await client.events.snapshots(market.event_ticker, step_ms=500, limit=9).to_df()
        assert not whole.duplicated(["ticker", "ts"]).any()
        assert whole.groupby("ticker").size().nunique() == 1


async def test_as_of_never_looks_ahead(system: System) -> None:
    async with client_of(system) as client:
        market = await closed_market(client)
    assert market.open_ts is not None and market.close_ts is not None
    middle = market.open_ts + timedelta(seconds=60)
    async with client_of(system, as_of=middle) as past:
        known = await past.markets.get(market.ticker)
        assert known.as_of == middle and known.market.result is None
        earlier = await past.markets.get(market.ticker, as_of=middle - timedelta(seconds=1))
        assert earlier.as_of == middle - timedelta(seconds=1)
        with pytest.raises(almanac.AlmanacError) as raised:
            await past.markets.get(market.ticker, as_of=middle + timedelta(seconds=1))
        assert raised.value.code == "invalid_options"
        found = await past.search(market.ticker).first_page()
        assert found.as_of == middle and found.hits[0].id == market.ticker
        quote = await past.exports.quote(ticker=market.ticker)
        assert quote.as_of == middle
        exports = await past.exports.list().first_page()
        assert exports.as_of == middle
        with pytest.raises(almanac.AlmanacError) as raised:
            await past.cart.get()
        assert raised.value.code == "as_of_unsupported"
