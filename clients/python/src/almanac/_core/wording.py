"""Texts of the server in the words of this client: calls and arguments instead of addresses and headers of HTTP."""

from __future__ import annotations

import re
from typing import Any, Final, Mapping

from .operations import OPERATIONS

_CALLS: Final[Mapping[str, str]] = {
    "addToCart": "client.cart.add(event)",
    "cancelExport": "client.exports.cancel(export_id)",
    "checkOut": "client.cart.checkout()",
    "createExport": "client.exports.create(...)",
    "createKey": "client.keys.create(name)",
    "createWebhook": "client.webhooks.create(...)",
    "deleteWebhook": "client.webhooks.delete(webhook_id)",
    "downloadExport": "client.exports.get(export_id).download(path)",
    "enableWebhook": "client.webhooks.enable(webhook_id)",
    "getBook": "client.markets.book(ticker)",
    "getCart": "client.cart.get()",
    "getDataset": "client.datasets.get(dataset_id)",
    "getEvent": "client.events.get(event_id)",
    "getExport": "client.exports.get(export_id)",
    "getMarket": "client.markets.get(ticker)",
    "getOperatorHistory": "client.operator.history()",
    "getOperatorStatus": "client.operator.status()",
    "getPlan": "client.plan.get()",
    "getQuality": "client.quality(...)",
    "getSeries": "client.series.get(series_id)",
    "getWebhook": "client.webhooks.get(webhook_id)",
    "listCandles": "client.markets.candles(ticker)",
    "listCandlesOfMarkets": "client.markets.candles_of(tickers)",
    "listCategories": "client.categories.list()",
    "listEventSnapshots": "client.events.snapshots(event_id)",
    "listExportFormats": "client.exports.formats()",
    "listExports": "client.exports.list()",
    "listKeys": "client.keys.list()",
    "listMarkets": "client.markets.list(...)",
    "listSeries": "client.series.list(...)",
    "listSnapshots": "client.markets.snapshots(ticker)",
    "listTrades": "client.markets.trades(ticker)",
    "listWebhookDeliveries": "client.webhooks.deliveries(webhook_id)",
    "listWebhooks": "client.webhooks.list()",
    "openPortal": "client.billing.portal()",
    "previewMarket": "client.markets.preview(ticker)",
    "readMarketsAt": "client.markets.at(tickers, times)",
    "redeliverWebhook": "client.webhooks.redeliver(webhook_id, delivery_id)",
    "removeFromCart": "client.cart.remove(event)",
    "revokeKey": "client.keys.revoke(key_id)",
    "rotateWebhookSecret": "client.webhooks.rotate(webhook_id)",
    "search": "client.search(words)",
    "streamExport": "client.exports.wait(export_id)",
    "testWebhook": "client.webhooks.test(webhook_id)",
    "upgradePlan": "client.billing.upgrade(tier_id)",
}
_PHRASES: Final = (
    ("Wait for the number of seconds in `Retry-After`", "Wait for the seconds in `retry_after_s` of this error"),
    (" Read `RateLimit-Remaining` and `RateLimit-Reset` on each answer to stay below the limit.", ""),
    (
        "Send the whole key in the header `Authorization: Bearer <API_KEY>`.",
        "Pass the whole key as `api_key`, or set the variable ALMANAC_API_KEY.",
    ),
    ("send the same `Idempotency-Key`", "pass the same `idempotency_key`"),
    ("Correct each item of `detail`.", "Correct each of `fields` of this error."),
    ("Choose one of `options`", "Choose one of `body['options']` of this error"),
    ("`pending_exports` has", "`body['pending_exports']` of this error has"),
    (" `detail` is a list of fields, as for every status 422.", ""),
    ("`series` with `day` or with `from` and `to`", "`series` with `day` or with `from_` and `to`"),
)
_NAMED: Final = re.compile(r"(`?)\b(GET|POST|DELETE) (/api/v1/[\w{}/:-]*[\w}])\1")


# The end of a detail that says what to do, for a reader who has no remedy beside it.
_NEXT_STEP: Final = re.compile(
    r" (?:Search with GET /api/v1/search|GET /api/v1/\w+ lists its \w+|Send exactly one of: .*|Choose another day|Choose other days"
    r"|Choose a higher plan|Add an event, then check out|Buy [^.]* or upgrade your plan\. `options` lists what you can buy)\.$"
)
_FIELDS: Final[Mapping[str, str]] = {"from": "from_"}


def without_next_step(detail: str) -> str:
    """The detail of an error beside its remedy, which says the next step."""
    return _NEXT_STEP.sub("", detail)


def field_sentence(field: Mapping[str, Any]) -> str:
    """What is wrong with a field of a request, as a sentence."""
    loc = [str(part) for part in field.get("loc", [])]
    first, *inner = loc[1:] or loc or [""]
    text = in_own_words(str(field.get("msg")).removeprefix("Value error, "))
    return f"{'.'.join([_FIELDS.get(first, first), *inner])}: {text}" + ("" if text.endswith((".", "?", "!")) else ".")


def in_own_words(text: str) -> str:
    """What has no other words stays."""
    for server, client in _PHRASES:
        text = text.replace(server, client)
    return _NAMED.sub(lambda found: _call_of(found[2], found[3]) or found[0], text)


def _call_of(method: str, path: str) -> str | None:
    """A detail can name the path of one object, and an advice that of any."""
    for name, operation in OPERATIONS.items():
        pattern = re.sub(r"\\{\w+\\}", "[^/]+", re.escape(operation.path))
        if operation.method == method and (operation.path == path or re.fullmatch(pattern, path)):
            return f"`{_CALLS[name]}`" if name in _CALLS else None
    return None
