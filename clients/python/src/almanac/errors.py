"""The errors of the client. Decide by `code`, which never changes. `remedy` says what to do."""

from __future__ import annotations

import sys
import traceback
from typing import Any, Mapping, Sequence


class AlmanacError(Exception):
    """
    Every error of this package. Codes of the client itself are `as_of_unsupported`, `certificate_refused`,
    `connection_failed`, `deadline_exceeded`, `disk_full`, `file_conflict`, `file_mismatch`, `file_unwritable`,
    `incomplete_answer`, `invalid_options`, `not_almanac`, `package_missing` and `webhook_invalid`. The others are those of
    the API.
    """

    request_id: str | None = None
    """Names the request in the logs of the server. None if no answer of the server arrived."""

    def __init__(self, code: str, detail: str, remedy: str = "", *, suffix: str = "") -> None:
        super().__init__(f"{code}: {detail} {remedy}".strip() + suffix)
        self.code = code
        self.detail = detail
        """What happened, for people."""
        self.remedy = remedy
        """What to do about it."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pools of processes pickle errors, and wait forever for one that cannot be read again."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[AlmanacError], args: tuple[Any, ...], state: Mapping[str, Any]) -> AlmanacError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class AlmanacWarning(UserWarning):
    """What an answer does not show by itself, such as the nearest rows of an empty window."""


class ApiError(AlmanacError):
    """The server refused the request or could not answer it."""

    def __init__(self, *, status: int, body: Mapping[str, Any], retry_after_s: float | None, detail: str, remedy: str) -> None:
        self.status = status
        self.body = body
        """The whole answer, such as `options` of a 402."""
        self.retry_after_s = retry_after_s
        """Seconds after which the same request can succeed. None if the server names none."""
        fields = body.get("detail")
        self.fields: Sequence[Mapping[str, Any]] = fields if isinstance(fields, list) else ()
        """The invalid fields of a status 422."""
        self.request_id = str(body.get("request_id", ""))
        notices = body.get("notices")
        self.notices: Sequence[Mapping[str, Any]] = notices if isinstance(notices, list) else ()
        """What the server adds, such as the Unix seconds of a date."""
        suffix = f" (status {status}, request {self.request_id})"
        super().__init__(str(body.get("code", "")), detail, remedy, suffix=suffix)


class ConnectionError(AlmanacError):
    """No answer of an Almanac server arrived: no connection, a deadline, or another server."""

    def __init__(self, code: str, detail: str, remedy: str = "", *, is_transient: bool = False) -> None:
        super().__init__(code, detail, remedy)
        self.is_transient = is_transient
        """Whether the same request can succeed a moment later."""

    def _render_traceback_(self) -> list[str]:
        """What notebooks show: the message says everything. `python -X dev` shows the whole traceback."""
        if sys.flags.dev_mode:
            return traceback.format_exception(self)
        return [f"{type(self).__module__}.{type(self).__name__}: {self}"]


class FileError(AlmanacError):
    """A file could not be stored, or its bytes are not those of the export."""


class ExportError(AlmanacError):
    """An export ended without a file. It costs nothing."""


def in_debug(error: BaseException) -> BaseException | None:
    """
    The cause of an error whose message says everything: a server that does not answer is one error, and not the chain of those
    below it. `python -X dev` shows the chain.
    """
    return error if sys.flags.dev_mode else None


def refuse_text(name: str, values: object) -> None:
    """One text is a sequence of letters, which is never meant."""
    if isinstance(values, str):
        raise invalid_options(f"{name} is one text.", f"Pass a list: [{values!r}].")


def invalid_options(detail: str, remedy: str = "") -> AlmanacError:
    """The error of arguments that no request can be made of."""
    return AlmanacError("invalid_options", detail, remedy)
