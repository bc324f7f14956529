# Made by `npm run docs:make` from _async/account.py; do not edit.
"""Cart, plan, billing and keys."""

from __future__ import annotations

from typing import Literal

from .._core.requests import Call
from .._core.times import Time, to_seconds
from ..models import (
    ApiKey,
    CartResponse,
    CheckoutResponse,
    CreatedApiKey,
    KeysResponse,
    PlanResponse,
    PortalResponse,
    UpgradeResponse,
)
from .pages import Pages
from .transport import Transport


class Cart:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self) -> CartResponse:
        """The events in the cart at their current prices."""
        return self._transport.get(CartResponse, Call(operation="getCart"))

    def add(self, event: str) -> CartResponse:
        """Adds an event. `already_unlocked` says that you own it already."""
        return self._transport.get(CartResponse, Call(operation="addToCart", body={"event": event}))

    def remove(self, event: str) -> CartResponse:
        """Removes an event, if it is in the cart."""
        return self._transport.get(CartResponse, Call(operation="removeFromCart", path={"event_id": event}))

    def checkout(self, *, idempotency_key: str | None = None) -> CheckoutResponse:
        """Buys what is in the cart, or returns the address where to pay."""
        return self._transport.get(CheckoutResponse, Call(operation="checkOut", idempotency_key=idempotency_key))


class Plan:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self) -> PlanResponse:
        """The plan, its limits and their use, and the free export credit."""
        return self._transport.get(PlanResponse, Call(operation="getPlan"))


class Billing:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def upgrade(self, tier_id: Literal["pro", "full_book"], *, idempotency_key: str | None = None) -> UpgradeResponse:
        """Starts the upgrade to a plan."""
        call = Call(operation="upgradePlan", body={"tier_id": tier_id}, idempotency_key=idempotency_key)
        return self._transport.get(UpgradeResponse, call)

    def portal(self) -> PortalResponse:
        """The address of the payment provider's customer portal."""
        return self._transport.get(PortalResponse, Call(operation="openPortal"))


class Keys:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> Pages[KeysResponse, ApiKey]:
        """The keys of the account, without their secrets."""
        return Pages(self._transport, Call(operation="listKeys"), kind=KeysResponse, items="keys", item=ApiKey, next_by="cursor")

    def create(self, name: str = "default", *, as_of: Time | None = None, idempotency_key: str | None = None) -> CreatedApiKey:
        """Creates a key. `secret` is returned only now. With `as_of`, the key cannot look ahead of that time."""
        body = {"name": name, "as_of": None if as_of is None else to_seconds(as_of)}
        return self._transport.get(CreatedApiKey, Call(operation="createKey", body=body, idempotency_key=idempotency_key))

    def revoke(self, key_id: str) -> ApiKey:
        """Revokes a key. It is refused within a second."""
        return self._transport.get(ApiKey, Call(operation="revokeKey", path={"key_id": key_id}))
