# Made by `npm run docs:make` from _async/transport.py; do not edit.
"""Sends calls: deadlines, retries and errors. Everything that a request or an answer means is in `_core`."""

from __future__ import annotations

from time import sleep
from contextlib import contextmanager
from typing import Any, Iterator, NoReturn, TypeVar

import httpx

from .._core.answers import connection_error, error_of, parse_json
from .._core.config import Config
from .._core.connections import Owner, owner_of
from .._core.deadline import Deadline
from .._core.decode import decode
from .._core.notices import log_pause, warn_of_notices
from .._core.requests import Call, Prepared, prepare
from .._core.retry import retry_delay_s
from ..errors import AlmanacError, ConnectionError, in_debug, invalid_options

__all__ = ["Transport", "sleep"]
T = TypeVar("T")


def _new_http() -> httpx.Client:
    """It reads the variables of proxies and certificates."""
    try:
        return httpx.Client()
    except (ImportError, ValueError, OSError) as error:
        raise invalid_options(
            f"The connection cannot be made ({error}).", "Check the variables HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, SSL_CERT_FILE and SSL_CERT_DIR."
        ) from error


class Transport:
    def __init__(self, config: Config, http: httpx.Client | None) -> None:
        self.config = config
        self._owns_http = http is None
        self._http = http or _new_http()
        self._owner: Owner | None = None

    def __reduce__(self) -> NoReturn:
        raise TypeError("A client has connections and a key, so it cannot be pickled. Make one in each process.")

    def close(self) -> None:
        if self._owns_http and (self._owner is None or self._owner == owner_of(self._http)):
            self._http.close()

    def _connected(self) -> httpx.Client:
        """
        A fork has copies of the sockets of its parent. If both read from them, each gets answers of the other. And connections
        end with their loop of asyncio. So each process and loop opens its own.
        """
        owner = owner_of(self._http)
        last, self._owner = self._owner, owner
        if last is None or last == owner:
            return self._http
        if self._owns_http:
            self._http = _new_http()
        elif last[0] != owner[0]:
            self._owner = last
            raise invalid_options("The connections of `http` are those of another process.", "Make a client after the fork.")
        return self._http

    def get(self, kind: type[T], call: Call) -> T:
        """The answer of a call as a dataclass."""
        return decode(kind, self.json(call), self.config.numbers)

    def json(self, call: Call) -> Any:
        """The answer of a call as parsed JSON."""
        _, content = self.answer(call)
        return parse_json(content, self.config)

    def answer(self, call: Call) -> tuple[httpx.Headers, bytes]:
        """The headers and the body of a successful answer."""
        deadline = Deadline(call.deadline_s or self.config.deadline_s)
        prepared = prepare(call, self.config)
        attempt = 1
        while True:
            try:
                headers, content = self._attempt(prepared, deadline)
                warn_of_notices(headers, reads_on=call.reads_on)
                return headers, content
            except AlmanacError as error:
                delay = retry_delay_s(error, attempt=attempt, retries=self.config.max_retries, left_s=deadline.left_s())
                is_lost = isinstance(error, ConnectionError) and error.is_transient
                if delay is None and is_lost and attempt <= self.config.max_retries:
                    # Only the deadline forbids another attempt.
                    raise deadline.error(error) from in_debug(error)
                if delay is None:
                    raise
                log_pause(error, delay, attempt)
            sleep(delay)
            attempt += 1

    def _attempt(self, prepared: Prepared, deadline: Deadline) -> tuple[httpx.Headers, bytes]:
        try:
            with self._open(prepared, min(deadline.check(), self.config.timeout_s)) as response:
                parts = []
                for part in response.iter_bytes():
                    parts.append(part)
                    # A server that sends a byte now and then never runs into the timeout of a single read.
                    deadline.check()
        except httpx.TimeoutException as error:
            if deadline.left_s() <= 0:
                raise deadline.error() from in_debug(error)
            raise connection_error(error, self.config) from in_debug(error)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise connection_error(error, self.config) from in_debug(error)
        content = b"".join(parts)
        if response.status_code != 200:
            raise error_of(response.status_code, response.headers, content)
        return response.headers, content

    @contextmanager
    def _open(self, prepared: Prepared, timeout_s: float) -> Iterator[httpx.Response]:
        try:
            http = self._connected()
            request = http.build_request(
                prepared.method,
                prepared.url,
                headers=dict(prepared.headers),
                content=prepared.content,
                timeout=httpx.Timeout(timeout_s, connect=min(timeout_s, 10.0)),
            )
        except (httpx.InvalidURL, UnicodeError, ValueError) as error:
            raise invalid_options(f"The request cannot be sent ({error}).", "Check base_url and api_key.") from error
        response = http.send(request, stream=True)
        try:
            yield response
        finally:
            response.close()

    @contextmanager
    def stream(self, call: Call, *, idle_s: float) -> Iterator[httpx.Response]:
        """
        Opens a long answer. Until its headers, it is retried as any call. After them, `idle_s` is the longest pause between two
        reads, and a lost connection raises ConnectionError.
        """
        deadline = Deadline(call.deadline_s or self.config.deadline_s)
        prepared = prepare(call, self.config)
        attempt = 1
        while True:
            # Errors of the caller's own block must not look like those of the connection.
            is_open = False
            try:
                with self._open(prepared, idle_s) as response:
                    if response.status_code not in (200, 204, 206):
                        raise error_of(response.status_code, response.headers, response.read())
                    warn_of_notices(response.headers, reads_on=call.reads_on)
                    is_open = True
                    yield response
                    return
            except httpx.TimeoutException as error:
                detail = f"The server sent nothing for {idle_s:g} s."
                failure: AlmanacError = ConnectionError("connection_failed", detail, "Try again.", is_transient=True)
                failure.__cause__ = in_debug(error)
            except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
                failure = connection_error(error, self.config)
                failure.__cause__ = in_debug(error)
            except AlmanacError as error:
                failure = error
            if is_open:
                raise failure
            delay = retry_delay_s(failure, attempt=attempt, retries=self.config.max_retries, left_s=deadline.left_s())
            if delay is None:
                raise failure
            log_pause(failure, delay, attempt)
            sleep(delay)
            attempt += 1

