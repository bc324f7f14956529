"""The state of the system, for its operator."""

from __future__ import annotations

from .._core.requests import Call
from ..models import OperatorStatus
from .transport import AsyncTransport


class AsyncOperator:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def status(self) -> OperatorStatus:
        """Processes, streams with their backlog, dead letters, and faults with their remedies. Only for accounts of the operator."""
        return await self._transport.get(OperatorStatus, Call(operation="getOperatorStatus"))
