"""What an answer does not show by itself becomes a warning, and a long pause a line of the log."""

from __future__ import annotations

import logging
import re
import sys
import warnings
from typing import Mapping
from urllib.parse import unquote

from ..errors import AlmanacError, AlmanacWarning
from .wording import in_own_words

log = logging.getLogger("almanac")
# A shorter pause needs no explanation.
_SILENT_S = 2.0
_TEXT = r'"(?:[^"\\]|\\.)*"'
_ITEM = re.compile(rf"([a-z][\w.-]*)((?:;\w+={_TEXT})*)")
_PARAMETER = re.compile(rf";(\w+)=({_TEXT})")


def notices_in(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    """The code and the sentence of each notice in `Almanac-Notice`, a list of structured fields. Every media type has it."""
    found = []
    for code, parameters in _ITEM.findall(headers.get("almanac-notice", "")):
        values = {name: unquote(re.sub(r"\\(.)", r"\1", text[1:-1])) for name, text in _PARAMETER.findall(parameters)}
        if "detail" in values:
            found.append((code, values["detail"]))
    return found


def warn_of_notices(headers: Mapping[str, str], *, reads_on: bool) -> None:
    """A client that reads on by itself has not lost what a cut window leaves out."""
    for code, detail in notices_in(headers):
        if not (reads_on and code == "window_clamped"):
            warnings.warn(in_own_words(detail), AlmanacWarning, stacklevel=_level_of_caller())


def log_pause(error: AlmanacError, delay_s: float, attempt: int) -> None:
    """`attempt` is the number of the one that failed."""
    if delay_s > _SILENT_S:
        log.warning("Waiting %.0f s, then attempt %d: %s", delay_s, attempt + 1, error.detail)


def _level_of_caller() -> int:
    """A warning names the line of the program, and not one of this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("almanac", "contextlib"):
        level, frame = level + 1, frame.f_back
    return level
