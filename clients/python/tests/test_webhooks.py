"""Verification of deliveries. The first vector is the one of the specification of Standard Webhooks."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any

import pytest

import almanac

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_" + base64.b64encode(b"another secret of 32 characters!").decode()
BODY = json.dumps({"type": "export.ready", "timestamp": "2026-02-25T00:00:00.000Z", "data": {"id": "é"}}, ensure_ascii=False)


def headers_of(secret: str, body: str = BODY, timestamp: int = 1_000) -> dict[str, str]:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signature = hmac.new(key, f"msg_1.{timestamp}.{body}".encode(), hashlib.sha256).digest()
    encoded = base64.b64encode(signature).decode()
    return {"Webhook-Id": "msg_1", "Webhook-Timestamp": str(timestamp), "Webhook-Signature": f"v2,x v1,x v1,{encoded}"}


def test_the_vector_of_the_specification_is_signed() -> None:
    headers = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    # The signature is right, so the missing fields of an event are all that is wrong.
    with pytest.raises(KeyError):
        almanac.verify_webhook(headers, '{"test": 2432232314}', SECRET, now=1_614_265_330)


@pytest.mark.parametrize("secrets", [SECRET, [OTHER, SECRET]])
@pytest.mark.parametrize("body", [BODY, BODY.encode()])
def test_a_delivery_with_one_right_signature_is_an_event(secrets: Any, body: Any) -> None:
    event = almanac.verify_webhook(headers_of(SECRET), body, secrets, now=1_200)
    assert (event.id, event.type, event.data["id"]) == ("msg_1", "export.ready", "é")


def test_the_age_of_a_delivery_is_named_because_the_clock_of_the_receiver_can_be_off() -> None:
    for now, expected in ((4_600, "is 3600 s old, and 300 s are allowed."), (100, "is 900 s ahead of the clock of this machine")):
        with pytest.raises(almanac.AlmanacError) as raised:
            almanac.verify_webhook(headers_of(SECRET), BODY, SECRET, now=now)
        assert expected in raised.value.detail and "set the clock" in raised.value.remedy


@pytest.mark.parametrize(
    ("headers", "body", "secret", "now"),
    [
        (headers_of(OTHER), BODY, SECRET, 1_000),
        (headers_of(SECRET), BODY + " ", SECRET, 1_000),
        (headers_of(SECRET), BODY, SECRET, 1_301),
        (headers_of(SECRET), BODY, SECRET, 699),
        (headers_of(SECRET) | {"Webhook-Id": "msg_2"}, BODY, SECRET, 1_000),
        (headers_of(SECRET) | {"Webhook-Timestamp": "x"}, BODY, SECRET, 1_000),
        (headers_of(SECRET) | {"Webhook-Signature": ""}, BODY, SECRET, 1_000),
        ({}, BODY, SECRET, 1_000),
        (headers_of(SECRET), BODY, "whsec_", 1_000),
        (headers_of(SECRET), BODY, "no secret", 1_000),
    ],
)
def test_any_other_delivery_is_refused(headers: Any, body: str, secret: str, now: float) -> None:
    with pytest.raises(almanac.AlmanacError) as raised:
        almanac.verify_webhook(headers, body, secret, now=now)
    assert raised.value.code == "webhook_invalid"
