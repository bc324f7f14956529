"""Tables have the same types in every method, with rows and without."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any, Callable, Literal, Sequence, get_args, get_origin, get_type_hints

import pytest

from almanac import Almanac
from almanac._core.decode import decode
from almanac._core.frames import arrow_of, frame_of, frame_of_csv, polars_of
from almanac._sync.pages import Pages
from frame_types import expected_types, is_installed, types_of

LISTS: dict[str, Callable[[Almanac], Pages[Any, Any]]] = {
    "search": lambda client: client.search(),
    "quality": lambda client: client.quality(series="S"),
    "quality_by_period": lambda client: client.quality_by_period("day", series="S"),
    "series.list": lambda client: client.series.list(),
    "series.markets": lambda client: client.series.markets("S"),
    "series.events": lambda client: client.series.events("S"),
    "events.markets": lambda client: client.events.markets("E"),
    "events.snapshots": lambda client: client.events.snapshots("E"),
    "markets.list": lambda client: client.markets.list(),
    "markets.changes_since": lambda client: client.markets.changes_since(0),
    "markets.snapshots": lambda client: client.markets.snapshots("T"),
    "markets.trades": lambda client: client.markets.trades("T"),
    "markets.candles": lambda client: client.markets.candles("T"),
    "markets.candles_of": lambda client: client.markets.candles_of(["T"]),
    "exports.list": lambda client: client.exports.list(),
    "keys.list": lambda client: client.keys.list(),
    "webhooks.deliveries": lambda client: client.webhooks.deliveries("W"),
}
# Nothing is sent. A client takes a while to make.
CLIENT = Almanac("key", "http://127.0.0.1:1")
# Their tables are not made of their items.
OTHER_TABLES = ("events.snapshots", "markets.snapshots", "markets.trades")
PACKAGES: dict[str, Callable[..., Any]] = {"pandas": frame_of, "polars": polars_of, "arrow": arrow_of}
MODULES = {"pandas": "pandas", "polars": "polars", "arrow": "pyarrow"}
NUMBERS: Sequence[Literal["float", "decimal"]] = ("float", "decimal")
TIME = datetime(2026, 2, 25, 4, 30, 0, 123_457, timezone.utc)
ROWS = '"ticker","event_ticker","series","ts","venue_ts","seq","yes_best_bid","yes_best_ask","coin_price","trade_id","taker_side"'


def value_of(hint: Any, *, absent: bool) -> Any:
    """A value of a type as JSON has it: null where it can be, or an example."""
    options = [hint] if isinstance(hint, type) or get_origin(hint) in (tuple, Literal) else list(get_args(hint))
    if absent and type(None) in options:
        return None
    first = next(option for option in options if option is not type(None))
    if dataclasses.is_dataclass(first):
        return json_of(first, absent=absent)
    if get_origin(first) is tuple:
        return [value_of(get_args(first)[0], absent=absent)]
    if get_origin(first) is Literal:
        return get_args(first)[0]
    return {datetime: Decimal("1771993800.123457"), int: 2**60 + 1, float: 0.25, Decimal: 0.25, bool: True, str: "text"}[first]


def json_of(kind: Any, *, absent: bool) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name.rstrip("_"): value_of(hints[field.name], absent=absent) for field in dataclasses.fields(kind)}


def methods_with_tables(value: object, path: str = "") -> list[str]:
    found = []
    for name, member in inspect.getmembers(value):
        if name.startswith("_"):
            continue
        if inspect.ismethod(member):
            returned = str(member.__annotations__.get("return")).partition("[")[0]
            kind = getattr(sys.modules[member.__module__], returned, None)
            found += [path + name] if isinstance(kind, type) and issubclass(kind, Pages) else []
        elif type(member).__module__.startswith("almanac._sync"):
            found += methods_with_tables(member, f"{path}{name}.")
    return found


def test_every_method_that_returns_a_list_is_in_this_table() -> None:
    assert sorted(LISTS) == sorted(methods_with_tables(CLIENT))


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("package", [package for package in PACKAGES if is_installed(MODULES[package])])
@pytest.mark.parametrize("name", [name for name in LISTS if name not in OTHER_TABLES])
def test_a_table_has_its_types_with_and_without_values(name: str, package: str, numbers: Literal["float", "decimal"]) -> None:
    kind = LISTS[name](CLIENT)._item
    full, absent = (decode(kind, json_of(kind, absent=absent), numbers) for absent in (False, True))
    columns = None
    for items in ([full], [full, absent], [absent], []):
        found = types_of(PACKAGES[package](items, kind, numbers))
        assert found == expected_types(found, package, numbers), f"{len(items)} rows"
        assert columns in (None, list(found))
        columns = list(found)


@pytest.mark.parametrize("numbers", NUMBERS)
def test_rows_of_a_stream_have_their_types_with_and_without_values(numbers: Literal["float", "decimal"]) -> None:
    full = '"T","E","S",1771993800.123457,1771993800.123457,1152921504606846977,0.25,0.26,65000.5,"7","yes"'
    absent = '"T",,,,,,,,,,'
    cases: list[list[str]] = [[full], [full, absent], [absent], []]
    for rows in cases:
        frame = frame_of_csv("\r\n".join([ROWS, *rows, ""]).encode(), numbers)
        assert types_of(frame) == expected_types(frame.columns, "pandas", numbers), f"{len(rows)} rows"
        assert len(frame) == len(rows)


def test_a_table_of_items_is_exact() -> None:
    kind = LISTS["markets.trades"](CLIENT)._item
    trade = decode(kind, json_of(kind, absent=False), "decimal")
    frame = frame_of([trade], kind, "decimal")
    assert frame["ts"].iloc[0].to_pydatetime() == TIME and frame["ts"].iloc[0].nanosecond == 0
    assert frame["price"].iloc[0] == Decimal("0.25") and isinstance(frame["price"].iloc[0], Decimal)
    period = LISTS["quality_by_period"](CLIENT)._item
    assert frame_of([decode(period, json_of(period, absent=False))], period, "float")["rows"].iloc[0] == 2**60 + 1
    candle = LISTS["markets.candles"](CLIENT)._item
    mixed = [decode(candle, json_of(candle, absent=absent)) for absent in (True, False)]
    assert frame_of(mixed, candle, "float")["trades"].iloc[1] == 2**60 + 1
