# Made by `npm run docs:make` from _async/catalogue.py; do not edit.
"""Categories, series, events and search."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

from .._core.frames import grid_arrow, grid_frame, grid_polars
from .._core.requests import Call
from .._core.times import Time, day_text, now
from ..models import (
    CategoriesResponse,
    EventDetailResponse,
    EventItem,
    EventSnapshotsResponse,
    Market,
    MarketColumns,
    MarketQuality,
    PeriodQuality,
    QualityResponse,
    SearchHit,
    SearchResponse,
    SeriesDetailResponse,
    SeriesItem,
    SeriesResponse,
)
from .pages import Pages
from .transport import Transport

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Categories:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, as_of: Time | None = None) -> CategoriesResponse:
        """All categories with their numbers of series, events and markets."""
        return self._transport.get(CategoriesResponse, Call(operation="listCategories", as_of=as_of))


class Series:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        q: str | None = None,
        category: str | None = None,
        status: str | None = None,
        from_ts: Time | None = None,
        to_ts: Time | None = None,
        limit: int | None = None,
        as_of: Time | None = None,
    ) -> Pages[SeriesResponse, SeriesItem]:
        """Series: live ones first, then by newest close. `limit` is the number of items of a page."""
        query = {"q": q, "category": category, "status": status, "from_ts": from_ts, "to_ts": to_ts, "limit": limit}
        call = Call(operation="listSeries", query=query, as_of=as_of)
        return Pages(self._transport, call, kind=SeriesResponse, items="series", item=SeriesItem, next_by="offset")

    def get(self, series_id: str, *, limit: int | None = None, as_of: Time | None = None) -> SeriesDetailResponse:
        """A series with its newest markets, and its events if it is not rolling."""
        call = Call(operation="getSeries", path={"series_id": series_id}, query={"limit": limit}, as_of=as_of)
        return self._transport.get(SeriesDetailResponse, call)

    def markets(
        self, series_id: str, *, status: str | None = None, limit: int | None = None, as_of: Time | None = None
    ) -> Pages[SeriesDetailResponse, Market]:
        """All markets of a series, newest close first."""
        query = {"status": status, "limit": limit}
        call = Call(operation="getSeries", path={"series_id": series_id}, query=query, as_of=as_of)
        return Pages(self._transport, call, kind=SeriesDetailResponse, items="markets", item=Market, next_by="offset")


    def events(
        self, series_id: str, *, status: str | None = None, limit: int | None = None, as_of: Time | None = None
    ) -> Pages[SeriesDetailResponse, EventItem]:
        """All events of a series. A rolling series lists none."""
        query = {"status": status, "limit": limit}
        call = Call(operation="getSeries", path={"series_id": series_id}, query=query, as_of=as_of)
        return Pages(
            self._transport,
            call,
            kind=SeriesDetailResponse,
            items="events",
            item=EventItem,
            next_by="event_offset",
            has_more="events_has_more",
        )


class Events:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, event_id: str, *, limit: int | None = None, as_of: Time | None = None) -> EventDetailResponse:
        """An event with its first markets, and a strike ladder if the markets have strikes."""
        call = Call(operation="getEvent", path={"event_id": event_id}, query={"limit": limit}, as_of=as_of)
        return self._transport.get(EventDetailResponse, call)

    def markets(
        self, event_id: str, *, limit: int | None = None, as_of: Time | None = None
    ) -> Pages[EventDetailResponse, Market]:
        """All markets of an event, by strike or by close."""
        call = Call(operation="getEvent", path={"event_id": event_id}, query={"limit": limit}, as_of=as_of)
        return Pages(self._transport, call, kind=EventDetailResponse, items="markets", item=Market, next_by="cursor")

    def snapshots(
        self,
        event_id: str,
        *,
        step_ms: int | None = None,
        start_ts: Time | None = None,
        end_ts: Time | None = None,
        fill: str | None = None,
        limit: int | None = None,
        as_of: Time | None = None,
    ) -> EventSnapshots:
        """
        The best prices of all markets of an event at the same times. Without bounds, from the open to the close, or to now.
        """
        query = {"step_ms": step_ms, "start_ts": start_ts, "end_ts": end_ts, "fill": fill, "limit": limit}
        call = Call(operation="listEventSnapshots", path={"event_id": event_id}, query=query, as_of=as_of)
        return EventSnapshots(
            self._transport, call, kind=EventSnapshotsResponse, items="markets", item=MarketColumns, next_by="cursor"
        )


class EventSnapshots(Pages[EventSnapshotsResponse, MarketColumns]):
    """
    Markets as columns. Their values belong to the times in `ts` of their page, so read `pages()`, or the rows with `to_df()`.
    All markets of the first times come first, then those of the next times.
    """

    def to_df(self) -> pandas.DataFrame:
        """A row for each market and time."""
        return grid_frame([page for page in self.pages()], self._transport.config.numbers)

    def to_polars(self) -> polars.DataFrame:
        """A row for each market and time."""
        return grid_polars([page for page in self.pages()], self._transport.config.numbers)

    def to_arrow(self) -> pyarrow.Table:
        """A row for each market and time."""
        return grid_arrow([page for page in self.pages()], self._transport.config.numbers)

    def _first_call(self) -> Call:
        """The server's own window has at most 5,000 times, and can begin after the open. Ends are exclusive."""
        query = self._call.query
        if query.get("start_ts") is not None and query.get("end_ts") is not None:
            return self._call
        path = {"event_id": self._call.path["event_id"]}
        detail = Call(operation="getEvent", path=path, query={"limit": 1}, as_of=self._call.as_of)
        found = self._transport.get(EventDetailResponse, detail)
        end = min(time for time in (found.event.close_ts, found.as_of, now()) if time is not None) + timedelta(microseconds=1)
        start = found.event.open_ts
        if start is None or start >= end:
            return self._call
        whole = {"start_ts": start, "end_ts": end}
        return replace(self._call, query={**query, **{name: query.get(name) or time for name, time in whole.items()}})

    def _following(self, call: Call, page: EventSnapshotsResponse) -> Call:
        if page.next_cursor is None and page.next_start_ts is not None:
            return replace(call, query={**call.query, "cursor": None, "start_ts": page.next_start_ts})
        return super()._following(call, page)


def search_pages(
    transport: Transport,
    q: str,
    *,
    category: str | None,
    status: str | None,
    from_ts: Time | None,
    to_ts: Time | None,
    limit: int | None,
    as_of: Time | None,
) -> Pages[SearchResponse, SearchHit]:
    query = {"q": q, "category": category, "status": status, "from_ts": from_ts, "to_ts": to_ts, "limit": limit}
    call = Call(operation="search", query=query, as_of=as_of)
    return Pages(transport, call, kind=SearchResponse, items="hits", item=SearchHit, next_by="offset")


def quality_call(
    by: str,
    series: str | None,
    event: str | None,
    category: str | None,
    venue: str | None,
    from_: date | str | None,
    to: date | str | None,
    sort: str | None,
    has_gaps: bool | None,
    limit: int | None,
    as_of: Time | None,
) -> Call:
    """A request for the quality of a target in some days."""
    query: dict[str, object] = {
        "series": series,
        "event": event,
        "category": category,
        "venue": venue,
        "from": None if from_ is None else day_text(from_),
        "to": None if to is None else day_text(to),
        "by": by,
        "sort": sort,
        "has_gaps": has_gaps,
        "limit": limit,
    }
    return Call(operation="getQuality", query=query, as_of=as_of)
