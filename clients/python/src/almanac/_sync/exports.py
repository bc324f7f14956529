# Made by `npm run docs:make` from _async/exports.py; do not edit.
"""Exports: create, wait, download."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from typing import Any, Literal, Sequence

from .._core.progress import ShowProgress
from .._core.requests import Call
from .._core.times import Time, day_text
from ..errors import invalid_options, refuse_text
from ..models import (
    DatasetResponse,
    ExportFormatsResponse,
    ExportGroup,
    ExportListItem,
    ExportListResponse,
    ExportQuote,
    ExportResponse,
)
from .download import download_export
from .pages import Pages
from .transport import Transport
from .wait import wait_for_export

Format = Literal["csv", "parquet", "json", "jsonl.gz", "hftbacktest", "tardis_csv"]
Stream = Literal["snapshots", "settlement", "l2", "trades", "sizes", "candles"]
# A large export takes minutes.
_WAIT_S = 3_600.0


class Export:
    """One export of the account. `data` is what the server said of it last."""

    def __init__(self, transport: Transport, data: ExportResponse) -> None:
        self._transport = transport
        self.data = data

    @property
    def id(self) -> str:
        return self.data.id

    @property
    def status(self) -> str:
        return self.data.status

    def __repr__(self) -> str:
        return f"<Export {self.id} {self.status}>"

    def refresh(self) -> Export:
        """Reads the export again."""
        self.data = self._transport.get(ExportResponse, Call(operation="getExport", path={"export_id": self.id}))
        return self

    def wait(self, *, deadline_s: float = _WAIT_S, progress: ShowProgress = False) -> Export:
        """Waits until the export is ready. Raises ExportError if it fails or is cancelled: it costs nothing then."""
        self.data = wait_for_export(self._transport, self.id, deadline_s=deadline_s, progress=progress)
        return self

    def download(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        overwrite: bool = False,
        progress: ShowProgress = False,
        deadline_s: float = _WAIT_S,
    ) -> Path:
        """
        Downloads the file to a file or into a folder, and returns its path. It continues what an earlier download left, and has its
        name only after its SHA-256 was verified. Another file of this name is replaced only with `overwrite`. Waits first if the
        export is not ready yet.
        """
        if self.data.status == "pending":
            self.wait(deadline_s=deadline_s, progress=progress)
        return download_export(self._transport, self.data, path, overwrite=overwrite, progress=progress)

    def cancel(self) -> Export:
        """Cancels a pending export and gives back its credit and quota."""
        self.data = (Exports(self._transport).cancel(self.id)).data
        return self


class Exports:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        event: str | None = None,
        ticker: str | None = None,
        series: str | None = None,
        day: date | str | None = None,
        from_: date | str | None = None,
        to: date | str | None = None,
        events: Sequence[str] | None = None,
        tickers: Sequence[str] | None = None,
        dataset: str | None = None,
        streams: Sequence[Stream] | None = None,
        format: Format | None = None,
        numbers: Literal["decimal", "float"] | None = None,
        csv_formulas: Literal["keep", "escape"] | None = None,
        use_free_credit: bool = False,
        as_of: Time | None = None,
        idempotency_key: str | None = None,
    ) -> Export:
        """
        Creates an export of one target: an event, a market, a day or a range of days of a series, a list, or a dataset. A free credit
        is only spent with `use_free_credit=True`; `quote` says what would pay. Pass an `idempotency_key` of your own to repeat the
        call safely after a crash.
        """
        target = _target(event=event, ticker=ticker, series=series, day=day, from_=from_, to=to, events=events, tickers=tickers, dataset=dataset)
        options = {"numbers": numbers, "csv_formulas": csv_formulas, "use_free_credit": use_free_credit}
        body = {**target, "streams": _listed(streams), "format": format, **options}
        data = self._transport.get(ExportResponse, Call(operation="createExport", body=body, as_of=as_of, idempotency_key=idempotency_key))
        return Export(self._transport, data)

    def create_days(
        self,
        series: str,
        from_: date | str,
        to: date | str,
        *,
        streams: Sequence[Stream] | None = None,
        format: Format | None = None,
        numbers: Literal["decimal", "float"] | None = None,
        as_of: Time | None = None,
        idempotency_key: str | None = None,
    ) -> Sequence[Export]:
        """Creates an export for each day of a range that has data: all of them, or none."""
        target = _target(series=series, from_=from_, to=to, split="day")
        body = {**target, "streams": _listed(streams), "format": format, "numbers": numbers}
        call = Call(operation="createExport", body=body, as_of=as_of, idempotency_key=idempotency_key)
        group = self._transport.get(ExportGroup, call)
        return [Export(self._transport, data) for data in group.exports]

    def quote(
        self,
        *,
        event: str | None = None,
        ticker: str | None = None,
        series: str | None = None,
        day: date | str | None = None,
        from_: date | str | None = None,
        to: date | str | None = None,
        events: Sequence[str] | None = None,
        tickers: Sequence[str] | None = None,
        dataset: str | None = None,
        streams: Sequence[Stream] | None = None,
        format: Format | None = None,
        as_of: Time | None = None,
    ) -> ExportQuote:
        """What an export would cost and how large it would be. Creates nothing."""
        target = _target(event=event, ticker=ticker, series=series, day=day, from_=from_, to=to, events=events, tickers=tickers, dataset=dataset)
        body = {**target, "streams": _listed(streams), "format": format}
        return self._transport.get(ExportQuote, Call(operation="createExport", query={"dry_run": True}, body=body, as_of=as_of))

    def get(self, export_id: str) -> Export:
        """An export of the account by its id."""
        call = Call(operation="getExport", path={"export_id": export_id})
        return Export(self._transport, self._transport.get(ExportResponse, call))

    def wait(self, export_id: str, *, deadline_s: float = _WAIT_S, progress: ShowProgress = False) -> Export:
        """Waits until the export with this id is ready."""
        return Export(self._transport, wait_for_export(self._transport, export_id, deadline_s=deadline_s, progress=progress))

    def cancel(self, export_id: str) -> Export:
        """Cancels a pending export and gives back its credit and quota."""
        call = Call(operation="cancelExport", path={"export_id": export_id})
        return Export(self._transport, self._transport.get(ExportResponse, call))

    def list(
        self, *, status: str | None = None, group: str | None = None, limit: int | None = None, as_of: Time | None = None
    ) -> Pages[ExportListResponse, ExportListItem]:
        """The exports of the account, newest first. With `as_of`, those as of that time or earlier."""
        call = Call(operation="listExports", query={"status": status, "group": group, "limit": limit}, as_of=as_of)
        return Pages(self._transport, call, kind=ExportListResponse, items="exports", item=ExportListItem, next_by="cursor")

    def formats(self) -> ExportFormatsResponse:
        """The file formats."""
        return self._transport.get(ExportFormatsResponse, Call(operation="listExportFormats"))


class Datasets:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, dataset_id: str, *, as_of: Time | None = None) -> DatasetResponse:
        """What a file contains and how to cite it. Any key can read any dataset. With `as_of`, only one as of that time or earlier exists."""
        call = Call(operation="getDataset", path={"dataset_id": dataset_id}, as_of=as_of)
        return self._transport.get(DatasetResponse, call)

    def metadata(self, dataset_id: str, standard: Literal["croissant", "datacite"]) -> dict[str, Any]:
        """The metadata of a file in a standard: Croissant for loaders and catalogues, or what DataCite registers."""
        call = Call(operation="getDataset", path={"dataset_id": dataset_id}, query={"format": standard})
        answer: dict[str, Any] = self._transport.json(call)
        return answer


def _listed(streams: Sequence[Stream] | None) -> Any:
    refuse_text("streams", streams)
    return None if streams is None else [*streams]


def _target(**values: object) -> dict[str, Any]:
    """The fields of a target as JSON has them. The server says what is wrong with their combination."""
    target: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
    for name in ("day", "from_", "to"):
        value = target.get(name)
        if isinstance(value, (date, str)):
            target[name] = day_text(value)
        elif value is not None:
            raise invalid_options(f"{name} is {value!r}.", "Pass a date, or a text such as 2026-02-25.")
    for name in ("events", "tickers"):
        value = target.get(name)
        refuse_text(name, value)
        if isinstance(value, Sequence):
            target[name] = [*value]
    return target
