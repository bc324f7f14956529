# Made by `npm run docs:make` from _async/local.py; do not edit.
"""Keeps a local copy up to date, and replays markets without one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Iterator, Literal, NamedTuple, Sequence

from .._core.files import disk_error, is_whole
from .._core.local import LocalCopy, open_copy, play
from .._core.progress import ProgressBar, ShowProgress
from .._core.replay import Gap, MarketFile, ReplayEvent, markets_in
from .._core.times import Time, to_micros
from ..errors import AlmanacError, ApiError, refuse_text
from ..models import ExportResponse, Market
from .catalogue import Events
from .exports import Exports, Stream
from .markets import Markets

# A market without an event is exported by itself.
_MARKET = "market:"


class SyncResult(NamedTuple):
    """What a sync did. `live` are events that are not over yet: the next sync tries them again."""

    downloaded: int
    unchanged: int
    live: int


def sync_copy(
    markets: Markets,
    events: Events,
    exports: Exports,
    folder: str | os.PathLike[str],
    *,
    series: str | Sequence[str] | None,
    format: Literal["parquet", "csv", "json", "jsonl.gz"],
    streams: Sequence[Stream],
    live: bool,
    recheck: bool,
    progress: ShowProgress,
) -> SyncResult:
    names = [series] if isinstance(series, str) else sorted(series or [])
    refuse_text("streams", streams)
    copy = open_copy(folder, {"series": names, "format": format, "streams": [*streams]})
    _find_changes(markets, copy)
    targets = sorted({*copy.pending, *(copy.files if recheck else ())})
    counts = {"downloaded": 0, "unchanged": 0, "live": 0}
    with ProgressBar(progress, title="Syncing", unit="events") as bar:
        for done, target in enumerate(targets):
            bar.show(done, len(targets))
            is_live = _is_live(markets, events, target)
            counts["live"] += is_live
            if is_live and not live:
                continue
            counts[_fetch(exports, copy, target)] += 1
            if not is_live:
                copy.pending = [each for each in copy.pending if each != target]
            copy.save()
        bar.show(len(targets), len(targets))
    copy.save()
    return SyncResult(**counts)


def _find_changes(markets: Markets, copy: LocalCopy) -> None:
    """Stores each page's targets together with its cursor, so that no change is lost or found twice."""
    for series in copy.options["series"] or [None]:
        key = series or ""
        pages = markets.changes_since(0, series=series, cursor=copy.cursors.get(key), limit=200)
        try:
            for page in pages.pages():
                copy.pending = sorted({*copy.pending, *map(_target_of, page.markets)})
                if page.next_cursor is not None:
                    copy.cursors[key] = page.next_cursor
                copy.save()
        except ApiError as error:
            if "changed_since_ts" in error.detail and "as_of" in error.detail:
                raise _not_as_of() from None
            raise


def _not_as_of() -> AlmanacError:
    return AlmanacError(
        "as_of_unsupported",
        "A local copy follows the changes of the archive, which cannot be read as of a time.",
        "Sync with a client and a key without as_of, or create exports with as_of one by one.",
    )


def _target_of(market: Market) -> str:
    return market.event_ticker or f"{_MARKET}{market.ticker}"


def _is_live(markets: Markets, events: Events, target: str) -> bool:
    if target.startswith(_MARKET):
        return (markets.get(target.removeprefix(_MARKET))).market.status == "live"
    return (events.get(target, limit=1)).event.live_n > 0


def _fetch(exports: Exports, copy: LocalCopy, target: str) -> Literal["downloaded", "unchanged"]:
    """Exports a target, and downloads the file only if its content is another one."""
    what: dict[str, Any] = {"ticker": target.removeprefix(_MARKET)} if target.startswith(_MARKET) else {"event": target}
    created = exports.create(**what, streams=copy.options["streams"], format=copy.options["format"])
    export = created.wait()
    data = export.data
    sha256 = data.sha256 or ""
    path = copy.path_of(target, sha256)
    was_there = is_whole(path, data.bytes, sha256)
    export.download(path, overwrite=True)
    copy.replace_file(target, _entry(data, path))
    return "unchanged" if was_there else "downloaded"


def _entry(data: ExportResponse, path: Path) -> dict[str, Any]:
    manifest = data.manifest
    gaps = () if manifest is None else manifest.gaps
    return {
        "file": path.name,
        "sha256": data.sha256,
        "bytes": data.bytes,
        "dataset_id": data.dataset_id,
        "markets": _places(path, [] if manifest is None else [market.ticker for market in manifest.markets]),
        "gaps": [
            [to_micros(gap.start_ts), gap.ticker, None if gap.end_ts is None else to_micros(gap.end_ts), gap.reason, gap.missing]
            for gap in gaps
        ],
        "gaps_n": 0 if manifest is None else manifest.gaps_n,
    }



def _places(path: Path, tickers: Sequence[str]) -> list[list[Any]]:
    """Where each market begins in the file, found once, so that a replay need not search."""
    if path.suffix != ".csv":
        return [[ticker, None, 0] for ticker in tickers]
    return [[found.ticker, found.offset, found.first_us] for found in markets_in(path)]


def replay_markets(
    markets: Markets, tickers: Sequence[str], start_ts: Time | None, end_ts: Time | None, *, books: bool, numbers: str
) -> Iterator[ReplayEvent]:
    """Reads the markets into temporary files first: an account has only a few streams at once."""
    start_us = 0 if start_ts is None else to_micros(start_ts)
    end_us = 4_102_444_800_000_000 if end_ts is None else to_micros(end_ts)
    gaps: list[Gap] = []
    with tempfile.TemporaryDirectory(prefix="almanac-replay-") as folder:
        sources = []
        for number, ticker in enumerate(dict.fromkeys(tickers)):
            series = markets.snapshots(ticker, start_ts=start_ts, end_ts=end_ts, step_ms=0, include_book=books)
            path = Path(folder) / f"{number}.csv"
            try:
                path.write_bytes(series.read("csv"))
            except OSError as error:
                raise disk_error(error, path) from error
            sources.append(MarketFile(path, ticker))
            gaps += [Gap(to_micros(gap.start_ts), ticker, None if gap.end_ts is None else to_micros(gap.end_ts), gap.reason, gap.missing) for gap in series.gaps()]
        for event in play(sources, gaps, start_us, end_us, numbers):
            yield event

