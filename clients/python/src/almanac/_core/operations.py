# Made by `npm run docs:make` from docs/openapi.json; do not edit.
from __future__ import annotations

from typing import Final, Literal, Mapping, NamedTuple


class Operation(NamedTuple):
    method: str
    path: str
    as_of: Literal["taken", "refused", "irrelevant"]


OPERATIONS: Final[Mapping[str, Operation]] = {
    "addToCart": Operation("POST", "/api/v1/cart/event-exports", "refused"),
    "cancelExport": Operation("DELETE", "/api/v1/exports/{export_id}", "irrelevant"),
    "checkOut": Operation("POST", "/api/v1/cart/checkout", "refused"),
    "createExport": Operation("POST", "/api/v1/exports", "taken"),
    "createKey": Operation("POST", "/api/v1/keys", "refused"),
    "createWebhook": Operation("POST", "/api/v1/webhooks", "refused"),
    "deleteWebhook": Operation("DELETE", "/api/v1/webhooks/{webhook_id}", "refused"),
    "downloadExport": Operation("GET", "/api/v1/exports/{export_id}/file", "irrelevant"),
    "enableWebhook": Operation("POST", "/api/v1/webhooks/{webhook_id}/enable", "refused"),
    "getBook": Operation("GET", "/api/v1/markets/{ticker}/book", "taken"),
    "getCart": Operation("GET", "/api/v1/cart", "refused"),
    "getDataset": Operation("GET", "/api/v1/datasets/{dataset_id}", "taken"),
    "getEvent": Operation("GET", "/api/v1/events/{event_id}", "taken"),
    "getExport": Operation("GET", "/api/v1/exports/{export_id}", "irrelevant"),
    "getMarket": Operation("GET", "/api/v1/markets/{ticker}", "taken"),
    "getOperatorHistory": Operation("GET", "/api/v1/operator/history", "refused"),
    "getOperatorStatus": Operation("GET", "/api/v1/operator/status", "refused"),
    "getPlan": Operation("GET", "/api/v1/plan", "irrelevant"),
    "getQuality": Operation("GET", "/api/v1/quality", "taken"),
    "getSeries": Operation("GET", "/api/v1/series/{series_id}", "taken"),
    "getWebhook": Operation("GET", "/api/v1/webhooks/{webhook_id}", "refused"),
    "listCandles": Operation("GET", "/api/v1/markets/{ticker}/candles", "taken"),
    "listCandlesOfMarkets": Operation("POST", "/api/v1/markets/candles", "taken"),
    "listCategories": Operation("GET", "/api/v1/categories", "taken"),
    "listEventSnapshots": Operation("GET", "/api/v1/events/{event_id}/snapshots", "taken"),
    "listExportFormats": Operation("GET", "/api/v1/exports/formats", "irrelevant"),
    "listExports": Operation("GET", "/api/v1/exports", "taken"),
    "listKeys": Operation("GET", "/api/v1/keys", "irrelevant"),
    "listMarkets": Operation("GET", "/api/v1/markets", "taken"),
    "listSeries": Operation("GET", "/api/v1/series", "taken"),
    "listSnapshots": Operation("GET", "/api/v1/markets/{ticker}/snapshots", "taken"),
    "listTrades": Operation("GET", "/api/v1/markets/{ticker}/trades", "taken"),
    "listWebhookDeliveries": Operation("GET", "/api/v1/webhooks/{webhook_id}/deliveries", "refused"),
    "listWebhooks": Operation("GET", "/api/v1/webhooks", "refused"),
    "openPortal": Operation("POST", "/api/v1/billing/portal", "refused"),
    "previewMarket": Operation("GET", "/api/v1/markets/{ticker}/preview", "taken"),
    "readMarketsAt": Operation("POST", "/api/v1/markets/at", "taken"),
    "redeliverWebhook": Operation("POST", "/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver", "refused"),
    "removeFromCart": Operation("DELETE", "/api/v1/cart/event-exports/{event_id}", "refused"),
    "revokeKey": Operation("DELETE", "/api/v1/keys/{key_id}", "refused"),
    "rotateWebhookSecret": Operation("POST", "/api/v1/webhooks/{webhook_id}/rotate", "refused"),
    "search": Operation("GET", "/api/v1/search", "taken"),
    "streamExport": Operation("GET", "/api/v1/exports/{export_id}/events", "irrelevant"),
    "testWebhook": Operation("POST", "/api/v1/webhooks/{webhook_id}/test", "refused"),
    "upgradePlan": Operation("POST", "/api/v1/billing/upgrade", "refused"),
}
