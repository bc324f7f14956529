"""Plays stored rows of many markets in one order of time, from files of any size."""

from __future__ import annotations

import csv
import json
from bisect import bisect_left
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import partial
from itertools import islice, repeat
from operator import itemgetter
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Sequence, Union, cast

from ..models import Number
from .frames import optional_package
from .times import from_micros, to_unix_text

Levels = tuple[tuple[float, float], ...]


class Observation(NamedTuple):
    """A stored observation. `ts_us` is its time in microseconds, and `ts` the same as a datetime."""

    ts_us: int
    ticker: str
    yes_best_bid: Number | None
    yes_best_ask: Number | None
    coin_price: Number | None
    seq: int | None
    book_text: tuple[str, str] | None
    """The book as stored, with exact decimals. `orderbook_yes` and `orderbook_no` parse it."""

    @property
    def ts(self) -> datetime:
        return from_micros(self.ts_us)

    @property
    def orderbook_yes(self) -> Levels | None:
        """Bids of the yes side as (price, size), best first. None without a book."""
        return None if self.book_text is None else _levels(self.book_text[0])

    @property
    def orderbook_no(self) -> Levels | None:
        """Bids of the no side as (price, size), best first. None without a book."""
        return None if self.book_text is None else _levels(self.book_text[1])


class TradePrint(NamedTuple):
    """A trade."""

    ts_us: int
    ticker: str
    trade_id: str
    price: Number
    size: Number
    taker_side: str | None

    @property
    def ts(self) -> datetime:
        return from_micros(self.ts_us)


class Gap(NamedTuple):
    """A hole of the recording begins. What happens until `end_us` is unknown: for `books`, only the books."""

    ts_us: int
    ticker: str
    end_us: int | None
    reason: str
    missing: str

    @property
    def ts(self) -> datetime:
        return from_micros(self.ts_us)


ReplayEvent = Union[Observation, TradePrint, Gap]
ReadNumber = Callable[[str], Number]
# Small chunks die young: with thousands of rows, the garbage collector takes half of the time.
_CHUNK_ROWS = 256


def _levels(text: str) -> Levels:
    return tuple((price, size) for price, size in json.loads(text))


@dataclass(frozen=True, slots=True)
class MarketFile:
    """The rows of one market in a file: from `offset` on in CSV, and none before `first_us`."""

    path: Path
    ticker: str
    offset: int | None = None
    first_us: int = 0


