"""Webhooks of the account."""

from __future__ import annotations

import pytest

import almanac
from almanac import AsyncAlmanac
from conftest import System


async def test_a_webhook_is_created_rotated_tested_and_deleted(system: System) -> None:
    async with AsyncAlmanac(system.key, system.base_url) as client:
        created = await client.webhooks.create("https://receiver.invalid/", ["export.ready"], description="notebook")
        assert created.secret is not None and created.status == "enabled"
        assert created.id in [webhook.id for webhook in (await client.webhooks.list()).webhooks]
        rotated = await client.webhooks.rotate(created.id)
        assert rotated.secret != created.secret and rotated.previous_secret_expires_ts is not None
        assert (await client.webhooks.enable(created.id)).description == "notebook"
        assert (await client.webhooks.test(created.id)).delivery_id.startswith("msg_")
        assert [one.type async for one in client.webhooks.deliveries(created.id)] in ([], ["webhook.test"])
        with pytest.raises(almanac.ApiError) as raised:
            await client.webhooks.redeliver(created.id, "nothing")
        assert raised.value.code == "delivery_not_found"
        await client.webhooks.delete(created.id)
        with pytest.raises(almanac.ApiError) as raised:
            await client.webhooks.get(created.id)
        assert raised.value.code == "webhook_not_found"
