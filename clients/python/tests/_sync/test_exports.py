# Made by `npm run docs:make` from _async/test_exports.py; do not edit.
"""Exports: create, wait, download, and what can go wrong with a file."""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas
import pytest

import almanac
from almanac import Almanac, Export, Progress, models
from conftest import System
from faults import Answer, Cut, FaultProxy, Flip, Seen


_ready: list[str] = []


def ready_export(client: Almanac) -> Export:
    """The same for all tests, because a file takes longer to make than to read."""
    if not _ready:
        _ready.append((new_export(client)).id)
    return client.exports.get(_ready[0])


def new_export(client: Almanac) -> Export:
    event = (client.markets.list(series="GENBTC15M", status="finalized", limit=1).first_page()).markets[0].event_ticker
    assert event is not None
    return (client.exports.create(event=event, streams=["snapshots", "l2"])).wait()


def is_file(seen: Seen) -> bool:
    return seen.path.endswith("/file")


def sha256_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_an_export_is_created_awaited_downloaded_and_cited(system: System, tmp_path: Path) -> None:
    progress: list[Progress] = []
    with Almanac(system.key, system.base_url) as client:
        market = (client.markets.list(series="GENBTC15M", status="finalized", limit=1).first_page()).markets[0]
        export = client.exports.create(ticker=market.ticker, format="csv")
        path = export.download(tmp_path, progress=progress.append)
        assert path.name == export.data.filename and sha256_of(path) == export.data.sha256
        assert len(pandas.read_csv(path)) == export.data.row_count == 450
        assert progress[-1] == Progress(export.data.bytes, export.data.bytes, "B")
        assert [file.name for file in tmp_path.iterdir()] == [path.name]
        assert export.data.dataset_id is not None
        dataset = client.datasets.get(export.data.dataset_id)
        assert dataset.sha256 == export.data.sha256 and dataset.citation.text
        again = (client.exports.create(dataset=dataset.dataset_id)).wait()
        assert again.data.sha256 == export.data.sha256
        assert (client.exports.get(export.id)).data.sha256 == export.data.sha256
        assert (client.exports.wait(export.id)).status == "ready"
        assert export.id in [item.id for item in client.exports.list(limit=1, status="ready")]
        assert {each.id for each in (client.exports.formats()).formats} >= {"csv", "parquet"}


def test_a_day_and_each_day_of_a_range(system: System, tmp_path: Path) -> None:
    with Almanac(system.key, system.base_url) as client:
        market = (client.markets.list(series="GENBTC15M", status="finalized", limit=1).first_page()).markets[0]
        assert market.close_ts is not None
        day = market.close_ts.date()
        quote = client.exports.quote(series="GENBTC15M", day=day)
        pack = (client.exports.create(series="GENBTC15M", day=day)).wait()
        assert pack.data.day == day.isoformat() and pack.data.row_count == quote.row_count
        days = client.exports.create_days("GENBTC15M", day, day)
        assert [(each.wait()).data.sha256 for each in days] == [pack.data.sha256]


def test_waiting_survives_a_restart_of_the_server(system: System, faults: FaultProxy) -> None:
    """The stream breaks, then no connection is answered, then a server answers again."""

    def restart(seen: Seen, count: int) -> Cut | Answer | None:
        if not seen.path.endswith("/events"):
            return None
        steps: list[Cut | Answer | None] = [Cut(20), Cut(0), Answer(502, b"<html>Bad gateway</html>"), None]
        return steps[min(count, 3)]

    faults.rule = restart
    with Almanac(system.key, faults.url) as client:
        export = new_export(client)
    assert export.status == "ready"
    assert sum(1 for seen in faults.seen if seen.path.endswith("/events")) == 4


def test_waiting_polls_where_a_proxy_drops_events(system: System, faults: FaultProxy) -> None:
    faults.rule = lambda seen, count: Answer(200, b"", {"content-type": "text/event-stream"}) if "/events" in seen.path else None
    with Almanac(system.key, faults.url) as client:
        assert (new_export(client)).status == "ready"


def test_a_download_that_is_cut_goes_on_where_it_was(system: System, faults: FaultProxy, tmp_path: Path) -> None:
    cuts = [10_000, 0, 20_000, 1]
    faults.rule = lambda seen, count: Cut(cuts[count]) if is_file(seen) and count < len(cuts) else None
    with Almanac(system.key, faults.url) as client:
        export = ready_export(client)
        path = export.download(tmp_path / "file.csv")
    assert sha256_of(path) == export.data.sha256
    ranges = [seen.headers.get("range") for seen in faults.seen if is_file(seen)]
    assert ranges == [None, "bytes=10000-", "bytes=10000-", "bytes=30000-", "bytes=30001-"]


def test_a_download_waits_while_its_lost_file_is_made_again(system: System, faults: FaultProxy, tmp_path: Path) -> None:
    body = b'{"detail":"The file is being prepared again.","code":"export_restoring","request_id":"r"}'
    restoring = Answer(503, body, {"retry-after": "0"})
    faults.rule = lambda seen, count: restoring if is_file(seen) and count < 3 else None
    with Almanac(system.key, faults.url, max_retries=1) as client:
        export = ready_export(client)
        path = export.download(tmp_path / "file.csv")
    assert sha256_of(path) == export.data.sha256
    assert sum(1 for seen in faults.seen if is_file(seen)) == 4


