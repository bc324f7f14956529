"""Almanac: a research API over an archive of prediction-market data."""

from . import models
from ._async.client import AsyncAlmanac
from ._async.exports import AsyncExport
from ._async.pages import AsyncPages
from ._core.config import VERSION as __version__
from ._core.progress import Progress
from ._core.times import Time
from ._sync.client import Almanac
from ._sync.exports import Export
from ._sync.pages import Pages
from .errors import AlmanacError, ApiError, ConnectionError, ExportError, FileError

__all__ = [
    "Almanac",
    "AlmanacError",
    "ApiError",
    "AsyncAlmanac",
    "AsyncExport",
    "AsyncPages",
    "ConnectionError",
    "Export",
    "ExportError",
    "FileError",
    "Pages",
    "Progress",
    "Time",
    "__version__",
    "models",
]
