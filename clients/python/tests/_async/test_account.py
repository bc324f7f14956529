"""Cart, plan and keys."""

from __future__ import annotations

import pytest

import almanac
from almanac import AsyncAlmanac
from conftest import System


async def test_the_plan_and_the_keys_of_the_account(system: System) -> None:
    async with AsyncAlmanac(system.key, system.base_url) as client:
        plan = await client.plan.get()
        assert plan.plan.id == "full_book" and plan.entitlements.full_book
        created = await client.keys.create("notebook", as_of=1_700_000_000)
        assert created.secret is not None and created.as_of is not None
        assert created.id in [key.id async for key in client.keys.list()]
        async with AsyncAlmanac(created.secret, system.base_url) as other:
            assert (await other.plan.get()).plan.id == "full_book"
        assert (await client.keys.revoke(created.id)).status == "revoked"


async def test_the_same_idempotency_key_creates_one_key(system: System) -> None:
    async with AsyncAlmanac(system.key, system.base_url) as client:
        first = await client.keys.create("once", idempotency_key="once-async")
        again = await client.keys.create("once", idempotency_key="once-async")
        assert again.id == first.id and again.secret is None and again.secret_already_shown
        await client.keys.revoke(first.id)


async def test_the_cart_and_what_a_plan_does_not_cover(system: System) -> None:
    async with AsyncAlmanac(system.free_key, system.base_url) as client:
        event = (await client.series.get("GENBTC15M", limit=1)).markets[0].event_ticker
        assert event is not None
        assert (await client.cart.add(event)).count == 1
        assert (await client.cart.get()).items[0].event == event
        assert (await client.cart.remove(event)).count == 0
        with pytest.raises(almanac.ApiError) as raised:
            await client.cart.checkout()
        assert raised.value.code == "cart_empty"
        quote = await client.exports.quote(event=event)
        assert quote.dry_run and quote.markets == 1
        with pytest.raises(almanac.ApiError) as raised:
            await client.billing.upgrade("nothing")  # type: ignore[arg-type]
        assert raised.value.status == 422 and raised.value.fields[0]["loc"] == ["body", "tier_id"]
