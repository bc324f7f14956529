"""Server-sent events, line by line."""

from __future__ import annotations

from typing import NamedTuple


class ServerEvent(NamedTuple):
    name: str
    data: str


class EventParser:
    """Feed it lines without their ends. `last_id` and `retry_s` are what a reconnection needs."""

    def __init__(self) -> None:
        self.last_id: str | None = None
        self.retry_s = 2.0
        self._name = ""
        self._data: list[str] = []

    def feed(self, line: str) -> ServerEvent | None:
        """The event that this line ends, if it ends one."""
        if line == "":
            return self._taken()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._name = value
        elif name == "id" and "\0" not in value:
            self.last_id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            self.retry_s = int(value) / 1000
        return None

    def reconnect(self) -> None:
        """Forgets the half event of a lost connection."""
        self._name, self._data = "", []

    def _taken(self) -> ServerEvent | None:
        event = ServerEvent(self._name or "message", "\n".join(self._data)) if self._data else None
        self._name, self._data = "", []
        return event
