"""Times: aware datetimes for users, Unix seconds on the wire, integer microseconds inside."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Union

from ..errors import invalid_options

Time = Union[datetime, int, float, Decimal, str]
"""An aware datetime, Unix seconds, or a text such as `2026-02-25T04:30:00Z`."""

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)


def now() -> datetime:
    return datetime.now(timezone.utc)


def from_unix(seconds: int | float | Decimal) -> datetime:
    """An aware datetime in UTC, exact to the microsecond."""
    return EPOCH + timedelta(microseconds=micros_of(seconds))


def micros_of(seconds: int | float | Decimal) -> int:
    """Microseconds. A float of Unix seconds is a quarter of a microsecond exact, so it rounds to the right one."""
    return round(seconds * 1_000_000)


def from_micros(micros: int) -> datetime:
    return EPOCH + timedelta(microseconds=micros)


def to_micros(time: Time) -> int:
    """Microseconds of a time as users write it."""
    if isinstance(time, str):
        time = _parsed(time)
    if isinstance(time, bool) or not isinstance(time, (datetime, int, float, Decimal)):
        raise invalid_options(f"{time!r} is not a time.", "Pass an aware datetime or Unix seconds.")
    if isinstance(time, datetime):
        if time.tzinfo is None:
            raise invalid_options(
                f"{time!r} has no time zone.", "Pass an aware datetime, such as datetime(2026, 2, 25, tzinfo=timezone.utc)."
            )
        return (time - EPOCH) // _MICROSECOND
    try:
        return micros_of(time)
    except (ValueError, OverflowError, ArithmeticError) as error:
        raise invalid_options(f"{time!r} is not a time.", "Pass a finite number of Unix seconds.") from error


def _parsed(text: str) -> datetime:
    try:
        # Python 3.10 does not know the Z.
        return datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)
    except ValueError as error:
        raise invalid_options(f"{text!r} is not a time.", "Write it as 2026-02-25T04:30:00Z.") from error


def to_unix_text(time: Time) -> str:
    """Unix seconds as decimal text without a float in between."""
    micros = to_micros(time)
    sign, rest = ("-", -micros) if micros < 0 else ("", micros)
    whole, fraction = divmod(rest, 1_000_000)
    return f"{sign}{whole}" + (f".{fraction:06d}".rstrip("0") if fraction else "")


def to_whole_seconds(time: Time) -> int:
    """For `as_of`, which has whole seconds: never a later one."""
    return to_micros(time) // 1_000_000


def day_text(day: date | str) -> str:
    """A UTC calendar day."""
    if isinstance(day, datetime):
        return from_micros(to_micros(day)).date().isoformat()
    return day.isoformat() if isinstance(day, date) else day
