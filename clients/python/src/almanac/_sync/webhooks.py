# Made by `npm run docs:make` from _async/webhooks.py; do not edit.
"""Webhooks of the account. Verify deliveries with `almanac.verify_webhook`."""

from __future__ import annotations

from typing import Literal, Sequence

from .._core.requests import Call
from ..errors import refuse_text
from ..models import (
    Webhook,
    WebhookAttempt,
    WebhookDeliveriesResponse,
    WebhookDelivery,
    WebhooksResponse,
    WebhookWithSecret,
)
from .pages import Pages
from .transport import Transport

WebhookEventType = Literal[
    "export.created",
    "export.ready",
    "export.failed",
    "export.cancelled",
    "market.settled",
    "market.data_changed",
]


class Webhooks:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> WebhooksResponse:
        """All webhooks of the account, without their secrets."""
        return self._transport.get(WebhooksResponse, Call(operation="listWebhooks"))

    def get(self, webhook_id: str) -> Webhook:
        """One webhook. `disabled_reason` says why the server disabled it."""
        return self._transport.get(Webhook, Call(operation="getWebhook", path={"webhook_id": webhook_id}))

    def create(
        self,
        url: str,
        events: Sequence[WebhookEventType],
        *,
        tickers: Sequence[str] = (),
        series: Sequence[str] = (),
        description: str = "",
        idempotency_key: str | None = None,
    ) -> WebhookWithSecret:
        """Creates a webhook. `secret` is returned only now. Events of markets need `tickers` or `series`."""
        for name, values in (("events", events), ("tickers", tickers), ("series", series)):
            refuse_text(name, values)
        body = {
            "url": url,
            "events": [*events],
            "tickers": [*tickers],
            "series": [*series],
            "description": description,
        }
        call = Call(operation="createWebhook", body=body, idempotency_key=idempotency_key)
        return self._transport.get(WebhookWithSecret, call)

    def delete(self, webhook_id: str) -> Webhook:
        """Deletes a webhook. Deliveries that wait are dropped."""
        return self._transport.get(Webhook, Call(operation="deleteWebhook", path={"webhook_id": webhook_id}))

    def rotate(self, webhook_id: str) -> WebhookWithSecret:
        """Makes a new secret, which is returned only now. The one before signs for another 24 hours."""
        call = Call(operation="rotateWebhookSecret", path={"webhook_id": webhook_id})
        return self._transport.get(WebhookWithSecret, call)

    def enable(self, webhook_id: str) -> Webhook:
        """Sends events again after the server disabled the webhook."""
        return self._transport.get(Webhook, Call(operation="enableWebhook", path={"webhook_id": webhook_id}))

    def test(self, webhook_id: str) -> WebhookDelivery:
        """Sends an event of the type `webhook.test`."""
        return self._transport.get(WebhookDelivery, Call(operation="testWebhook", path={"webhook_id": webhook_id}))

    def deliveries(self, webhook_id: str) -> Pages[WebhookDeliveriesResponse, WebhookAttempt]:
        """The newest attempts, at most 100."""
        call = Call(operation="listWebhookDeliveries", path={"webhook_id": webhook_id})
        return Pages(
            self._transport,
            call,
            kind=WebhookDeliveriesResponse,
            items="deliveries",
            item=WebhookAttempt,
            next_by="cursor",
        )

    def redeliver(self, webhook_id: str, delivery_id: str) -> WebhookDelivery:
        """Sends a delivery of the log again, with the same id."""
        path = {"webhook_id": webhook_id, "delivery_id": delivery_id}
        return self._transport.get(WebhookDelivery, Call(operation="redeliverWebhook", path=path))
