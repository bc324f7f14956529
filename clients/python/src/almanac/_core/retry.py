"""When to send a request again, and when to give up."""

from __future__ import annotations

import random
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Mapping

from ..errors import AlmanacError, ApiError, ConnectionError

_FIRST_S = 0.25
_LONGEST_S = 10.0
_RETRIED = (429, 502, 503, 504)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds of `Retry-After`. A date counts from the server's own clock, since that of this machine can be wrong."""
    text = headers.get("retry-after", "").strip()
    if text == "":
        return None
    if text.replace(".", "", 1).isdigit():
        return float(text)
    now = server_time(headers)
    try:
        return None if now is None else max(0.0, (parsedate_to_datetime(text) - now).total_seconds())
    except (TypeError, ValueError):
        return None


def server_time(headers: Mapping[str, str]) -> datetime | None:
    """What the clock of the server showed."""
    try:
        time = parsedate_to_datetime(headers["date"])
    except (KeyError, TypeError, ValueError):
        return None
    return time.replace(tzinfo=timezone.utc) if time.tzinfo is None else time


def is_transient(error: AlmanacError) -> bool:
    """Whether the same request can succeed later."""
    if isinstance(error, ApiError):
        return error.status in _RETRIED
    return isinstance(error, ConnectionError) and error.is_transient


def retry_delay_s(error: AlmanacError, *, attempt: int, retries: int, left_s: float) -> float | None:
    """Seconds until the next attempt, or None to give up. `attempt` counts from 1, and `left_s` is until the deadline."""
    if attempt > retries or not is_transient(error):
        return None
    ceiling = min(_LONGEST_S, _FIRST_S * 2 ** (attempt - 1))
    requested = error.retry_after_s if isinstance(error, ApiError) else None
    # Everybody who was refused at the same moment must not come back at the same moment.
    delay = (requested or 0.0) + random.uniform(ceiling / 2, ceiling)
    return delay if delay < left_s else None

