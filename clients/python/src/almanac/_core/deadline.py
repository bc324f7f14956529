"""The time that is left for a call, with all its retries."""

from __future__ import annotations

from time import monotonic

from ..errors import AlmanacError, ConnectionError


class Deadline:
    def __init__(self, deadline_s: float) -> None:
        self._deadline_s = deadline_s
        self._end = monotonic() + deadline_s

    def left_s(self) -> float:
        return self._end - monotonic()

    def check(self) -> float:
        """The seconds that are left. Raises `deadline_exceeded` if there are none."""
        left = self.left_s()
        if left <= 0:
            raise self.error()
        return left

    def error(self, last: AlmanacError | None = None) -> ConnectionError:
        """`last` is what failed last."""
        detail, remedy = f"The call did not end within {self._deadline_s:g} s.", "Raise deadline_s."
        # The deadline of a request within a wait says nothing more.
        if last is not None and last.code != "deadline_exceeded":
            detail, remedy = f"{detail} The last attempt failed: {last.detail}", f"{remedy} {last.remedy}"
        return ConnectionError("deadline_exceeded", detail, remedy)
