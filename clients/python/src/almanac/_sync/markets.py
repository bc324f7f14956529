# Made by `npm run docs:make` from _async/markets.py; do not edit.
"""Markets and their time series."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Sequence

from .._core.requests import Call
from .._core.times import Time, to_seconds
from ..errors import AlmanacError, refuse_text
from ..models import (
    BookResponse,
    Candle,
    CandleBatchResponse,
    CandlesResponse,
    Market,
    MarketDetailResponse,
    MarketsAtResponse,
    MarketsResponse,
    PreviewCoverage,
    PreviewResponse,
    Snapshot,
    SnapshotsResponse,
    Trade,
    TradesResponse,
)
from .pages import Pages
from .rows import Candles, Rows, Snapshots, coverage_of, prepared_preview
from .transport import Transport


class Markets:
    def __init__(self, transport: Transport) -> None:
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
        has_gaps: bool | None = None,
        covered_min: float | None = None,
        limit: int | None = None,
        as_of: Time | None = None,
    ) -> Pages[MarketsResponse, Market]:
        """
        Markets by close time, newest first. `days` limits the list to the last days of data. `limit` is the size of a page. A market
        that is not live and has no close time is not in a list by close time: `event`, `series.markets()` and `changes_since(0)`
        find it. `has_gaps` and `covered_min`, a share such as 0.99, are about the recording from open to close.
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
            "has_gaps": has_gaps,
            "covered_min": covered_min,
            "limit": limit,
        }
        call = Call(operation="listMarkets", query=query, as_of=as_of)
        return MarketList(self._transport, call, kind=MarketsResponse, items="markets", item=Market, next_by="cursor")

    def changes_since(
        self,
        changed_since_ts: Time,
        *,
        series: str | None = None,
        event: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pages[MarketsResponse, Market]:
        """
        Markets that changed in the archive since a time, the earliest change first. To go on later, pass `next_cursor` of the last
        page as `cursor`.
        """
        query = {"changed_since_ts": changed_since_ts, "series": series, "event": event, "cursor": cursor, "limit": limit}
        call = Call(operation="listMarkets", query=query)
        return Pages(self._transport, call, kind=MarketsResponse, items="markets", item=Market, next_by="cursor")

    def get(self, ticker: str, *, as_of: Time | None = None) -> MarketDetailResponse:
        """A market with its settlement, rules, price steps and fee, and what became known when."""
        return self._transport.get(MarketDetailResponse, self._call("getMarket", ticker, as_of))

    def preview(self, ticker: str, *, as_of: Time | None = None, deadline_s: float | None = None) -> PreviewResponse:
        """The coverage with its gaps, the price path and the useful part of the window. Waits until it is prepared."""
        call = self._call("previewMarket", ticker, as_of)
        return prepared_preview(self._transport, call, deadline_s or self._transport.config.deadline_s)

    def coverage(self, ticker: str, *, as_of: Time | None = None) -> PreviewCoverage:
        """What is stored of a market, and the gaps in it. `gaps_n` says how many there are, also if not all are listed."""
        call = replace(self._call("previewMarket", ticker, as_of), reads_on=True)
        return coverage_of(prepared_preview(self._transport, call, self._transport.config.deadline_s))

    def snapshots(
        self,
        ticker: str,
        *,
        start_ts: Time | None = None,
        end_ts: Time | None = None,
        step_ms: int | None = None,
        include_book: bool = False,
        sizes: bool = False,
        limit: int | None = None,
        as_of: Time | None = None,
    ) -> Snapshots:
        """
        Observations with `start_ts <= ts < end_ts`. A missing bound is the first or last time of the data. `step_ms=0` returns
        every stored row, and the default is one row per second. `sizes` adds the sizes at the best bid and ask. `limit` is the
        number of rows of a page.
        """
        query = {"start_ts": start_ts, "end_ts": end_ts, "step_ms": step_ms, "limit": limit}
        call = Call(
            operation="listSnapshots",
            path={"ticker": ticker},
            query={**query, "include_book": True if include_book else None, "sizes": True if sizes else None},
            as_of=as_of,
        )
        return Snapshots(self._transport, call, kind=SnapshotsResponse, items="snapshots", item=Snapshot, next_by="start_ts")

    def trades(
        self,
        ticker: str,
        *,
        start_ts: Time | None = None,
        end_ts: Time | None = None,
        order: str | None = None,
        limit: int | None = None,
        as_of: Time | None = None,
    ) -> Rows[TradesResponse, Trade]:
        """Trades by time. Without bounds, all trades of the market."""
        query = {"start_ts": start_ts, "end_ts": end_ts, "order": order, "limit": limit}
        call = Call(operation="listTrades", path={"ticker": ticker}, query=query, as_of=as_of)
        return Rows(self._transport, call, kind=TradesResponse, items="trades", item=Trade, next_by="cursor")

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
    ) -> Candles[CandlesResponse]:
        """Candles of periods of `period_s` seconds, or at most `points` of the whole window."""
        query = {"start_ts": start_ts, "end_ts": end_ts, "period_s": period_s, "points": points, "fill": fill}
        call = Call(operation="listCandles", path={"ticker": ticker}, query=query, as_of=as_of)
        return Candles(self._transport, call, kind=CandlesResponse, items="candles", item=Candle, next_by="start_ts")

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
    ) -> Candles[CandleBatchResponse]:
        """Candles of up to 100 markets in the same periods."""
        refuse_text("tickers", tickers)
        body = {
            "tickers": [*tickers],
            "start_ts": _seconds(start_ts),
            "end_ts": _seconds(end_ts),
            "period_s": period_s,
            "points": points,
            "fill": fill,
        }
        call = Call(operation="listCandlesOfMarkets", body=body, as_of=as_of)
        return Candles(self._transport, call, kind=CandleBatchResponse, items="candles", item=Candle, next_by="start_ts")

    def book(
        self, ticker: str, *, at_ts: Time | None = None, depth: int | None = None, as_of: Time | None = None
    ) -> BookResponse:
        """The last stored book at or before `at_ts`. `basis` says what can have happened between, and `in_gap` whether it is unknown."""
        query = {"at_ts": at_ts, "depth": depth}
        call = Call(operation="getBook", path={"ticker": ticker}, query=query, as_of=as_of)
        return self._transport.get(BookResponse, call)

    def at(
        self, tickers: Sequence[str], times: Sequence[Time], *, fields: Sequence[str] | None = None, as_of: Time | None = None
    ) -> MarketsAtResponse:
        """The last observation of each market at or before each time, never a later one."""
        for name, values in (("tickers", tickers), ("times", times), ("fields", fields)):
            refuse_text(name, values)
        body = {"tickers": [*tickers], "at_ts": [to_seconds(time) for time in times], "fields": None if fields is None else [*fields]}
        answer = self._transport.get(MarketsAtResponse, Call(operation="readMarketsAt", body=body, as_of=as_of))
        if answer.has_more:
            detail = "The server answered with a part of these markets and times."
            raise AlmanacError("result_too_large", detail, "Ask for fewer markets or times at once.")
        return answer

    def _call(self, operation: str, ticker: str, as_of: Time | None) -> Call:
        return Call(operation=operation, path={"ticker": ticker}, as_of=as_of)


class MarketList(Pages[MarketsResponse, Market]):
    """
    Without a window, the server answers with the newest days. Then this goes on with the older ones, because a list must not be
    cut silently.
    """

    def _next_call(self, call: Call, page: MarketsResponse) -> Call | None:
        following = super()._next_call(call, page)
        is_all = not (page.defaulted and page.has_older) or page.from_ts is None or self._call.query["days"] is not None
        if following is not None or is_all or page.from_ts is None:
            return following
        return replace(call, query={**call.query, "cursor": None, "to_ts": page.from_ts - timedelta(microseconds=1)})


def _seconds(time: Time | None) -> float | None:
    return None if time is None else to_seconds(time)
