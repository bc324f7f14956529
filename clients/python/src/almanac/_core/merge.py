"""Merges the rows of many markets into one order of time."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import Iterator, Sequence

from .replay import ReplayEvent


@dataclass(slots=True)
class _Open:
    """A stream whose next rows are in memory."""

    order: int
    rest: list[ReplayEvent]
    chunks: Iterator[list[ReplayEvent]]

    def take(self, until_us: int) -> list[ReplayEvent]:
        """The rows until a time, this time included."""
        end = bisect_right(self.rest, until_us, key=_time)
        taken, self.rest = self.rest[:end], self.rest[end:]
        return taken


def merged(streams: Sequence[tuple[int, Iterator[list[ReplayEvent]]]]) -> Iterator[ReplayEvent]:
    """
    In order of time. Each stream comes with its first time, or an earlier one: it is opened only then, so thousands of markets that
    follow each other need few open files. Whole chunks are merged by one sort, which is faster than comparing row by row.
    """
    waiting = sorted(((first_us, order, chunks) for order, (first_us, chunks) in enumerate(streams)), key=itemgetter(0, 1), reverse=True)
    active: list[_Open] = []
    while waiting or active:
        active = [stream for stream in active if stream.rest or _refill(stream)]
        # Up to this time, nothing can come from a chunk that is not in memory yet.
        until_us = min((_time(stream.rest[-1]) for stream in active), default=None)
        if waiting and (until_us is None or waiting[-1][0] <= until_us):
            _, order, chunks = waiting.pop()
            active.append(_Open(order, [], chunks))
            active.sort(key=_order)
        elif until_us is not None:
            batch = [event for stream in active for event in stream.take(until_us)]
            batch.sort(key=_time)
            yield from batch


def _refill(stream: _Open) -> bool:
    stream.rest = next(stream.chunks, [])
    return bool(stream.rest)


_time = itemgetter(0)
_order = attrgetter("order")
