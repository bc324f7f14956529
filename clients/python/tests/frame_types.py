"""The type that each column of a table must have, in every method that returns one."""

from __future__ import annotations

import importlib
from typing import Any, Mapping

import pandas

_NAMES: Mapping[str, str] = {
    "time": "ts venue_ts as_of start_ts end_ts open_ts close_ts settlement_ts first_ts last_ts created_ts last_used_ts revoked_ts ready_ts"
    " sent_ts next_attempt_ts next_close_ts last_close_ts min_open_ts",
    "text": "ticker event_ticker series title status result strike_type category category_label shape capture id name prefix last4 kind label"
    " sample_title day format filename error from_ to group type object source venue event book_quality trade_id taker_side orderbook_yes orderbook_no",
    "number": "floor_strike coin_price_start coin_price_end expiration_value yes_best_bid yes_best_ask coin_price yes_best_bid_size"
    " yes_best_ask_size price size volume open_interest",
    "float": "score age_ms covered_s expected_s covered_share gap_s longest_gap_s",
    "whole": "markets_n live_n closed_n events_n bytes row_count seq trades observations venue_period_s gaps_n rows books attempt duration_ms"
    " response_status markets_with_gaps_n",
    "texts": "withheld streams",
}
_PRICES = ("yes_bid", "yes_ask", "mid", "coin_price", "price")
CONTENT: Mapping[str, str] = {
    **{column: content for content, names in _NAMES.items() for column in names.split()},
    **{f"{price}_{part}": "number" for price in _PRICES for part in ("open", "high", "low", "close", "mean", "previous")},
}
PANDAS_TEXT = str(pandas.Series(["text"]).dtype)
PANDAS = {
    "time": "datetime64[ns, UTC]",
    "text": PANDAS_TEXT,
    "number": "float64",
    "float": "float64",
    "whole": "Int64",
    "texts": "object",
}
POLARS = {
    "time": "Datetime(time_unit='us', time_zone='UTC')",
    "text": "String",
    "number": "Float64",
    "float": "Float64",
    "whole": "Int64",
    "texts": "List(String)",
}
ARROW = {
    "time": "timestamp[us, tz=UTC]",
    "text": "string",
    "number": "double",
    "float": "double",
    "whole": "int64",
    "texts": "list<item: string>",
}
DECIMALS = {"pandas": "object", "polars": "Decimal(precision=38, scale=8)", "arrow": "decimal128(38, 8)"}


def is_installed(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def types_of(table: Any) -> dict[str, str]:
    """The type of each column of a table of pandas, polars or pyarrow, as text."""
    if isinstance(table, pandas.DataFrame):
        return {str(name): str(dtype) for name, dtype in table.dtypes.items()}
    if hasattr(table.schema, "names") and hasattr(table.schema, "types"):
        return {name: str(kind).replace("element: ", "item: ") for name, kind in zip(table.schema.names, table.schema.types)}
    return {name: str(kind) for name, kind in table.schema.items()}


def expected_types(columns: Any, package: str, numbers: str) -> dict[str, str]:
    types = {"pandas": PANDAS, "polars": POLARS, "arrow": ARROW}[package]
    types = {**types, "number": DECIMALS[package]} if numbers == "decimal" else types
    return {name: types[CONTENT[name]] for name in columns}
