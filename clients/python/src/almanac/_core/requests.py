"""A request as data, without any input or output."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from typing import Any, Mapping
from urllib.parse import quote, urlencode

from ..errors import AlmanacError, invalid_options
from .config import VERSION, Config
from .operations import OPERATIONS
from .times import Time, from_micros, to_micros, to_unix_text
from .wording import in_own_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of an operation. Values of None are not sent."""

    operation: str
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    as_of: Time | None = None
    deadline_s: float | None = None
    idempotency_key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    reads_on: bool = False
    """The client sends further calls for what this one leaves out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The same bytes for every attempt, so that a retry is the same request."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None


def prepare(call: Call, config: Config) -> Prepared:
    operation = OPERATIONS[call.operation]
    query, body = _sent(call.query), None if call.body is None else _sent(call.body)
    for values in (call.path, query, body or {}):
        _refuse_halves(values)
    as_of = _as_of(call, config)
    if as_of is not None and body is not None:
        body["as_of"] = as_of / 1_000_000
    elif as_of is not None:
        query["as_of"] = to_unix_text(from_micros(as_of))
    path = operation.path
    for name, value in call.path.items():
        path = path.replace(f"{{{name}}}", quote(_segment(name, value), safe=""))
    headers = {
        "Authorization": f"Bearer {config.api_key}",
        "User-Agent": f"almanac-python/{VERSION}",
        "Accept": "application/json",
        **call.headers,
    }
    if config.strict:
        headers["Prefer"] = "handling=strict"
    if operation.method == "POST":
        # One key for all attempts of the call, so that a repeated one has no second effect.
        headers["Idempotency-Key"] = call.idempotency_key or str(uuid.uuid4())
    if body is not None:
        headers["Content-Type"] = "application/json"
    text = urlencode({name: _query_text(name, value) for name, value in query.items()})
    return Prepared(
        method=operation.method,
        url=f"{config.base_url}{path}" + (f"?{text}" if text else ""),
        headers=headers,
        content=None if body is None else json.dumps(body).encode(),
    )


def _as_of(call: Call, config: Config) -> int | None:
    """The point in time of the request, in microseconds. A request that cannot answer as of it is refused, because it would look ahead."""
    operation = OPERATIONS[call.operation]
    if operation.as_of == "taken":
        of_call = None if call.as_of is None else to_micros(call.as_of)
        if of_call is not None and config.as_of is not None and of_call > config.as_of:
            raise invalid_options(
                f"as_of of the call ({from_micros(of_call)}) is later than that of the client ({from_micros(config.as_of)}).", "Pass an earlier time, or use another client."
            )
        return config.as_of if of_call is None else of_call
    if config.as_of is not None and operation.as_of == "refused":
        raise AlmanacError(
            "as_of_unsupported",
            in_own_words(f"{operation.method} {operation.path} cannot answer as of a time, so it could show what was not known then."),
            "Use a client without as_of for this call.",
        )
    return None


def _refuse_halves(values: Mapping[str, Any]) -> None:
    """Half of a pair of UTF-16 is no text: it has no bytes to send. Names of files that are not UTF-8 have such."""
    for name, value in values.items():
        if isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
            raise invalid_options(f"{name} is {value!r}, which is no valid text.", "Decode it from the encoding that it has.")


def _segment(name: str, value: str) -> str:
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise invalid_options(f"{value!r} is not a {name}.", "Find ids with client.search().")
    return value


def _sent(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name.rstrip("_"): value for name, value in values.items() if value is not None}


def _query_text(name: str, value: Any) -> str:
    if name.endswith("_ts"):
        return to_unix_text(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
