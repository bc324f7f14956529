"""Whose the open connections of a client are."""

from __future__ import annotations

import asyncio
import os

import httpx

Owner = tuple[int, "asyncio.AbstractEventLoop | None"]


def owner_of(http: httpx.Client | httpx.AsyncClient) -> Owner:
    """The process, and the loop of asyncio. In any other, the connections cannot be used."""
    return os.getpid(), asyncio.get_running_loop() if isinstance(http, httpx.AsyncClient) else None