def test_a_download_that_was_given_up_goes_on_in_the_next_call(system: System, faults: FaultProxy, tmp_path: Path) -> None:
    faults.rule = lambda seen, count: Cut(10_000) if is_file(seen) and count == 0 else None
    with Almanac(system.key, faults.url, max_retries=0) as client:
        export = ready_export(client)
        with pytest.raises(almanac.ConnectionError) as raised:
            export.download(tmp_path / "file.csv")
        assert raised.value.code == "connection_failed"
        assert not (tmp_path / "file.csv").exists()
        path = export.download(tmp_path / "file.csv")
    assert sha256_of(path) == export.data.sha256
    assert [seen.headers.get("range") for seen in faults.seen if is_file(seen)] == [None, "bytes=10000-"]
    assert [file.name for file in tmp_path.iterdir()] == ["file.csv"]


def test_a_wrong_byte_raises_and_stores_nothing(system: System, faults: FaultProxy, tmp_path: Path) -> None:
    faults.rule = lambda seen, count: Flip(777) if is_file(seen) else None
    with Almanac(system.key, faults.url) as client:
        export = ready_export(client)
        with pytest.raises(almanac.FileError) as raised:
            export.download(tmp_path)
    assert raised.value.code == "file_mismatch" and raised.value.remedy
    assert list(tmp_path.iterdir()) == []


def test_a_file_with_too_many_or_too_few_bytes_is_refused(system: System, faults: FaultProxy, tmp_path: Path) -> None:
    with Almanac(system.key, faults.url, max_retries=1) as client:
        export = ready_export(client)
        for content in (b"x" * (export.data.bytes + 1), b"", b"<html>Login</html>"):
            faults.rule = lambda seen, count: Answer(200, content) if is_file(seen) else None
            with pytest.raises(almanac.AlmanacError) as raised:
                export.download(tmp_path / "file.csv")
            assert raised.value.code in ("file_mismatch", "connection_failed")
            assert not (tmp_path / "file.csv").exists()


def test_a_part_of_another_export_is_refused_and_removed_only_on_request(system: System, tmp_path: Path) -> None:
    other = tmp_path / "file.csv.0123456789abcdef.part"
    similar = tmp_path / "file.csv.notes.part"
    for path in (other, similar):
        path.write_bytes(b"half of another export")
    with Almanac(system.key, system.base_url) as client:
        export = ready_export(client)
        with pytest.raises(almanac.FileError) as raised:
            export.download(tmp_path / "file.csv")
        assert raised.value.code == "file_conflict" and other.name in raised.value.remedy
        assert other.read_bytes() == b"half of another export"
        export.download(tmp_path / "file.csv", overwrite=True)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file.csv", similar.name]


def test_an_export_that_ended_without_a_file_says_why_and_what_to_do(
    system: System, faults: FaultProxy, tmp_path: Path
) -> None:
    empty: dict[str, object] = {field.name.rstrip("_"): None for field in fields(models.ExportResponse)}
    empty |= {"id": "e-1", "bytes": 0, "expires_in_s": 0, "created_ts": 0, "streams": [], "remarks": [], "error": "Disk full."}
    for status, said in (("failed", "Disk full."), ("cancelled", "was cancelled")):
        body = json.dumps({**empty, "status": status}).encode()
        event = b"id: 1\ndata: " + body + b"\n\n"
        faults.rule = lambda seen, count: Answer(200, event if seen.path.endswith("/events") else body)
        with Almanac(system.key, faults.url) as client:
            with pytest.raises(almanac.ExportError) as raised:
                client.exports.wait("e-1")
            assert raised.value.code == f"export_{status}" and said in raised.value.detail
            with pytest.raises(almanac.FileError) as refused:
                (client.exports.get("e-1")).download(tmp_path)
        assert refused.value.code == f"export_{status}" and refused.value.remedy == "Create the export again."
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_another_export_and_a_damaged_part_do_no_harm(system: System, tmp_path: Path) -> None:
    with Almanac(system.key, system.base_url) as client:
        export = ready_export(client)
        assert export.data.sha256 is not None
        target = tmp_path / "file.csv"
        part = tmp_path / f"file.csv.{export.data.sha256[:16]}.part"
        for damaged in (b"damaged" * 100, b"x" * (export.data.bytes + 5), b"y" * export.data.bytes):
            part.write_bytes(damaged)
            target.write_bytes(b"what an earlier export left")
            with pytest.raises(almanac.FileError) as raised:
                export.download(target)
            assert raised.value.code == "file_conflict"
            assert export.download(target, overwrite=True) == target
            assert sha256_of(target) == export.data.sha256 and not part.exists()


def test_a_file_that_is_there_is_not_downloaded_again(system: System, faults: FaultProxy, tmp_path: Path) -> None:
    with Almanac(system.key, faults.url) as client:
        export = ready_export(client)
        first = export.download(tmp_path)
        assert export.download(tmp_path) == first
    assert sum(1 for seen in faults.seen if is_file(seen)) == 1


def test_a_full_disk_and_a_folder_that_may_not_be_written(system: System, tmp_path: Path, monkeypatch: Any) -> None:
    with Almanac(system.key, system.base_url) as client:
        export = ready_export(client)
        (tmp_path / "file").write_bytes(b"")
        with pytest.raises(almanac.FileError) as raised:
            export.download(tmp_path / "file" / "inside.csv")
        assert raised.value.code == "file_unwritable" and raised.value.remedy

        # The disk itself cannot be filled without root, so its free space is what the system reports of it.
        monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10, 10, 0))
        with pytest.raises(almanac.FileError) as full:
            export.download(tmp_path)
        assert full.value.code == "disk_full" and isinstance(full.value.__cause__, OSError)
        assert full.value.__cause__.errno == errno.ENOSPC
