# Made by `npm run docs:make` from _async/test_account.py; do not edit.
"""Cart, plan and keys."""

from __future__ import annotations

import pytest

import almanac
from almanac import Almanac
from conftest import System


def test_the_plan_and_the_keys_of_the_account(system: System) -> None:
    with Almanac(system.key, system.base_url) as client:
        plan = client.plan.get()
        assert plan.plan.id == "full_book" and plan.entitlements.full_book
        created = client.keys.create("notebook", as_of=1_700_000_000)
        assert created.secret is not None and created.as_of is not None
        assert created.id in [key.id for key in client.keys.list()]
        with Almanac(created.secret, system.base_url) as other:
            assert (other.plan.get()).plan.id == "full_book"
        assert (client.keys.revoke(created.id)).status == "revoked"


def test_the_same_idempotency_key_creates_one_key(system: System) -> None:
    with Almanac(system.key, system.base_url) as client:
        first = client.keys.create("once", idempotency_key="once-async")
        again = client.keys.create("once", idempotency_key="once-async")
        assert again.id == first.id and again.secret is None and again.secret_already_shown
        client.keys.revoke(first.id)


def test_the_cart_and_what_a_plan_does_not_cover(system: System) -> None:
    with Almanac(system.free_key, system.base_url) as client:
        event = (client.series.get("GENBTC15M", limit=1)).markets[0].event_ticker
        assert event is not None
        assert (client.cart.add(event)).count == 1
        assert (client.cart.get()).items[0].event == event
        assert (client.cart.remove(event)).count == 0
        with pytest.raises(almanac.ApiError) as raised:
            client.cart.checkout()
        assert raised.value.code == "cart_empty"
        quote = client.exports.quote(event=event)
        assert quote.dry_run and quote.markets == 1
        with pytest.raises(almanac.ApiError) as raised:
            client.billing.upgrade("nothing")  # type: ignore[arg-type]
        assert raised.value.status == 422 and raised.value.fields[0]["loc"] == ["body", "tier_id"]
