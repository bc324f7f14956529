# Made by `npm run docs:make` from _async/test_webhooks.py; do not edit.
"""Webhooks of the account."""

from __future__ import annotations

import pytest

import almanac
from almanac import Almanac
from conftest import System


def test_a_webhook_is_created_rotated_tested_and_deleted(system: System) -> None:
    with Almanac(system.key, system.base_url) as client:
        created = client.webhooks.create("https://receiver.invalid/", ["export.ready"], description="notebook")
        assert created.secret is not None and created.status == "enabled"
        assert created.id in [webhook.id for webhook in (client.webhooks.list()).webhooks]
        rotated = client.webhooks.rotate(created.id)
        assert rotated.secret != created.secret and rotated.previous_secret_expires_ts is not None
        assert (client.webhooks.enable(created.id)).description == "notebook"
        assert (client.webhooks.test(created.id)).delivery_id.startswith("msg_")
        assert [one.type for one in client.webhooks.deliveries(created.id)] in ([], ["webhook.test"])
        with pytest.raises(almanac.ApiError) as raised:
            client.webhooks.redeliver(created.id, "nothing")
        assert raised.value.code == "delivery_not_found"
        client.webhooks.delete(created.id)
        with pytest.raises(almanac.ApiError) as raised:
            client.webhooks.get(created.id)
        assert raised.value.code == "webhook_not_found"
