"""Time series. Tables of them are read as one stream, and not page by page."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from .._core.deadline import Deadline
from .._core.frames import arrow_of_stream, check_rows, frame_of_csv, frame_of_stream, has_package, polars_of_stream
from .._core.requests import Call
from .._core.times import from_micros, to_micros
from ..errors import AlmanacError, ConnectionError
from ..models import Candle, CoverageGap, PreviewCoverage, PreviewResponse, Snapshot, SnapshotsResponse
from .pages import AsyncPages, Item, Page
from .transport import AsyncTransport, sleep

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

CandlesPage = TypeVar("CandlesPage")
# The server ends a stream after an hour.
_STREAM_S = 3_600
_LONGEST_STEP_MS = 60_000


class AsyncRows(AsyncPages[Page, Item]):
    """The rows of a time series: iterate over them, or read them at once with `to_df()` and its like."""

    async def to_df(self) -> pandas.DataFrame:
        """
        Every row as a pandas DataFrame, read as one stream: Arrow if pyarrow is installed and the table has only floats, and
        CSV otherwise. The levels of a book are JSON.
        """
        numbers = self._transport.config.numbers
        if numbers == "float" and not self._call.query.get("include_book") and has_package("pyarrow"):
            return frame_of_stream(await self.read("arrow"))
        return frame_of_csv(await self.read("csv"), numbers)

    async def to_polars(self) -> polars.DataFrame:
        """Every row as a polars DataFrame, read as an Arrow stream. The levels of a book are lists."""
        return polars_of_stream(await self.read("arrow"), self._transport.config.numbers)

    async def to_arrow(self) -> pyarrow.Table:
        """Every row as a pyarrow Table, read as an Arrow stream. The levels of a book are lists."""
        return arrow_of_stream(await self.read("arrow"), self._transport.config.numbers)

    async def read(self, format: str) -> bytes:
        """Every row as a file in memory: `csv`, `ndjson`, `parquet` or `arrow`. Raises if rows are missing."""
        wanted: dict[str, Any] = {"format": format, "limit": None}
        if format in ("parquet", "arrow"):
            wanted["numbers"] = self._transport.config.numbers
        query = {**self._call.query, **wanted}
        call = replace(self._call, query=query, headers={"Accept": "*/*"}, deadline_s=self._call.deadline_s or _STREAM_S)
        headers, content = await self._transport.answer(call)
        expected = headers.get("almanac-sha256")
        if expected is not None and sha256(content).hexdigest() != expected:
            raise ConnectionError("incomplete_answer", "The rows do not have the SHA-256 of the answer.", "Try again.", is_transient=True)
        if headers.get("almanac-has-more") == "true":
            raise ConnectionError("incomplete_answer", "The server sent only a part of the rows.", "Read a shorter window.")
        if format == "csv" and expected is None:
            check_rows(content, headers.get("almanac-count"), "The answer")
        return content


class AsyncSnapshots(AsyncRows[SnapshotsResponse, Snapshot]):
    """Observations of a market. `gaps()` has the holes in them."""

    async def gaps(self) -> tuple[CoverageGap, ...]:
        """The known gaps of the recording that overlap the window. Raises if the server does not list all of them."""
        call = Call(operation="previewMarket", path=self._call.path, as_of=self._call.as_of, reads_on=True)
        coverage = coverage_of(await prepared_preview(self._transport, call, self._transport.config.deadline_s))
        if len(coverage.gaps) < coverage.gaps_n:
            detail = f"The recording has {coverage.gaps_n} gaps, and the server lists {len(coverage.gaps)}."
            raise AlmanacError("result_too_large", detail, "Read the gaps from the manifest of an export.")
        bounds = [None if time is None else from_micros(to_micros(time)) for time in (self._call.query["start_ts"], self._call.query["end_ts"])]
        return tuple(gap for gap in coverage.gaps if overlaps(gap, bounds[0], bounds[1]))

    async def _first_call(self) -> Call:
        """
        A page covers at most 6 hours, and without bounds the last 6. To read all data, as a table does, the bounds are those
        that the server names for a stream.
        """
        query = self._call.query
        if query.get("start_ts") is not None and query.get("end_ts") is not None:
            return self._call
        stream = {**query, "format": "csv", "limit": None, "step_ms": _LONGEST_STEP_MS, "include_book": None, "sizes": None}
        async with self._transport.stream(replace(self._call, query=stream, headers={"Accept": "*/*"}), idle_s=60) as response:
            bounds = {name: float(response.headers[f"almanac-{name.replace('_', '-')}"]) for name in ("start_ts", "end_ts")}
        return replace(self._call, query={**query, **bounds})


async def prepared_preview(transport: AsyncTransport, call: Call, deadline_s: float) -> PreviewResponse:
    """Reads a preview until the server has prepared it."""
    deadline = Deadline(deadline_s)
    pause_s = 0.1
    while True:
        preview = await transport.get(PreviewResponse, call)
        if not preview.pending:
            return preview
        await sleep(min(pause_s, deadline.check()))
        pause_s = min(pause_s * 1.5, 2.0)


def coverage_of(preview: PreviewResponse) -> PreviewCoverage:
    """The coverage of a prepared preview. Only a pending one has none."""
    if preview.coverage is None:
        raise AlmanacError("incomplete_answer", "The prepared preview has no coverage.", "Try again later.")
    return preview.coverage


def overlaps(gap: CoverageGap, start: datetime | None, end: datetime | None) -> bool:
    return (end is None or gap.start_ts < end) and (start is None or gap.end_ts is None or gap.end_ts > start)


class AsyncCandles(AsyncRows[CandlesPage, Candle]):
    """Candles. An answer has a limited number of periods, so a long window is read in several."""

    async def to_df(self) -> pandas.DataFrame:
        """Every candle as a row. Prices become columns such as `yes_bid_open`."""
        return await AsyncPages.to_df(self)

    async def to_polars(self) -> polars.DataFrame:
        """Every candle as a row."""
        return await AsyncPages.to_polars(self)

    async def to_arrow(self) -> pyarrow.Table:
        """Every candle as a row."""
        return await AsyncPages.to_arrow(self)
