"""Times: aware datetimes for users, Unix seconds on the wire, integer microseconds inside."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Union

from ..errors import invalid_options

if TYPE_CHECKING:
    import numpy

Time = Union[datetime, date, int, float, Decimal, str, "numpy.datetime64", "numpy.integer", "numpy.floating"]
"""
A datetime or `pandas.Timestamp`, a date (its midnight), a `numpy.datetime64`, Unix seconds as any number, or a text such as
`2026-02-25T04:30:00Z` or `2026-02-25`. It is UTC where no zone is given.
"""

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


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
    if isinstance(time, date):
        return _micros_of_date(time)
    if type(time).__module__ == "numpy" and type(time).__name__ == "datetime64":
        return _micros_of_datetime64(time)
    try:
        if isinstance(time, bool):
            raise TypeError("a bool")
        if isinstance(time, Integral):
            return int(time) * 1_000_000
        if isinstance(time, (float, Decimal)):
            return micros_of(time)
    except (TypeError, ValueError, OverflowError, ArithmeticError) as error:
        raise invalid_options(f"{time!r} is not a time.", "Pass a finite number of Unix seconds, or a datetime.") from error
    if isinstance(time, Real):
        raise invalid_options(
            f"{time!r} has too few digits for a time.", "Pass Unix seconds as a 64-bit number: a 32-bit one is minutes off."
        )
    raise invalid_options(f"{time!r} is not a time.", "Pass a datetime, a date, Unix seconds, or a text such as 2026-02-25T04:30:00Z.")


def _micros_of_date(day: date) -> int:
    """A datetime without a zone is UTC, and a date is its midnight."""
    time = day if isinstance(day, datetime) else datetime(day.year, day.month, day.day)
    # pandas.NaT is a datetime that equals nothing.
    if time != time:
        raise invalid_options(f"{day!r} is not a time.", "Leave missing times out.")
    return (time - EPOCH if time.tzinfo else time.replace(tzinfo=timezone.utc) - EPOCH) // _MICROSECOND


def _micros_of_datetime64(time: Any) -> int:
    """numpy has no zones: its times are UTC."""
    import numpy

    if numpy.isnat(time):
        raise invalid_options(f"{time!r} is not a time.", "Leave missing times out.")
    return int(numpy.datetime64(time, "us").astype("int64"))


def _parsed(text: str) -> datetime:
    try:
        # From 3.11 on, Python reads 13 digits, as milliseconds are, as a day of the year 1771.
        if not _DAY.match(text):
            raise ValueError("no day")
        # Python 3.10 does not know the Z.
        return datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith(("Z", "z")) else text)
    except ValueError as error:
        raise invalid_options(f"{text!r} is not a time.", "Write it as 2026-02-25T04:30:00Z or 2026-02-25, and Unix seconds as a number.") from error


def to_unix_text(time: Time) -> str:
    """Unix seconds as decimal text without a float in between."""
    micros = to_micros(time)
    sign, rest = ("-", -micros) if micros < 0 else ("", micros)
    whole, fraction = divmod(rest, 1_000_000)
    return f"{sign}{whole}" + (f".{fraction:06d}".rstrip("0") if fraction else "")


def to_seconds(time: Time) -> float:
    """JSON has no other numbers than these: exact to the microsecond for times of this century."""
    return to_micros(time) / 1_000_000


def day_text(day: Time) -> str:
    """The UTC calendar day of a time. A text is sent as it is."""
    return day if isinstance(day, str) else from_micros(to_micros(day)).date().isoformat()
