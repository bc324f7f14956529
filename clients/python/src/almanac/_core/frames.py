"""Tables of pandas, polars and pyarrow, whose types follow from `columns`. All three packages are optional."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from importlib import import_module
from typing import TYPE_CHECKING, Any, Callable, Literal, Mapping, Sequence

from ..errors import AlmanacError, ConnectionError
from ..models import EventSnapshotsResponse
from .columns import GRID, Content, columns_of, columns_of_rows, values_of

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Numbers = Literal["float", "decimal"]
Values = Mapping[str, Sequence[Any]]

_TIME = "datetime64[ns, UTC]"
# Few different texts in many rows.
_REPEATED = ("ticker", "event_ticker", "series", "taker_side", "status", "result", "strike_type")
_EXACT_FLOAT_MAX = 2**53


def optional_package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        package = name.split(".")[0]
        raise AlmanacError("package_missing", f"This needs {package}.", f"Install it: pip install {package}.") from error


def has_package(name: str) -> bool:
    try:
        import_module(name)
    except ImportError:
        return False
    return True


def frame_of(items: Sequence[Any], kind: type[Any], numbers: Numbers) -> pandas.DataFrame:
    return _frame(values_of(items, kind), columns_of(kind), numbers)


def polars_of(items: Sequence[Any], kind: type[Any], numbers: Numbers) -> polars.DataFrame:
    return _polars(values_of(items, kind), columns_of(kind), numbers)


def arrow_of(items: Sequence[Any], kind: type[Any], numbers: Numbers) -> pyarrow.Table:
    return _arrow(values_of(items, kind), columns_of(kind), numbers)


def _frame(values: Values, columns: Mapping[str, Content], numbers: Numbers) -> pandas.DataFrame:
    pandas = optional_package("pandas")
    return pandas.DataFrame({name: _series(values[name], content, numbers, pandas) for name, content in columns.items()})


def _series(values: Sequence[Any], content: Content, numbers: Numbers, pandas: Any) -> Any:
    if content == "time":
        return pandas.Series(pandas.to_datetime(list(values), utc=True)).astype(_TIME)
    if content == "text":
        return pandas.Series(values, dtype=_text_type(pandas))
    return pandas.Series(values, dtype=_pandas_type(content, numbers))


def _pandas_type(content: Content, numbers: Numbers) -> str:
    if content == "number":
        return "float64" if numbers == "float" else "object"
    return {"float": "float64", "whole": "Int64", "truth": "boolean"}.get(content, "object")


def _text_type(pandas: Any) -> Any:
    """What pandas itself makes of texts: `object`, and `str` since pandas 3."""
    return pandas.Series(["text"]).dtype


def _polars(values: Values, columns: Mapping[str, Content], numbers: Numbers) -> polars.DataFrame:
    package = optional_package("polars")
    schema = {name: _polars_type(content, numbers, package) for name, content in columns.items()}
    return package.DataFrame({name: values[name] for name in columns}, schema=schema, strict=False)


def _polars_type(content: Content, numbers: Numbers, package: Any) -> Any:
    if content == "number" and numbers == "decimal":
        return package.Decimal(38, 8)
    return {
        "time": package.Datetime("us", "UTC"),
        "text": package.String,
        "number": package.Float64,
        "float": package.Float64,
        "whole": package.Int64,
        "truth": package.Boolean,
        "texts": package.List(package.String),
    }[content]


def _arrow(values: Values, columns: Mapping[str, Content], numbers: Numbers) -> pyarrow.Table:
    package = optional_package("pyarrow")
    fields = [(name, _arrow_type(content, numbers, package)) for name, content in columns.items()]
    return package.table({name: values[name] for name in columns}, schema=package.schema(fields))


def _arrow_type(content: Content, numbers: Numbers, package: Any) -> Any:
    if content == "number" and numbers == "decimal":
        return package.decimal128(38, 8)
    return {
        "time": package.timestamp("us", tz="UTC"),
        "text": package.string(),
        "number": package.float64(),
        "float": package.float64(),
        "whole": package.int64(),
        "truth": package.bool_(),
        "texts": package.list_(package.string()),
    }[content]


def frame_of_csv(content: bytes, numbers: Numbers) -> pandas.DataFrame:
    """A table of the API's CSV. Prices are exact: 0.51 is 0.51."""
    pandas = optional_package("pandas")
    header = next(csv.reader(io.StringIO(content[: content.index(b"\n") + 1].decode())))
    known = columns_of_rows()
    columns = {name: known.get(name, "text") for name in header}
    kinds = {name: _kind_to_read(name, content, numbers) for name, content in columns.items() if content != "whole"}
    # A market can be called NA or null.
    read = {"keep_default_na": False, "na_values": [""]}
    frame = pandas.read_csv(io.BytesIO(content), dtype=kinds, **_exact(pandas.__version__), **read)

    def texts_of(name: str) -> Any:
        return pandas.read_csv(io.BytesIO(content), usecols=[name], dtype=str, **read)[name]

    for name, kind in columns.items():
        if kind == "time":
            frame[name] = _times(frame[name], pandas)
        elif kind == "text":
            frame[name] = _texts(frame[name], pandas)
        elif kind == "whole":
            frame[name] = _whole(frame[name], texts_of)
        elif kind == "number" and numbers == "decimal":
            frame[name] = frame[name].map(lambda text: None if text is None or text != text else Decimal(text)).astype("object")
    return frame


