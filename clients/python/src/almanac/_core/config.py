"""The options of a client."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from ..errors import invalid_options
from .times import Time, from_micros, to_micros

VERSION = "0.1.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    base_url: str
    api_key: str
    as_of: int | None
    """In microseconds."""
    strict: bool
    timeout_s: float
    deadline_s: float
    max_retries: int
    numbers: Literal["float", "decimal"]

    def __repr__(self) -> str:
        """Without the key, which would end up in logs."""
        as_of = None if self.as_of is None else from_micros(self.as_of).isoformat()
        return f"Config(base_url={self.base_url!r}, as_of={as_of!r}, numbers={self.numbers!r})"


def make_config(
    *,
    api_key: str | None,
    base_url: str | None,
    as_of: Time | None,
    strict: bool,
    timeout_s: float,
    deadline_s: float,
    max_retries: int,
    numbers: Literal["float", "decimal"],
) -> Config:
    if timeout_s <= 0 or deadline_s <= 0 or max_retries < 0:
        raise invalid_options("timeout_s, deadline_s or max_retries is too small.", "Pass seconds above 0, and at least 0 retries.")
    if numbers not in ("float", "decimal"):
        raise invalid_options(f"numbers is {numbers!r}.", "Pass 'float' or 'decimal'.")
    return Config(
        base_url=_base_url(base_url or os.environ.get("ALMANAC_BASE_URL") or ""),
        api_key=_api_key(api_key or os.environ.get("ALMANAC_API_KEY") or ""),
        as_of=None if as_of is None else to_micros(as_of),
        strict=strict,
        timeout_s=timeout_s,
        deadline_s=deadline_s,
        max_retries=max_retries,
        numbers=numbers,
    )


def _api_key(text: str) -> str:
    key = text.strip()
    if key == "":
        raise invalid_options("No API key is set.", "Pass api_key, or set the variable ALMANAC_API_KEY.")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise invalid_options("The API key has characters that no key has.", "Copy the whole key, which begins with ak_live_.")
    return key


def _base_url(text: str) -> str:
    remedy = "Pass base_url, such as http://127.0.0.1:8080, or set the variable ALMANAC_BASE_URL."
    if text.strip() == "":
        raise invalid_options("The address of the server is missing.", remedy)
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError as error:
        raise invalid_options(f"base_url {text!r} is not an address.", remedy) from error
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or port == 0:
        raise invalid_options(f"base_url {text!r} is not an address.", remedy)
    return text.strip().rstrip("/").removesuffix("/api/v1").rstrip("/")
