"""A local copy of a part of the archive: files by their content, and one file that says what they are."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any, Iterator, Sequence
from urllib.parse import quote

from ..errors import AlmanacError, FileError, invalid_options, refuse_text
from .files import disk_error
from .merge import merged
from .replay import Gap, MarketFile, ReplayEvent, chunks_of, in_window, number_reader
from .times import Time, to_micros

_STATE = "almanac.json"
_FORMAT = 1
# The API accepts no later time.
_END_US = 4_102_444_800_000_000
_NAME_MAX = 150


@dataclass(slots=True)
class LocalCopy:
    """
    What a folder has. `options` are those of the first sync. `pending` are targets to fetch, which are stored with the cursor that
    found them, so an interrupted sync loses none.
    """

    folder: Path
    options: dict[str, Any]
    cursors: dict[str, str] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)
    files: dict[str, dict[str, Any]] = field(default_factory=dict)

    def save(self) -> None:
        """The state is always one that was complete: it is written under another name first."""
        state = {
            "format": _FORMAT,
            "options": self.options,
            "cursors": self.cursors,
            "pending": self.pending,
            "files": self.files,
        }
        draft = self.folder / f".{_STATE}.{os.getpid()}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            draft.write_text(json.dumps(state, indent=1), encoding="utf-8")
            os.replace(draft, self.folder / _STATE)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise disk_error(error, self.folder / _STATE) from error

    def path_of(self, target: str, sha256: str) -> Path:
        """A file is named after its target and its content, so a new version never overwrites one that is read."""
        name = quote(target, safe=" ")[:_NAME_MAX]
        return self.folder / f"{name}.{sha256[:16]}.{self.options['format']}"

    def replace_file(self, target: str, entry: dict[str, Any]) -> None:
        """Stores the new file of a target, then removes the old one."""
        old = self.files.get(target)
        self.files[target] = entry
        self.save()
        if old is not None and old["file"] != entry["file"]:
            (self.folder / old["file"]).unlink(missing_ok=True)


def open_copy(folder: str | os.PathLike[str], options: dict[str, Any] | None) -> LocalCopy:
    """Reads the state of a folder. Without `options`, it must exist. With others than its own, it is refused."""
    path = Path(folder)
    try:
        state = json.loads((path / _STATE).read_text(encoding="utf-8"))
        copy = LocalCopy(path, state["options"], state["cursors"], state["pending"], state["files"])
        is_known = state["format"] == _FORMAT
    except FileNotFoundError:
        if options is None:
            raise invalid_options(f"{path} is not a local copy.", "Make one: client.sync(folder, series=…).") from None
        return LocalCopy(path, options)
    except OSError as error:
        raise FileError("file_unwritable", f"{path} cannot be read ({error.strerror}).", "Check who owns the folder.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise FileError("file_mismatch", f"{path / _STATE} is damaged.", "Remove the folder, and sync again.") from error
    if not is_known:
        raise FileError("file_conflict", f"{path} is from a newer version of this package.", "Update the package, or use another folder.")
    if options is not None and copy.options != options:
        raise FileError("file_conflict", f"{path} is a copy of {_named(copy.options)}.", "Sync with these options, or use another folder.")
    return copy


def _named(options: dict[str, Any]) -> str:
    series = ", ".join(options["series"]) or "all series"
    return f"{series} in the format {options['format']}, with {', '.join(options['streams'])}"


def replay(
    folder: str | os.PathLike[str],
    markets: Sequence[str] | None = None,
    start_ts: Time | None = None,
    end_ts: Time | None = None,
    *,
    numbers: str = "float",
) -> Iterator[ReplayEvent]:
    """
    Observations, trades and gaps of a local copy in one order of time, for a backtest: of these markets, or of all. Books are in the
    observations of copies with the stream `l2`. The files can have any size.
    """
    refuse_text("markets", markets)
    start_us = 0 if start_ts is None else to_micros(start_ts)
    end_us = _END_US if end_ts is None else to_micros(end_ts)
    copy = open_copy(folder, None)
    chosen = None if markets is None else set(markets)
    known = {market[0] for entry in copy.files.values() for market in entry["markets"]}
    unknown = sorted((chosen or set()) - known)
    if unknown:
        raise invalid_options(f"The local copy does not have {', '.join(unknown[:5])}.", "Check the tickers, or sync again.")
    sources = sorted(_sources(copy, chosen), key=lambda source: source.ticker)
    return play(sources, _gaps(copy, chosen), start_us, end_us, numbers)


def play(sources: Sequence[MarketFile], gaps: Sequence[Gap], start_us: int, end_us: int, numbers: str) -> Iterator[ReplayEvent]:
    """Gaps first, then the markets in their order, at each time."""
    seen: list[ReplayEvent] = sorted((gap for gap in gaps if in_window(gap, start_us, end_us)), key=itemgetter(0))
    rows = [(source.first_us, chunks_of(source, start_us, end_us, number_reader(numbers))) for source in sources]
    return merged([(0, iter([seen] if seen else [])), *rows])


def _sources(copy: LocalCopy, chosen: set[str] | None) -> Iterator[MarketFile]:
    for entry in copy.files.values():
        path = copy.folder / entry["file"]
        wanted = [market for market in entry["markets"] if chosen is None or market[0] in chosen]
        if not wanted:
            continue
        if path.suffix not in (".csv", ".parquet"):
            raise invalid_options(f"{path.suffix} cannot be replayed.", "Sync with format='csv' or 'parquet'.")
        if not path.exists():
            raise FileError("file_mismatch", f"{path} is missing.", "Sync again.")
        yield from (MarketFile(path, *market) for market in wanted)


def _gaps(copy: LocalCopy, chosen: set[str] | None) -> list[Gap]:
    gaps = []
    for target, entry in copy.files.items():
        if entry["gaps_n"] > len(entry["gaps"]):
            detail = f"{target} has {entry['gaps_n']} gaps, and the server lists {len(entry['gaps'])}."
            raise AlmanacError("result_too_large", detail, "Sync its markets one by one.")
        gaps += [Gap(*gap) for gap in entry["gaps"] if chosen is None or gap[1] in chosen]
    return gaps