def _exact(pandas_version: str) -> dict[str, Any]:
    """Reads every decimal as the float that is nearest to it, which pandas 3.1 does by itself."""
    major, minor = (int(part) for part in pandas_version.split(".")[:2])
    return {} if (major, minor) >= (3, 1) else {"float_precision": "round_trip"}


def _kind_to_read(name: str, content: Content, numbers: Numbers) -> Any:
    """Whole numbers are inferred, because pandas reads its own type for missing ones many times slower."""
    if content == "text":
        return "category" if name in _REPEATED else str
    return str if content == "number" and numbers == "decimal" else float


def _texts(column: Any, pandas: Any) -> Any:
    """A missing text is None, as in lists. pandas 3 has one of its own."""
    kind = _text_type(pandas)
    texts = column.astype(kind)
    return texts.where(column.notna(), None) if kind == object and column.hasnans else texts


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
        return pandas.Series(pandas.NaT, index=seconds.index, dtype=_TIME)
    known = seconds.fillna(0) if absent.any() else seconds
    nanos = (known.to_numpy() * 1_000_000).round().astype("int64") * 1_000
    times = pandas.Series(pandas.DatetimeIndex(nanos, tz="UTC"), index=seconds.index)
    return times.mask(absent) if absent.any() else times


def frame_of_stream(content: bytes) -> pandas.DataFrame:
    """A table of the API's Arrow stream without books, with the types of a table of its CSV. Prices are floats."""
    pandas, package = optional_package("pandas"), optional_package("pyarrow")
    table = arrow_of_stream(content, "float")
    types = {package.int64(): pandas.Int64Dtype()}
    frame = table.to_pandas(types_mapper=types.get, date_as_object=False)
    for name, kind in _flat_columns(table.column_names).items():
        if kind == "time":
            frame[name] = frame[name].astype(_TIME)
        elif kind == "text":
            frame[name] = _texts(frame[name], pandas)
    return frame


def polars_of_stream(content: bytes, numbers: Numbers) -> polars.DataFrame:
    """A table of the API's Arrow stream. The levels of a book are lists."""
    package = optional_package("polars")
    frame = package.read_ipc_stream(io.BytesIO(content))
    return frame.cast({name: _polars_type(kind, numbers, package) for name, kind in _flat_columns(frame.columns).items()})


def arrow_of_stream(content: bytes, numbers: Numbers) -> pyarrow.Table:
    package = optional_package("pyarrow")
    table = optional_package("pyarrow.ipc").open_stream(content).read_all()
    known = _flat_columns(table.column_names)
    fields = [(field.name, _arrow_type(known[field.name], numbers, package) if field.name in known else field.type) for field in table.schema]
    return table.cast(package.schema(fields, metadata=table.schema.metadata))


def _flat_columns(names: Sequence[str]) -> dict[str, Content]:
    known = columns_of_rows()
    return {name: known[name] for name in names if name in known and not name.startswith("orderbook_")}


def check_rows(content: bytes, expected: str | None, what: str) -> None:
    """An answer that is short has the number of its rows as a header."""
    if expected is None:
        return
    found = max(0, sum(1 for _ in csv.reader(io.StringIO(content.decode()))) - 1)
    if found != int(expected):
        raise ConnectionError("incomplete_answer", f"{what} has {found} of {expected} rows.", "Try again.")


def grid_frame(pages: Sequence[EventSnapshotsResponse], numbers: Numbers) -> pandas.DataFrame:
    """A row for each market and time of markets on one clock."""
    return _frame(_grid(pages), GRID, numbers)


def grid_polars(pages: Sequence[EventSnapshotsResponse], numbers: Numbers) -> polars.DataFrame:
    return _polars(_grid(pages), GRID, numbers)


def grid_arrow(pages: Sequence[EventSnapshotsResponse], numbers: Numbers) -> pyarrow.Table:
    return _arrow(_grid(pages), GRID, numbers)


def _grid(pages: Sequence[EventSnapshotsResponse]) -> Values:
    columns: dict[str, list[Any]] = {name: [] for name in GRID}
    for page in pages:
        for market in page.markets:
            columns["ticker"] += [market.ticker] * len(page.ts)
            columns["ts"] += page.ts
            for name in ("yes_best_bid", "yes_best_ask", "age_ms"):
                columns[name] += getattr(market, name)
    return columns
