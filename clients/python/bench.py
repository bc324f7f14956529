"""
Measures tables against pandas alone, and replays. Run it with `python3 clients/python/bench.py [ROWS]`. `npm run bench` runs
`bench.py ROWS table` and `bench.py ROWS replay`, which print one line of JSON.

Both sides of a pair run in turn, so a machine whose speed varies slows both alike.
"""

from __future__ import annotations

import gc
import io
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Callable, NamedTuple

import pandas

from almanac._core.frames import frame_of_csv
from almanac._core.local import play
from almanac._core.replay import markets_in

HEADER = '"ticker","event_ticker","series","ts","venue_ts","seq","yes_best_bid","yes_best_ask","coin_price"\r\n'
MARKETS = 10
PAIRS = 7
REPLAY_RATE = 200_000
END_US = 4_000_000_000_000_000


def rows_of(market: int, count: int) -> str:
    ticker = f'"KXBTC15M-26FEB242330-{market}","KXBTC15M-26FEB242330","KXBTC15M"'
    return "".join(
        f"{ticker},{1_771_992_900 + at * 0.1 + market * 0.01:.6f},,{at},0.{10 + at % 80},0.{11 + at % 80},{65_000 + at % 1_000}.25\r\n"
        for at in range(count)
    )


def seconds_of(work: Callable[[], object]) -> float:
    gc.collect()
    started = time.process_time()
    work()
    return time.process_time() - started


class Measured(NamedTuple):
    """Rates in rows per second of CPU time."""

    ours: float
    reference: float
    ratios: list[float]


def table(rows: int) -> Measured:
    """How fast a table of this client is, and `pandas.read_csv` of the same bytes."""
    content = (HEADER + rows_of(0, rows)).encode()
    pairs = []
    for _ in range(PAIRS):
        reference = seconds_of(lambda: pandas.read_csv(io.BytesIO(content)))
        pairs.append((rows / seconds_of(lambda: frame_of_csv(content, "float")), rows / reference))
    return Measured(median(ours for ours, _ in pairs), median(other for _, other in pairs), [ours / other for ours, other in pairs])


def replay(rows: int) -> Measured:
    """How fast ten markets in one file are replayed, and the rate that is promised."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "markets.csv"
        path.write_text(HEADER + "".join(rows_of(market, rows) for market in range(MARKETS)), newline="")
        sources = markets_in(path)
        rates = [MARKETS * rows / seconds_of(lambda: sum(1 for _ in play(sources, [], 0, END_US, "float"))) for _ in range(3)]
    return Measured(median(rates), REPLAY_RATE, [rate / REPLAY_RATE for rate in rates])


def main(rows: int, name: str | None) -> None:
    if name is not None:
        measured = {"table": table, "replay": replay}[name](rows)
        print(json.dumps(measured._asdict()))
        return
    print(f"to_df of {rows:,} rows: {median(table(rows).ratios):.2f} x pandas.read_csv of the same answer (at least 0.6)")
    print(f"replay of {MARKETS} markets: {replay(rows).ours:,.0f} rows/s of CPU time (at least {REPLAY_RATE:,})")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000, sys.argv[2] if len(sys.argv) > 2 else None)
