"""The client."""

from __future__ import annotations

import os
from datetime import date
from types import TracebackType
from typing import AsyncIterator, Literal, Sequence

import httpx

from .._core.config import make_config
from .._core.progress import ShowProgress
from .._core.replay import ReplayEvent
from .._core.times import Time
from ..errors import refuse_text
from ..models import MarketQuality, PeriodQuality, QualityResponse, SearchHit, SearchResponse
from .account import AsyncBilling, AsyncCart, AsyncKeys, AsyncPlan
from .catalogue import AsyncCategories, AsyncEvents, AsyncSeries, quality_call, search_pages
from .exports import AsyncDatasets, AsyncExports, Stream
from .local import SyncResult, replay_markets, sync_copy
from .markets import AsyncMarkets
from .operator import AsyncOperator
from .pages import AsyncPages
from .transport import AsyncTransport
from .webhooks import AsyncWebhooks


class AsyncAlmanac:
    """
    A client of the Almanac API. Use it with `with`, or call `close()`.

    `api_key` and `base_url` default to the variables ALMANAC_API_KEY and ALMANAC_BASE_URL. `as_of` answers as the archive was
    known at that time. `numbers` chooses the type of prices and sizes: `float`, or exact `decimal`. `strict` refuses unknown
    filter values. `timeout_s` limits one attempt, and `deadline_s` a call with all its retries.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        as_of: Time | None = None,
        numbers: Literal["float", "decimal"] = "float",
        strict: bool = True,
        timeout_s: float = 30.0,
        deadline_s: float = 120.0,
        max_retries: int = 5,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        config = make_config(
            api_key=api_key,
            base_url=base_url,
            as_of=as_of,
            strict=strict,
            timeout_s=timeout_s,
            deadline_s=deadline_s,
            max_retries=max_retries,
            numbers=numbers,
        )
        self._transport = AsyncTransport(config, http)
        self.categories = AsyncCategories(self._transport)
        self.series = AsyncSeries(self._transport)
        self.events = AsyncEvents(self._transport)
        self.markets = AsyncMarkets(self._transport)
        self.exports = AsyncExports(self._transport)
        self.datasets = AsyncDatasets(self._transport)
        self.cart = AsyncCart(self._transport)
        self.billing = AsyncBilling(self._transport)
        self.plan = AsyncPlan(self._transport)
        self.keys = AsyncKeys(self._transport)
        self.webhooks = AsyncWebhooks(self._transport)
        self.operator = AsyncOperator(self._transport)

    def __repr__(self) -> str:
        return f"<AsyncAlmanac {self._transport.config!r}>"

    async def __aenter__(self) -> AsyncAlmanac:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._transport.close()

    def search(
        self,
        q: str = "",
        *,
        category: str | None = None,
        status: str | None = None,
        from_ts: Time | None = None,
        to_ts: Time | None = None,
        limit: int | None = None,
        as_of: Time | None = None,
    ) -> AsyncPages[SearchResponse, SearchHit]:
        """Series, events and markets with these words, the best first."""
        filters = {"category": category, "status": status}
        return search_pages(self._transport, q, **filters, from_ts=from_ts, to_ts=to_ts, limit=limit, as_of=as_of)

    def quality(
        self,
        *,
        series: str | None = None,
        event: str | None = None,
        category: str | None = None,
        venue: str | None = None,
        from_: date | str | None = None,
        to: date | str | None = None,
        sort: Literal["worst", "time"] | None = None,
        has_gaps: bool | None = None,
        limit: int | None = None,
        as_of: Time | None = None,
    ) -> AsyncPages[QualityResponse, MarketQuality]:
        """
        What is stored of the markets of a series, an event, a category or a venue in some UTC days, and what is missing, the
        worst first. Without days, it is yesterday. In frames, `gaps_n`, `gap_s` and `longest_gap_s` stand for the list of gaps.
        """
        call = quality_call("market", series, event, category, venue, from_, to, sort, has_gaps, limit, as_of)
        return AsyncPages(self._transport, call, kind=QualityResponse, items="markets", item=MarketQuality, next_by="cursor")

    def quality_by_period(
        self,
        by: Literal["day", "hour"],
        *,
        series: str | None = None,
        event: str | None = None,
        category: str | None = None,
        venue: str | None = None,
        from_: date | str | None = None,
        to: date | str | None = None,
        sort: Literal["worst", "time"] | None = None,
        has_gaps: bool | None = None,
        limit: int | None = None,
        as_of: Time | None = None,
    ) -> AsyncPages[QualityResponse, PeriodQuality]:
        """The same as sums of all these markets, for each day or hour."""
        call = quality_call(by, series, event, category, venue, from_, to, sort, has_gaps, limit, as_of)
        return AsyncPages(self._transport, call, kind=QualityResponse, items="periods", item=PeriodQuality, next_by="cursor")

    async def sync(
        self,
        folder: str | os.PathLike[str],
        *,
        series: str | Sequence[str] | None = None,
        format: Literal["parquet", "csv", "json", "jsonl.gz"] = "parquet",
        streams: Sequence[Stream] = ("snapshots", "settlement"),
        live: bool = False,
        recheck: bool = False,
        progress: ShowProgress = False,
    ) -> SyncResult:
        """
        Keeps a local copy of the events of these series up to date, or of all. The next call goes on where this one ended, also after
        an error. A file is downloaded only if its content has changed. Events that are not over yet are left for a later call,
        except with `live`. `recheck` also exports what has not changed in the catalogue.
        """
        return await sync_copy(
            self.markets,
            self.events,
            self.exports,
            folder,
            series=series,
            format=format,
            streams=streams,
            live=live,
            recheck=recheck,
            progress=progress,
        )

    def replay(
        self, markets: Sequence[str], start_ts: Time | None = None, end_ts: Time | None = None, *, books: bool = False
    ) -> AsyncIterator[ReplayEvent]:
        """
        Observations and gaps of these markets in one order of time, for a backtest. `books` adds full books. To replay a local copy,
        use `almanac.replay(folder)`.
        """
        refuse_text("markets", markets)
        return replay_markets(self.markets, markets, start_ts, end_ts, books=books, numbers=self._transport.config.numbers)
