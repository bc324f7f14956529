"""Markets and their time series."""

from __future__ import annotations

from typing import Sequence

from .._core.deadline import Deadline
from .._core.requests import Call
from .._core.times import Time, to_micros
from ..models import (
    BookResponse,
    Candle,
    CandleBatchResponse,
    CandlesResponse,
    CoverageGap,
    Market,
    MarketDetailResponse,
    MarketsAtResponse,
    MarketsResponse,
    PreviewResponse,
    Snapshot,
    SnapshotsResponse,
    Trade,
    TradesResponse,
)
from .pages import AsyncPages
from .rows import AsyncCandles, AsyncRows, AsyncSnapshots
from .transport import AsyncTransport, sleep


class AsyncMarkets:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        series: str | None = None,
        event: str | None = None,
        status: str | None = None,
        category: str | None = None,
        q: str | None = None,
        days: int | None = None,
        from_ts: Time | None = None,
        to_ts: Time | None = None,
        changed_since_ts: Time | None = None,
        limit: int | None = None,
        as_of: Time | None = None,
    ) -> AsyncPages[MarketsResponse, Market]:
        """
        Markets by close time, newest first. Without `from_ts`, `to_ts`, `event` and `q`, only live markets and those of the
        last `days` days: `has_older` of a page says whether there are older ones.
        """
        query = {
            "series": series,
            "event": event,
            "status": status,
            "category": category,
            "q": q,
            "days": days,
            "from_ts": from_ts,
            "to_ts": to_ts,
            "changed_since_ts": changed_since_ts,
            "limit": limit,
        }
        call = Call(operation="listMarkets", query=query, as_of=as_of)
        return AsyncPages(self._transport, call, kind=MarketsResponse, items="markets", item=Market, next_by="cursor")

    async def changes(self, *, since: Time = 0, cursor: str | None = None, limit: int | None = None) -> MarketsResponse:
        """One page of what changed in the archive. Its `next_cursor` has no end: pass it later to get what changed since."""
        query = {"limit": limit, "cursor": cursor, "changed_since_ts": since}
        return await self._transport.get(MarketsResponse, Call(operation="listMarkets", query=query))

    async def get(self, ticker: str, *, as_of: Time | None = None) -> MarketDetailResponse:
        """A market with its settlement, rules, price steps and fee, and what became known when."""
        return await self._transport.get(MarketDetailResponse, self._call("getMarket", ticker, as_of))

    async def preview(self, ticker: str, *, as_of: Time | None = None, deadline_s: float | None = None) -> PreviewResponse:
        """The coverage with its gaps, the price path and the useful part of the window. Waits until it is prepared."""
        deadline = Deadline(deadline_s or self._transport.config.deadline_s)
        pause_s = 0.1
        while True:
            preview = await self._transport.get(PreviewResponse, self._call("previewMarket", ticker, as_of))
            if not preview.pending:
                return preview
            await sleep(min(pause_s, deadline.check()))
            pause_s = min(pause_s * 1.5, 2.0)

    async def gaps(self, ticker: str, *, as_of: Time | None = None) -> tuple[CoverageGap, ...]:
        """The known holes of the recording of a market. See `preview().coverage.gaps_n` for how many there are."""
        return (await self.preview(ticker, as_of=as_of)).coverage.gaps

    def snapshots(
        self,
        ticker: str,
        *,
        start_ts: Time | None = None,
        end_ts: Time | None = None,
        step_ms: int | None = None,
        include_book: bool = False,
        limit: int | None = None,
        as_of: Time | None = None,
    ) -> AsyncSnapshots:
        """
        Observations with `start_ts <= ts < end_ts`. A missing bound is the first or last time of the data. `step_ms=0` returns
        every stored row, and the default is one row per second. `limit` is the number of rows of a page.
        """
        query = {"start_ts": start_ts, "end_ts": end_ts, "step_ms": step_ms, "limit": limit}
        call = Call(
            operation="listSnapshots",
            path={"ticker": ticker},
            query={**query, "include_book": True if include_book else None},
            as_of=as_of,
        )
        return AsyncSnapshots(self._transport, call, kind=SnapshotsResponse, items="snapshots", item=Snapshot, next_by="start_ts")

    def trades(
        self,
        ticker: str,
        *,
        start_ts: Time | None = None,
        end_ts: Time | None = None,
        order: str | None = None,
        limit: int | None = None,
        as_of: Time | None = None,
    ) -> AsyncRows[TradesResponse, Trade]:
        """Trades by time. Without bounds, all trades of the market."""
        query = {"start_ts": start_ts, "end_ts": end_ts, "order": order, "limit": limit}
        call = Call(operation="listTrades", path={"ticker": ticker}, query=query, as_of=as_of)
        return AsyncRows(self._transport, call, kind=TradesResponse, items="trades", item=Trade, next_by="cursor")

    def candles(
        self,
        ticker: str,
        *,
        start_ts: Time | None = None,
        end_ts: Time | None = None,
        period_s: int | None = None,
        points: int | None = None,
        fill: str | None = None,
        as_of: Time | None = None,
    ) -> AsyncCandles[CandlesResponse]:
        """Candles of periods of `period_s` seconds, or at most `points` of the whole window."""
        query = {"start_ts": start_ts, "end_ts": end_ts, "period_s": period_s, "points": points, "fill": fill}
        call = Call(operation="listCandles", path={"ticker": ticker}, query=query, as_of=as_of)
        return AsyncCandles(self._transport, call, kind=CandlesResponse, items="candles", item=Candle, next_by="start_ts")

    def candles_of(
        self,
        tickers: Sequence[str],
        *,
        start_ts: Time | None = None,
        end_ts: Time | None = None,
        period_s: int | None = None,
        points: int | None = None,
        fill: str | None = None,
        as_of: Time | None = None,
    ) -> AsyncCandles[CandleBatchResponse]:
        """Candles of up to 100 markets in the same periods."""
        body = {
            "tickers": [*tickers],
            "start_ts": _seconds(start_ts),
            "end_ts": _seconds(end_ts),
            "period_s": period_s,
            "points": points,
            "fill": fill,
        }
        call = Call(operation="listCandlesOfMarkets", body=body, as_of=as_of)
        return AsyncCandles(self._transport, call, kind=CandleBatchResponse, items="candles", item=Candle, next_by="start_ts")

    async def book(
        self, ticker: str, *, at_ts: Time | None = None, depth: int | None = None, as_of: Time | None = None
    ) -> BookResponse:
        """The last stored book at or before `at_ts`. `basis` says what can have happened between, and `in_gap` whether it is unknown."""
        query = {"at_ts": at_ts, "depth": depth}
        call = Call(operation="getBook", path={"ticker": ticker}, query=query, as_of=as_of)
        return await self._transport.get(BookResponse, call)

    async def at(
        self, tickers: Sequence[str], times: Sequence[Time], *, fields: Sequence[str] | None = None, as_of: Time | None = None
    ) -> MarketsAtResponse:
        """The last observation of each market at or before each time, never a later one."""
        body = {"tickers": [*tickers], "at_ts": [_seconds(time) for time in times], "fields": None if fields is None else [*fields]}
        return await self._transport.get(MarketsAtResponse, Call(operation="readMarketsAt", body=body, as_of=as_of))

    def _call(self, operation: str, ticker: str, as_of: Time | None) -> Call:
        return Call(operation=operation, path={"ticker": ticker}, as_of=as_of)


def _seconds(time: Time | None) -> float | None:
    """JSON has no other numbers than these: exact to the microsecond for times of this century."""
    return None if time is None else to_micros(time) / 1_000_000
