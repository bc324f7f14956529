# Made by `npm run docs:make` from _async/wait.py; do not edit.
"""Waits for the end of an export over server-sent events."""

from __future__ import annotations

import json

from .._core.deadline import Deadline
from .._core.decode import decode
from .._core.notices import log_pause
from .._core.progress import ProgressBar, ShowProgress
from .._core.requests import Call
from .._core.retry import is_transient, retry_delay_s
from .._core.sse import EventParser
from ..errors import AlmanacError, ApiError, ExportError, in_debug
from ..models import ExportResponse
from .transport import Transport, sleep

# The server sends a comment every 15 s.
_SILENCE_S = 45.0
# After this many streams without an event, a proxy probably does not pass them on.
_EMPTY_STREAMS = 3
_POLL_S = 2.0


def wait_for_export(
    transport: Transport, export_id: str, *, deadline_s: float, progress: ShowProgress
) -> ExportResponse:
    """Reconnects after every loss, and polls where events do not arrive."""
    deadline = Deadline(deadline_s)
    parser = EventParser()
    failures = empty = 0
    with ProgressBar(progress, title="Preparing", unit="rows") as bar:
        while True:
            try:
                if empty >= _EMPTY_STREAMS:
                    state: ExportResponse | None = _poll(transport, export_id, deadline)
                else:
                    state = _follow(transport, export_id, parser, deadline, bar)
                    empty = empty + 1 if state is None else 0
                if state is not None and state.status != "pending":
                    return _ready(state)
                failures = 0
                sleep(min(_POLL_S, deadline.check()))
            except AlmanacError as error:
                # A server that restarts is away for longer than a few retries of one call.
                delay = retry_delay_s(error, attempt=min(failures, 6) + 1, retries=7, left_s=deadline.left_s())
                if not is_transient(error):
                    raise
                if delay is None:
                    raise deadline.error(error) from in_debug(error)
                if isinstance(error, ApiError) and error.code == "too_many_streams":
                    empty = _EMPTY_STREAMS
                failures += 1
                log_pause(error, delay, failures)
                sleep(delay)


def _poll(transport: Transport, export_id: str, deadline: Deadline) -> ExportResponse:
    call = Call(operation="getExport", path={"export_id": export_id}, deadline_s=deadline.check())
    return transport.get(ExportResponse, call)


def _follow(
    transport: Transport, export_id: str, parser: EventParser, deadline: Deadline, bar: ProgressBar
) -> ExportResponse | None:
    """The last state of one stream. None if it ended without an event."""
    headers = {"Accept": "text/event-stream"}
    if parser.last_id is not None:
        headers["Last-Event-ID"] = parser.last_id
    parser.reconnect()
    call = Call(operation="streamExport", path={"export_id": export_id}, headers=headers, deadline_s=deadline.check())
    state: ExportResponse | None = None
    with transport.stream(call, idle_s=min(_SILENCE_S, deadline.check())) as response:
        # The end is known already, but its event was lost on the way.
        if response.status_code == 204:
            return _poll(transport, export_id, deadline)
        for line in response.iter_lines():
            event = parser.feed(line.rstrip("\r\n"))
            deadline.check()
            if event is None:
                continue
            state = decode(ExportResponse, json.loads(event.data), transport.config.numbers)
            bar.show(state.rows_done or 0, _rows(state))
            if state.status != "pending":
                return state
    return state


def _rows(state: ExportResponse) -> float | None:
    if state.row_count is not None:
        return state.row_count
    return round(state.rows_done / state.progress) if state.rows_done and state.progress else None


def _ready(state: ExportResponse) -> ExportResponse:
    if state.status == "ready":
        return state
    failed = state.status == "failed"
    detail = f"Export {state.id} failed: {state.error or 'no reason is stored'}." if failed else f"Export {state.id} was cancelled."
    raise ExportError(f"export_{state.status}", detail, "Create the export again. It has cost nothing.")
