"""The state of the system, for its operator."""

from __future__ import annotations

from .._core.requests import Call
from ..models import OperatorHistory, OperatorStatus
from .transport import AsyncTransport


class AsyncOperator:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def status(self) -> OperatorStatus:
        """Processes, streams with their backlog, dead letters, and faults with their remedies. Only for accounts of the operator."""
        return await self._transport.get(OperatorStatus, Call(operation="getOperatorStatus"))

    async def history(self) -> OperatorHistory:
        """Requests, their duration, backlog, disk and memory of the last day, a sample a minute. Only for accounts of the operator."""
        return await self._transport.get(OperatorHistory, Call(operation="getOperatorHistory"))
