"""Verification of deliveries, as Standard Webhooks describes it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

from ..errors import AlmanacError


@dataclass(frozen=True)
class WebhookEvent:
    """A verified delivery."""

    id: str
    """The same in every attempt: store it, and ignore an event that you have processed."""
    type: str
    timestamp: str
    """Time of the event, in ISO 8601."""
    data: Mapping[str, Any]


def verify_webhook(
    headers: Mapping[str, str],
    body: bytes | str,
    secrets: str | Sequence[str],
    *,
    tolerance_s: float = 300.0,
    now: float | None = None,
) -> WebhookEvent:
    """
    Verifies a delivery of a webhook and returns its event. `body` is what was received, before any parser. `secrets` is the
    secret of the webhook, or several ones. Raises `webhook_invalid` if no signature is right, or if the request is older or
    newer than five minutes, so that nobody can send it again later.
    """
    named = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp, signatures = (named.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not (message_id and timestamp and signatures):
        raise _invalid("A header of the delivery is missing.")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        raise _invalid("The time of the delivery is not a number.")
    age_s = (time.time() if now is None else now) - int(timestamp)
    if not abs(age_s) <= tolerance_s:
        raise _outdated(age_s, tolerance_s)
    content = body.encode() if isinstance(body, str) else body
    signed = f"{message_id}.{timestamp}.".encode() + content
    given = [one[3:].encode() for one in signatures.split(" ") if one.startswith("v1,")]
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        expected = base64.b64encode(hmac.new(_key_of(secret), signed, hashlib.sha256).digest())
        if any([hmac.compare_digest(expected, one) for one in given]):
            event = json.loads(content)
            return WebhookEvent(id=message_id, type=event["type"], timestamp=event["timestamp"], data=event["data"])
    raise _invalid("No signature of the delivery is right.")


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise _invalid("The secret is not one of a webhook.")
    return key


def _invalid(detail: str, remedy: str = "Answer 400. Pass the body as it was received, and the secret of this webhook.") -> AlmanacError:
    return AlmanacError("webhook_invalid", detail, remedy)


def _outdated(age_s: float, tolerance_s: float) -> AlmanacError:
    what = "old" if age_s > 0 else "ahead of the clock of this machine"
    detail = f"The delivery is {round(abs(age_s))} s {what}, and {tolerance_s:g} s are allowed."
    return _invalid(detail, "Answer 400. If every delivery is refused, set the clock of this machine.")
