"""The tables of a system have the types of `frame_types`, with rows, without, and as every package has them."""

from __future__ import annotations

import warnings
from datetime import timedelta
from typing import Any, Literal, Sequence

import pytest

from almanac import AlmanacWarning, AsyncAlmanac
from almanac._async.pages import AsyncPages
from almanac._async.rows import AsyncRows
from almanac._core.frames import frame_of_csv, frame_of_stream, optional_package
from conftest import System
from frame_types import expected_types, is_installed, types_of

NUMBERS: Sequence[Literal["float", "decimal"]] = ("float", "decimal")


async def tables_of(list_: AsyncPages[Any, Any], numbers: str) -> list[int]:
    """Checks the types of a list's tables, and returns the number of their rows."""
    frame = await list_.to_df()
    assert types_of(frame) == expected_types(frame.columns, "pandas", numbers)
    rows = [len(frame)]
    if is_installed("polars"):
        table = await list_.to_polars()
        assert types_of(table) == {**types_of(table), **expected_types(flat(table.columns), "polars", numbers)}
        rows.append(table.height)
    if is_installed("pyarrow"):
        arrow = await list_.to_arrow()
        assert types_of(arrow) == {**types_of(arrow), **expected_types(flat(arrow.column_names), "arrow", numbers)}
        rows.append(arrow.num_rows)
    assert len(set(rows)) == 1
    return rows


def flat(columns: Sequence[str]) -> list[str]:
    return [name for name in columns if not name.startswith("orderbook_")]


@pytest.mark.parametrize("numbers", NUMBERS)
async def test_every_table_has_its_types_with_rows_and_without(system: System, numbers: Literal["float", "decimal"]) -> None:
    async with AsyncAlmanac(system.key, system.base_url, numbers=numbers) as client:
        market = (await client.markets.list(series="GENBTCH", status="finalized", limit=1).first_page()).markets[0]
        assert market.event_ticker is not None and market.open_ts is not None
        ticker, event, start = market.ticker, market.event_ticker, market.open_ts
        before: dict[str, Any] = {"start_ts": start - timedelta(days=2), "end_ts": start - timedelta(days=1)}
        some: list[AsyncPages[Any, Any]] = [
            client.search("btc", limit=50),
            client.quality(event=event, from_=start),
            client.quality_by_period("hour", event=event, from_=start),
            client.series.list(),
            client.series.markets("GENRATE"),
            client.series.events("GENRATE"),
            client.events.markets(event),
            client.events.snapshots(event, step_ms=600_000),
            client.markets.list(series="GENRATE"),
            client.markets.changes_since(0, series="GENRATE"),
            client.markets.snapshots(ticker),
            client.markets.snapshots(ticker, step_ms=0, sizes=True, include_book=True),
            client.markets.trades(ticker),
            client.markets.candles(ticker, points=10),
            client.markets.candles_of([ticker], points=10),
            client.keys.list(),
        ]
        for list_ in some:
            assert min(await tables_of(list_, numbers)) > 0, repr(list_)
        none: list[AsyncPages[Any, Any]] = [
            client.series.list(q="nothing like it"),
            client.markets.list(series="GENRATE", to_ts=start - timedelta(days=999)),
            client.markets.changes_since(4_000_000_000),
            client.markets.snapshots(ticker, **before),
            client.markets.trades(ticker, **before),
            client.exports.list(group="grp_none"),
        ]
        for list_ in none:
            # A warning names the nearest rows.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", AlmanacWarning)
                assert set(await tables_of(list_, numbers)) == {0}, repr(list_)


async def test_a_grid_has_the_same_rows_in_every_package(system: System) -> None:
    async with AsyncAlmanac(system.key, system.base_url) as client:
        market = (await client.markets.list(series="GENBTCH", status="finalized", limit=1).first_page()).markets[0]
        assert market.event_ticker is not None
        grid = client.events.snapshots(market.event_ticker, step_ms=600_000)
        expected = await grid.to_df()
        if is_installed("polars"):
            assert (await grid.to_polars())["ticker"].to_list() == list(expected["ticker"])
        if is_installed("pyarrow"):
            assert (await grid.to_arrow()).column("ts").to_pylist() == [time.to_pydatetime() for time in expected["ts"]]


async def test_a_table_is_the_same_from_arrow_and_from_csv(system: System) -> None:
    assert_frame_equal: Any = optional_package("pandas.testing").assert_frame_equal
    async with AsyncAlmanac(system.key, system.base_url) as client:
        market = (await client.markets.list(series="GENBTCH", status="finalized", limit=1).first_page()).markets[0]
        some: list[AsyncRows[Any, Any]] = [client.markets.snapshots(market.ticker, step_ms=0, sizes=True), client.markets.trades(market.ticker)]
        for rows in some:
            frame = await rows.to_df()
            assert len(frame) > 0
            assert_frame_equal(frame, frame_of_csv(await rows.read("csv"), "float"))
            if is_installed("pyarrow"):
                assert_frame_equal(frame, frame_of_stream(await rows.read("arrow")))