class _CountedLines:
    """Lines of a file, and how many bytes they are. csv reads exactly the lines of a row before it returns the row."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = iter(lines)
        self.position = 0

    def __iter__(self) -> _CountedLines:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.position += len(line)
        return line.decode()


def markets_in(path: Path) -> list[MarketFile]:
    """Finds the markets of a CSV file, whose rows are by market, then time."""
    found = []
    with path.open("rb") as file:
        lines = _CountedLines(file)
        rows = csv.reader(lines)
        header = next(rows, ["ticker", "ts"])
        at, ts_at = header.index("ticker"), header.index("ts")
        before, last = lines.position, None
        for row in rows:
            if row[at] != last:
                last = row[at]
                found.append(MarketFile(path, last, before, _micros(row[ts_at]) if row[ts_at] else 0))
            before = lines.position
    return found


def _micros(seconds: str) -> int:
    return round(float(seconds) * 1_000_000)


def chunks_of(source: MarketFile, start_us: int, end_us: int, number: ReadNumber) -> Iterator[list[ReplayEvent]]:
    """The rows of one market from `start_us` until before `end_us`, in order of time, some thousand at once."""
    if source.path.suffix == ".parquet":
        return _parquet_chunks(source, start_us, end_us, number)
    return _csv_chunks(source, start_us, end_us, number)


def _csv_chunks(source: MarketFile, start_us: int, end_us: int, number: ReadNumber) -> Iterator[list[ReplayEvent]]:
    with source.path.open("rb") as file:
        header = next(csv.reader([file.readline().decode()]))
        start = file.tell() if source.offset is None else source.offset
    with source.path.open(encoding="utf-8", newline="") as text:
        # Positions in UTF-8 without a state are those of the bytes.
        text.seek(start)
        columns = Columns(header, number)
        rows = csv.reader(text)
        while chunk := list(islice(rows, _CHUNK_ROWS)):
            own = columns.of_market(chunk, source.ticker)
            events = columns.events(own, start_us, end_us)
            if events:
                yield events
            if len(own) < len(chunk) or (own and columns.time_of(own[-1]) >= end_us):
                return


def _parquet_chunks(source: MarketFile, start_us: int, end_us: int, number: ReadNumber) -> Iterator[list[ReplayEvent]]:
    file = optional_package("pyarrow.parquet").ParquetFile(source.path)
    columns = Columns(file.schema_arrow.names, number)
    for batch in file.iter_batches(batch_size=_CHUNK_ROWS):
        rows = [_texts_of(values) for values in batch.to_pylist() if values["ticker"] == source.ticker]
        events = columns.events(rows, start_us, end_us)
        if events:
            yield events


def _texts_of(values: dict[str, Any]) -> list[str]:
    """A row as in CSV. Parquet has two empty lists where there is no book."""
    if not values.get("orderbook_yes") and not values.get("orderbook_no"):
        values = {name: None if name.startswith("orderbook_") else value for name, value in values.items()}
    return [_text_of(value) for value in values.values()]


def _text_of(value: Any) -> str:
    if isinstance(value, list):
        levels = (level.values() if isinstance(level, dict) else level for level in value)
        return "[" + ",".join(f"[{','.join(map(_text_of, level))}]" for level in levels) + "]"
    if isinstance(value, datetime):
        return to_unix_text(value)
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return "" if value is None else str(value)


class Columns:
    """Reads rows of a file, column by column: that is several times faster than row by row."""

    def __init__(self, header: Sequence[str], number: ReadNumber) -> None:
        self._at = {name: index for index, name in enumerate(header)}
        self._number = number
        self._ticker, self._ts = self._at["ticker"], self._at["ts"]

    def time_of(self, row: Sequence[str]) -> int:
        return _micros(row[self._ts]) if row[self._ts] else 0

    def of_market(self, rows: list[list[str]], ticker: str) -> list[list[str]]:
        """The rows until the next market begins."""
        at = self._ticker
        if rows[-1][at] == ticker:
            return rows
        return rows[: next(index for index, row in enumerate(rows) if row[at] != ticker)]

    def events(self, rows: list[list[str]], start_us: int, end_us: int) -> list[ReplayEvent]:
        # A market without observations has one row, without a time.
        if rows and rows[0][self._ts] == "":
            return []
        times = [round(seconds * 1_000_000) for seconds in map(float, map(itemgetter(self._ts), rows))]
        first, last = bisect_left(times, start_us), bisect_left(times, end_us)
        if (first, last) != (0, len(rows)):
            rows, times = rows[first:last], times[first:last]
        trade_at = self._at.get("trade_id")
        if trade_at is None or not any(map(itemgetter(trade_at), rows)):
            return self._observations(rows, times)
        return [self._trade(row, ts_us) if row[trade_at] else self._observations([row], [ts_us])[0] for row, ts_us in zip(rows, times)]

    def _observations(self, rows: list[list[str]], times: list[int]) -> list[ReplayEvent]:
        texts = list(zip(*rows)) or [()] * len(self._at)
        read = self._read
        values = zip(
            times,
            texts[self._ticker],
            read(texts, "yes_best_bid", self._number),
            read(texts, "yes_best_ask", self._number),
            read(texts, "coin_price", self._number),
            read(texts, "seq", int),
            self._books(texts),
        )
        return list(map(_new_observation, values))

    def _read(self, texts: Sequence[Sequence[str]], name: str, kind: Callable[[str], Any]) -> Iterable[Any]:
        at = self._at.get(name)
        if at is None:
            return repeat(None)
        column = texts[at]
        return [kind(text) if text else None for text in column] if "" in column else map(kind, column)

    def _books(self, texts: Sequence[Sequence[str]]) -> Iterable[Any]:
        yes, no = self._at.get("orderbook_yes"), self._at.get("orderbook_no")
        if yes is None or no is None:
            return repeat(None)
        return [pair if pair[0] else None for pair in zip(texts[yes], texts[no])]

    def _trade(self, row: Sequence[str], ts_us: int) -> TradePrint:
        at = self._at
        price, size = self._number(row[at["price"]]), self._number(row[at["size"]])
        return TradePrint(ts_us, row[self._ticker], row[at["trade_id"]], price, size, row[at["taker_side"]] or None)


# A named tuple's own constructor is a function of Python, which would take half of the time.
_new_observation: Callable[[tuple[Any, ...]], Observation] = cast(Any, partial(tuple.__new__, Observation))


def number_reader(numbers: str) -> ReadNumber:
    return Decimal if numbers == "decimal" else float


def in_window(gap: Gap, start_us: int, end_us: int) -> bool:
    return gap.ts_us < end_us and (gap.end_us is None or gap.end_us > start_us)
