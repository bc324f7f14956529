"""Tables of pandas, polars and pyarrow. All three are optional."""

from __future__ import annotations

import csv
import dataclasses
import io
from decimal import Decimal
from importlib import import_module
from typing import TYPE_CHECKING, Any, Callable, Literal, Sequence, get_args, get_origin, get_type_hints

from ..errors import AlmanacError, ConnectionError
from ..models import EventSnapshotsResponse

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_WHOLE = ("seq", "trades", "observations")
# Few different texts in many rows.
_REPEATED = ("ticker", "event_ticker", "series", "taker_side", "status", "result", "strike_type")
_TEXTS = (*_REPEATED, "trade_id", "orderbook_yes", "orderbook_no")
_EXACT_FLOAT_MAX = 2**53


def optional_package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        package = name.split(".")[0]
        raise AlmanacError("package_missing", f"This needs {package}.", f"Install it: pip install {package}.") from error


def is_time(column: str) -> bool:
    return column in ("ts", "as_of") or column.endswith("_ts")


def rows_of(items: Sequence[Any], kind: type[Any]) -> dict[str, list[Any]]:
    """Columns of flat values. A nested object becomes columns such as `yes_bid_open`. A list of objects has no column."""
    columns: dict[str, list[Any]] = {name: [] for name in _column_names(kind)}
    for item in items:
        values = _flat(item)
        for name, column in columns.items():
            column.append(values.get(name))
    return columns


def _column_names(kind: type[Any], prefix: str = "") -> list[str]:
    names = []
    hints = get_type_hints(kind)
    for field in dataclasses.fields(kind):
        inner = hints[field.name]
        if get_origin(inner) is tuple and any(dataclasses.is_dataclass(kind) for kind in get_args(inner)):
            continue
        nested = dataclasses.is_dataclass(inner) and isinstance(inner, type)
        names += _column_names(inner, f"{prefix}{field.name}_") if nested else [f"{prefix}{field.name}"]
    return names


def _flat(item: Any, prefix: str = "") -> dict[str, Any]:
    values = {}
    for field in dataclasses.fields(item):
        value = getattr(item, field.name)
        if dataclasses.is_dataclass(value):
            values.update(_flat(value, f"{prefix}{field.name}_"))
        else:
            values[f"{prefix}{field.name}"] = value
    return values


def frame_of(items: Sequence[Any], kind: type[Any]) -> pandas.DataFrame:
    pandas = optional_package("pandas")
    frame = pandas.DataFrame(rows_of(items, kind))
    for name in frame.columns:
        if is_time(name):
            frame[name] = pandas.to_datetime(frame[name], utc=True)
    return frame


def polars_of(items: Sequence[Any], kind: type[Any]) -> polars.DataFrame:
    return optional_package("polars").DataFrame(rows_of(items, kind), strict=False)


def arrow_of(items: Sequence[Any], kind: type[Any]) -> pyarrow.Table:
    return optional_package("pyarrow").table(rows_of(items, kind))


def frame_of_csv(content: bytes, numbers: Literal["float", "decimal"]) -> pandas.DataFrame:
    """A table of the API's CSV. Times become `datetime64[ns, UTC]`, and prices are exact: 0.51 is 0.51."""
    pandas = optional_package("pandas")
    header = next(csv.reader(io.StringIO(content[: content.index(b"\n") + 1].decode())))
    kinds = {name: _kind_of(name, numbers) for name in header if name not in _WHOLE}
    # A market can be called NA or null.
    read = {"keep_default_na": False, "na_values": [""]}
    frame = pandas.read_csv(io.BytesIO(content), dtype=kinds, **_exact(pandas.__version__), **read)
    for name in header:
        if is_time(name):
            frame[name] = _times(frame[name], pandas)
        elif name in _REPEATED:
            frame[name] = frame[name].astype(object)
        elif name in _WHOLE:
            frame[name] = _whole(frame[name], lambda column: pandas.read_csv(io.BytesIO(content), usecols=[column], dtype=str, **read)[column])
        elif numbers == "decimal" and name not in _TEXTS:
            frame[name] = frame[name].map(lambda text: None if text is None or text != text else Decimal(text))
    return frame


def _exact(pandas_version: str) -> dict[str, Any]:
    """Reads every decimal as the float that is nearest to it, which pandas 3.1 does by itself."""
    major, minor = (int(part) for part in pandas_version.split(".")[:2])
    return {} if (major, minor) >= (3, 1) else {"float_precision": "round_trip"}


def _kind_of(name: str, numbers: Literal["float", "decimal"]) -> Any:
    """Integers are inferred, because pandas reads its own type for missing ones many times slower."""
    if name in _REPEATED:
        return "category"
    if name in _TEXTS:
        return str
    return float if is_time(name) or numbers == "float" else str


def _whole(column: Any, read_again: Callable[[str], Any]) -> Any:
    """A column with absent values was read as floats, which are exact only up to 2^53."""
    if column.dtype.kind == "i" or not (column.abs() >= _EXACT_FLOAT_MAX).any():
        return column.astype("Int64")
    texts = read_again(column.name)
    return optional_package("pandas").array([int(text) if isinstance(text, str) else None for text in texts], dtype="Int64")


def _times(seconds: Any, pandas: Any) -> Any:
    """Exact microseconds. A float of Unix seconds is only a quarter of a microsecond exact."""
    absent = seconds.isna()
    if absent.all():
        return pandas.Series(pandas.NaT, index=seconds.index, dtype="datetime64[ns, UTC]")
    known = seconds.fillna(0) if absent.any() else seconds
    nanos = (known.to_numpy() * 1_000_000).round().astype("int64") * 1_000
    times = pandas.Series(pandas.DatetimeIndex(nanos, tz="UTC"), index=seconds.index)
    return times.mask(absent) if absent.any() else times


def check_rows(content: bytes, expected: str | None, what: str) -> None:
    """An answer that is short has the number of its rows as a header."""
    if expected is None:
        return
    found = max(0, sum(1 for _ in csv.reader(io.StringIO(content.decode()))) - 1)
    if found != int(expected):
        raise ConnectionError("incomplete_answer", f"{what} has {found} of {expected} rows.", "Try again.")


def grid_frame(pages: Sequence[EventSnapshotsResponse]) -> pandas.DataFrame:
    """A row for each market and time of markets on one clock."""
    pandas = optional_package("pandas")
    columns: dict[str, list[Any]] = {name: [] for name in ("ticker", "ts", "yes_best_bid", "yes_best_ask", "age_ms")}
    for page in pages:
        for market in page.markets:
            columns["ticker"] += [market.ticker] * len(page.ts)
            columns["ts"] += page.ts
            for name in ("yes_best_bid", "yes_best_ask", "age_ms"):
                columns[name] += getattr(market, name)
    frame = pandas.DataFrame(columns)
    frame["ts"] = pandas.to_datetime(frame["ts"], utc=True)
    return frame
