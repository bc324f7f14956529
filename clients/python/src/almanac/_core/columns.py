"""What the columns of a table hold. It follows from the objects of the API, so an empty table has the types of a full one."""

from __future__ import annotations

import dataclasses
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal, Mapping, Sequence, get_args, get_origin, get_type_hints

from ..models import Candle, Market, Snapshot, Trade

Content = Literal["time", "text", "number", "float", "whole", "truth", "texts"]
"""`number` is a price or a size: a float, or an exact decimal. `texts` is a list of texts."""

_SCALARS: Mapping[Any, Content] = {datetime: "time", float: "float", int: "whole", bool: "truth"}


def columns_of(kind: type[Any]) -> Mapping[str, Content]:
    """The columns of a kind of object. A nested object becomes columns such as `yes_bid_open`. A list of objects has no column."""
    return dict(_columns(kind, ""))


def _columns(kind: type[Any], prefix: str) -> list[tuple[str, Content]]:
    hints = get_type_hints(kind)
    found: list[tuple[str, Content]] = []
    for field in dataclasses.fields(kind):
        options = _options_of(hints[field.name])
        only = options[0] if len(options) == 1 else None
        if isinstance(only, type) and dataclasses.is_dataclass(only):
            found += _columns(only, f"{prefix}{field.name}_")
        elif not _is_list_of_objects(options):
            found.append((f"{prefix}{field.name}", _content_of(options)))
    return found


def _options_of(hint: Any) -> list[Any]:
    """The types of a union without None. Another type is its only one."""
    is_scalar = isinstance(hint, type) or get_origin(hint) in (tuple, Literal)
    return [hint] if is_scalar else [option for option in get_args(hint) if option is not type(None)]


def _is_list_of_objects(options: Sequence[Any]) -> bool:
    return any(get_origin(option) is tuple and any(map(dataclasses.is_dataclass, get_args(option))) for option in options)


def _content_of(options: Sequence[Any]) -> Content:
    if Decimal in options:
        return "number"
    if get_origin(options[0]) is tuple:
        return "texts"
    return _SCALARS.get(options[0], "text")


def values_of(items: Sequence[Any], kind: type[Any]) -> dict[str, list[Any]]:
    """The values of each column."""
    columns: dict[str, list[Any]] = {name: [] for name in columns_of(kind)}
    for item in items:
        values = _flat(item)
        for name, column in columns.items():
            column.append(values.get(name))
    return columns


def _flat(item: Any, prefix: str = "") -> dict[str, Any]:
    values = {}
    for field in dataclasses.fields(item):
        value = getattr(item, field.name)
        if dataclasses.is_dataclass(value):
            values.update(_flat(value, f"{prefix}{field.name}_"))
        else:
            values[f"{prefix}{field.name}"] = value
    return values


@lru_cache(maxsize=None)
def columns_of_rows() -> Mapping[str, Content]:
    """The columns that the API's CSV, Parquet and Arrow can have. The levels of a book are JSON."""
    books: Mapping[str, Content] = {"orderbook_yes": "text", "orderbook_no": "text"}
    return {**columns_of(Market), **columns_of(Candle), **columns_of(Trade), **columns_of(Snapshot), **books}


GRID: Mapping[str, Content] = {"ticker": "text", "ts": "time", "yes_best_bid": "number", "yes_best_ask": "number", "age_ms": "float"}
"""The columns of the markets of an event on one clock."""
