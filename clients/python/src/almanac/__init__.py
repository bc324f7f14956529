"""Almanac: a research API over an archive of prediction-market data."""

from __future__ import annotations

import os
from typing import Any

from . import models
from ._async.client import AsyncAlmanac
from ._async.exports import AsyncExport, Format, Stream
from ._async.pages import AsyncPages
from ._core.config import VERSION as __version__
from ._core.local import replay
from ._core.progress import Progress
from ._core.replay import Gap, Observation, TradePrint
from ._core.times import Time
from ._core.webhooks import WebhookEvent, verify_webhook
from ._sync.client import Almanac
from ._sync.exports import Export
from ._sync.local import SyncResult
from ._sync.pages import Pages
from .errors import AlmanacError, AlmanacWarning, ApiError, ConnectionError, ExportError, FileError

__all__ = [
    "Almanac",
    "AlmanacError",
    "AlmanacWarning",
    "ApiError",
    "AsyncAlmanac",
    "AsyncExport",
    "AsyncPages",
    "ConnectionError",
    "Export",
    "ExportError",
    "FileError",
    "Format",
    "Gap",
    "Observation",
    "Pages",
    "Progress",
    "Stream",
    "SyncResult",
    "Time",
    "TradePrint",
    "WebhookEvent",
    "__version__",
    "models",
    "replay",
    "sync",
    "verify_webhook",
]


def sync(folder: str | os.PathLike[str], **options: Any) -> SyncResult:
    """`Almanac().sync(folder, …)`, with the key and the address of the environment."""
    with Almanac() as client:
        return client.sync(folder, **options)
