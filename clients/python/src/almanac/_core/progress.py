"""Progress of long work: a bar of tqdm where it is installed, or a function of the caller."""

from __future__ import annotations

from importlib import import_module
from types import TracebackType
from typing import Any, Callable, NamedTuple, Union


class Progress(NamedTuple):
    done: float
    total: float | None
    unit: str


ShowProgress = Union[bool, Callable[[Progress], None]]
"""True for a bar, or a function that gets every `Progress`."""


class ProgressBar:
    def __init__(self, show: ShowProgress, *, title: str, unit: str) -> None:
        self._show = show if callable(show) else None
        self._unit = unit
        self._bar: Any = _tqdm(title, unit) if show is True else None

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.close()

    def show(self, done: float, total: float | None) -> None:
        if self._show is not None:
            self._show(Progress(done, total, self._unit))
        if self._bar is not None:
            self._bar.total = total
            self._bar.n = done
            self._bar.refresh()


def _tqdm(title: str, unit: str) -> Any:
    """Without tqdm there is no bar. Progress is no reason to fail."""
    try:
        module = import_module("tqdm")
    except ImportError:
        return None
    return module.tqdm(desc=title, unit=unit, unit_scale=True, leave=False)
