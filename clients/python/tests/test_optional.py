"""Packages that are optional: used where they are installed, and named where they are not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import almanac
from almanac import Almanac
from conftest import System
from frame_types import is_installed

SERIES = "GENRATE"


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])
def test_a_package_that_is_missing_is_named_with_a_remedy(name: str, system: System, monkeypatch: Any) -> None:
    for module in [name, *(loaded for loaded in sys.modules if loaded.startswith(f"{name}."))]:
        monkeypatch.setitem(sys.modules, module, None)
    with Almanac(system.key, system.base_url) as client:
        categories = client.series.list()
        method = {"pandas": categories.to_df, "polars": categories.to_polars, "pyarrow": categories.to_arrow}[name]
        with pytest.raises(almanac.AlmanacError) as raised:
            method()
    assert raised.value.code == "package_missing" and f"pip install {name}" in raised.value.remedy


def test_without_tqdm_there_is_no_bar_and_no_error(system: System, tmp_path: Path, monkeypatch: Any) -> None:
    with Almanac(system.key, system.base_url) as client:
        market = client.markets.list(series="GENBTC15M", status="finalized", limit=1).first_page().markets[0]
        export = client.exports.create(ticker=market.ticker)
        assert export.download(tmp_path / "with.csv", progress=True).exists()
        monkeypatch.setitem(sys.modules, "tqdm", None)
        assert export.download(tmp_path / "without.csv", progress=True).exists()


def test_a_copy_is_parquet_by_default_and_replays_with_pyarrow(system: System, tmp_path: Path) -> None:
    with Almanac(system.key, system.base_url) as client:
        client.sync(tmp_path / "parquet", series=SERIES, live=True, streams=["snapshots", "l2", "trades"])
        client.sync(tmp_path / "csv", series=SERIES, live=True, streams=["snapshots", "l2", "trades"], format="csv")
    files = list((tmp_path / "parquet").glob("*.parquet"))
    assert files
    for file in files:
        content = file.read_bytes()
        assert content[:4] == content[-4:] == b"PAR1"
    if is_installed("pyarrow"):
        assert list(almanac.replay(tmp_path / "parquet")) == list(almanac.replay(tmp_path / "csv"))
    else:
        with pytest.raises(almanac.AlmanacError) as raised:
            list(almanac.replay(tmp_path / "parquet"))
        assert raised.value.code == "package_missing"


def test_tables_of_every_installed_package_have_the_same_rows(system: System) -> None:
    with Almanac(system.key, system.base_url) as client:
        market = client.markets.list(series="GENBTC15M", status="finalized", limit=1).first_page().markets[0]
        rows = client.markets.snapshots(market.ticker, step_ms=0)
        expected = rows.to_df()
        if is_installed("pyarrow"):
            table = rows.to_arrow()
            assert table.column("yes_best_bid").to_pylist() == list(expected["yes_best_bid"])
            assert client.markets.candles(market.ticker, points=10).to_arrow().num_rows == 10
        if is_installed("polars"):
            frame = rows.to_polars()
            assert frame["ts"].to_list() == [time.to_pydatetime() for time in expected["ts"]]
            assert client.series.list().to_polars().height == 3
        assert len(expected) == 450
