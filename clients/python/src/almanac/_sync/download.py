# Made by `npm run docs:make` from _async/download.py; do not edit.
"""Downloads the file of an export: resumed after a loss, verified, then renamed."""

from __future__ import annotations

import os
import time
from pathlib import Path

from .._core.notices import log_pause
from .._core.files import PartFile, is_whole, refuse_devices, refuse_other_parts, starts_at, target_path
from .._core.progress import ProgressBar, ShowProgress
from .._core.requests import Call
from .._core.retry import is_transient, retry_delay_s
from ..errors import AlmanacError, FileError
from ..models import ExportResponse
from .transport import Transport, sleep

_IDLE_S = 60.0
# A file that is lost is made again, which takes as long as its export.
_RESTORING_S = 3_600.0


def download_export(
    transport: Transport,
    export: ExportResponse,
    path: str | os.PathLike[str] | None,
    *,
    overwrite: bool,
    progress: ShowProgress,
) -> Path:
    if export.status != "ready" or export.sha256 is None:
        raise FileError(f"export_{export.status}", f"Export {export.id} is {export.status}, so it has no file.", "Create the export again.")
    target = target_path(path, export.filename or export.id)
    if is_whole(target, export.bytes, export.sha256):
        return target
    if target.exists() and not overwrite:
        raise FileError("file_conflict", f"{target} is another file.", "Choose another name, or pass overwrite=True.")
    refuse_devices(target)
    refuse_other_parts(target, export.sha256, overwrite=overwrite)
    with PartFile(target, export.bytes, export.sha256) as part, ProgressBar(progress, title=target.name, unit="B") as bar:
        resumed = part.done > 0
        _fetch(transport, export.id, part, bar)
        if not part.is_right() and resumed:
            # What an earlier download left can be damaged. The file itself is not.
            part.restart()
            _fetch(transport, export.id, part, bar)
        if not part.is_right():
            part.discard()
            raise FileError(
                "file_mismatch",
                f"The bytes of export {export.id} are damaged: they do not have the SHA-256 {export.sha256}.",
                "Nothing was stored. Download the file again. If it happens again, report the export.",
            )
        return part.keep()


def _fetch(transport: Transport, export_id: str, part: PartFile, bar: ProgressBar) -> None:
    """Reads until the file has all its bytes. Every byte that arrives resets the count of failures."""
    failures = 0
    restored_by = time.monotonic() + _RESTORING_S
    while part.done < part.size:
        before = part.done
        try:
            _fetch_once(transport, export_id, part, bar)
            if part.done > before:
                failures = 0
                continue
            raise FileError("file_mismatch", f"The server sent no byte of export {export_id}.", "Download it again.")
        except AlmanacError as error:
            if error.code == "export_restoring":
                delay = retry_delay_s(error, attempt=1, retries=1, left_s=restored_by - time.monotonic())
            else:
                failures = 1 if part.done > before else failures + 1
                wait_s = transport.config.deadline_s
                delay = retry_delay_s(error, attempt=failures, retries=transport.config.max_retries, left_s=wait_s)
            if delay is None or not is_transient(error):
                raise
            log_pause(error, delay, max(1, failures))
        sleep(delay)


def _fetch_once(transport: Transport, export_id: str, part: PartFile, bar: ProgressBar) -> None:
    headers = {"Accept": "*/*", "Accept-Encoding": "identity"}
    if part.done > 0:
        headers |= {"Range": f"bytes={part.done}-", "If-Range": f'"{part.sha256}"'}
    call = Call(operation="downloadExport", path={"export_id": export_id}, headers=headers)
    with transport.stream(call, idle_s=_IDLE_S) as response:
        if starts_at(response.headers, response.status_code) != part.done:
            part.restart()
        if response.status_code == 206 and part.done == 0:
            raise FileError("file_mismatch", f"The server sent another part of export {export_id}.", "Download it again.")
        for chunk in response.iter_raw():
            if part.done + len(chunk) > part.size:
                part.restart()
                raise FileError("file_mismatch", f"Export {export_id} has more bytes than promised.", "Download it again.")
            part.write(chunk)
            bar.show(part.done, part.size)
