# Made by `npm run docs:make` from docs/openapi.json; do not edit.
"""The objects of the API, as frozen dataclasses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal, Mapping, Union

from ._core.named import Named

Number = Union[float, Decimal]
"""A price, a size or a strike: `float`, or `Decimal` of a client with `numbers="decimal"`."""

__all__ = ["Number", "ApiKey", "BookResponse", "BookSample", "BuyEventOption", "BuyEventsOption", "Candle", "CandleAsk", "CandleBatchResponse", "CandleBid", "CandleCoin", "CandleMid", "CandlePrice", "CandlesResponse", "CartItem", "CartResponse", "CategoriesResponse", "Category", "CheckoutResponse", "Citation", "ConsumerDeadLetters", "ConsumerStatus", "CoverageGap", "CoverageSpan", "CreatedApiKey", "DatasetChange", "DatasetResponse", "DeadLetter", "EngineFormat", "Entitlements", "EntitlementsApiKeys", "EntitlementsExportsPending", "EntitlementsExportsPerDay", "EventDetailResponse", "EventItem", "EventPrice", "EventSnapshotsResponse", "ExportFormat", "ExportFormatsResponse", "ExportGap", "ExportGroup", "ExportListItem", "ExportListResponse", "ExportManifest", "ExportQuery", "ExportQuote", "ExportQuoteWould", "ExportResponse", "ExportedDay", "ExportedMarket", "FreeExportCredit", "KeysResponse", "Market", "MarketChange", "MarketColumns", "MarketDetailResponse", "MarketFee", "MarketMoment", "MarketQuality", "MarketRules", "MarketTickSize", "MarketsAtResponse", "MarketsResponse", "Money", "Notice", "OperatorHistory", "OperatorSample", "OperatorStatus", "PeriodQuality", "Plan", "PlanResponse", "PortalResponse", "PreviewCoverage", "PreviewResponse", "PreviewUseful", "ProcessReport", "ProcessReportFaults", "PublicPlan", "QualityGap", "QualityResponse", "QuotedPart", "SearchHit", "SearchResponse", "SeriesDetailResponse", "SeriesItem", "SeriesResponse", "ServiceReport", "Snapshot", "SnapshotsResponse", "StreamStatus", "StrikeLevel", "SystemFault", "TickRange", "Trade", "TradesResponse", "UnreadableMessages", "UnreadableMessagesExamples", "UpgradeOption", "UpgradeResponse", "ValidationError", "VenueCandleRange", "Webhook", "WebhookAttempt", "WebhookBody", "WebhookDeliveriesResponse", "WebhookDelivery", "WebhookWithSecret", "WebhooksResponse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey(Named):
    """An API key without its secret."""

    id: str
    """Id of the key. It is not secret"""
    name: str
    """Display name"""
    prefix: str
    """Beginning of the key"""
    last4: str
    """Last 4 characters of the key"""
    status: Literal["active", "revoked"]
    """Status of the key. A revoked key is not accepted"""
    created_ts: datetime
    """Time when the key was created (UTC)"""
    last_used_ts: datetime | None
    """Time when the key was last used (UTC). Null if unknown"""
    revoked_ts: datetime | None
    """Time when the key was revoked (UTC). Null if the key is active"""
    as_of: datetime | None
    """Time as of which the key reads the archive (UTC). Null if it reads the present"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BookResponse(Named):
    ticker: str
    """Ticker of the market"""
    at_ts: datetime
    """Requested time (UTC)"""
    ts: datetime | None
    """Time of the stored book (UTC). Never later than `at_ts`. Null if the book is unknown"""
    venue_ts: datetime | None
    """Time of the book at the venue (UTC)"""
    seq: int | None
    """Sequence number from the venue"""
    age_ms: float | None
    """Age of the observation at the requested time, in milliseconds"""
    basis: Literal["every_change", "sampled", "snapshot"] | None
    """
    `every_change` if every change up to `at_ts` is stored, so this is the exact book at `at_ts`. `sampled` if
    the recording is complete and the last book of each interval is stored. `snapshot` if no recording states
    that it is complete
    """
    in_gap: bool
    """Whether the recording is incomplete at `at_ts`, so the book is unknown"""
    include_book: bool
    """Whether your plan or an unlock covers the book"""
    notice: str | None
    """Why the book is not included. Null if nothing was left out"""
    orderbook_yes: tuple[tuple[Number, Number], ...] | None
    """
    Bids on the yes side, best first, each as `[price, size]`. The price is a fraction of 1, the size is in
    contracts. Null if no order book was captured
    """
    orderbook_no: tuple[tuple[Number, Number], ...] | None
    """
    Bids on the no side, best first, each as `[price, size]`. The price is a fraction of 1, the size is in
    contracts. Null if no order book was captured
    """
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BookSample(Named):
    """Order books of one observation."""

    ts: datetime
    """Time of the observation (UTC)"""
    orderbook_yes: tuple[tuple[Number, Number], ...] | None
    """
    Bids on the yes side, best first, each as `[price, size]`. The price is a fraction of 1, the size is in
    contracts. Null if no order book was captured
    """
    orderbook_no: tuple[tuple[Number, Number], ...] | None
    """
    Bids on the no side, best first, each as `[price, size]`. The price is a fraction of 1, the size is in
    contracts. Null if no order book was captured
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class BuyEventOption(Named):
    """Buy the event. You keep it permanently."""

    type: Literal["buy_event"]
    """Kind of the option"""
    event: str
    """Ticker of the event"""
    price: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class BuyEventsOption(Named):
    """Buy every event of the export that you do not own. You keep them permanently."""

    type: Literal["buy_events"]
    """Kind of the option"""
    price: Money
    """Price of all these events together"""
    events_n: int
    """Number of events to buy"""
    events: tuple[EventPrice, ...]
    """Events to buy, cheapest first. At most the first 100"""
    next: str
    """What to do to buy the events"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candle(Named):
    """
    Observations and trades of a period, summarised. Those at or after the close or settlement never count. In
    a period without any, whole candles of the venue, if they are stored.
    """

    ticker: str
    """Ticker of the market"""
    start_ts: datetime
    """Start of the period (inclusive) (UTC)"""
    end_ts: datetime
    """End of the period (exclusive) (UTC)"""
    yes_bid: CandleBid
    yes_ask: CandleAsk
    mid: CandleMid
    coin_price: CandleCoin
    price: CandlePrice
    volume: Number | None
    """Traded contracts. Above 0 exactly if there is a price. Null if no trades of the market are stored"""
    trades: int | None
    """Number of trades. Null if no trades of the market are stored"""
    observations: int
    """Number of stored observations in the period. 0 if it has only trades, or with `fill=previous`"""
    gap_s: float
    """Seconds of the period in which the recording is incomplete"""
    source: Literal["recorded", "venue"] | None = None
    """
    `recorded` if the candle is of stored observations and trades, `venue` if it is of the candles of the
    venue. This field and the next ones are absent if no venue candles of the market are stored
    """
    venue: str | None = None
    """Whose candles a `venue` candle is made of. Otherwise null"""
    venue_period_s: int | None = None
    """Period in seconds of the venue candles that a `venue` candle is made of. Otherwise null"""
    open_interest: Number | None = None
    """Open contracts at the end of the period, as the venue states them. Null in a `recorded` candle"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandleAsk(Named):
    """Best asks on the yes side, as fractions of 1. Null without one."""

    open: Number | None
    """First value in the period"""
    high: Number | None
    """Highest value in the period"""
    low: Number | None
    """Lowest value in the period"""
    close: Number | None
    """Last value in the period"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandleBatchResponse(Named):
    start_ts: datetime
    """Start of the first period (inclusive) (UTC). Never later than the requested one"""
    end_ts: datetime
    """Later observations and trades are not in the candles. In Unix seconds (exclusive)"""
    period_s: int
    """Length of a period in seconds"""
    count: int
    """Number of candles in this answer"""
    has_more: bool
    """Whether more items follow this answer"""
    next_start_ts: datetime | None
    """`start_ts` of the next page (UTC). Null on the last page"""
    candles: tuple[Candle, ...]
    """Candles by market and period, oldest first"""
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    notice: str | None = None
    """Which periods the candles of the venue have, if none of them make up the requested one"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandleBid(Named):
    """Best bids on the yes side, as fractions of 1. Null without one."""

    open: Number | None
    """First value in the period"""
    high: Number | None
    """Highest value in the period"""
    low: Number | None
    """Lowest value in the period"""
    close: Number | None
    """Last value in the period"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandleCoin(Named):
    """Coin prices in USD. Null without one."""

    open: Number | None
    """First value in the period"""
    high: Number | None
    """Highest value in the period"""
    low: Number | None
    """Lowest value in the period"""
    close: Number | None
    """Last value in the period"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandleMid(Named):
    """Middles of the best bid and ask of observations that have both. Null without one."""

    open: Number | None
    """First value in the period"""
    high: Number | None
    """Highest value in the period"""
    low: Number | None
    """Lowest value in the period"""
    close: Number | None
    """Last value in the period"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandlePrice(Named):
    """Prices of the trades in the period, as fractions of 1. Null without trades, except `previous`."""

    open: Number | None
    """First value in the period"""
    high: Number | None
    """Highest value in the period"""
    low: Number | None
    """Lowest value in the period"""
    close: Number | None
    """Last value in the period"""
    mean: Number | None
    """Mean price of the trades, weighted by size and rounded to 6 decimals"""
    previous: Number | None
    """Price of the last trade before the period, also if it was before the window. Null without one"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandlesResponse(Named):
    ticker: str
    """Ticker of the market"""
    start_ts: datetime
    """Start of the first period (inclusive) (UTC). Never later than the requested one"""
    end_ts: datetime
    """Later observations and trades are not in the candles. In Unix seconds (exclusive)"""
    period_s: int
    """Length of a period in seconds"""
    count: int
    """Number of candles in this answer"""
    has_more: bool
    """Whether more items follow this answer"""
    next_start_ts: datetime | None
    """`start_ts` of the next page (UTC). Null on the last page"""
    candles: tuple[Candle, ...]
    """Candles by market and period, oldest first"""
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    notice: str | None = None
    """Which periods the candles of the venue have, if none of them make up the requested one"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CartItem(Named):
    """An event in the cart."""

    event: str
    """Ticker of the event"""
    title: str | None
    """Title from the venue. Long titles are shortened"""
    series: str | None
    """Id of the series"""
    price: Money
    """Current price. You pay once and keep the event permanently. 0 if your plan covers the event"""
    covered_by: Literal["plan"] | None = None
    """`plan` if your plan covers the event. A checkout leaves it out"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CartResponse(Named):
    """The shopping cart of the account."""

    count: int
    """Number of items in the cart"""
    items: tuple[CartItem, ...]
    """Items in the order in which they were added"""
    total: Money
    """Total of the current prices"""
    already_unlocked: bool | None = None
    """True if you already own the event. The cart is unchanged"""
    remarks: tuple[str, ...] | None = None
    """What you should know before you buy, such as what your plan covers"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoriesResponse(Named):
    count: int
    """Number of items in this answer"""
    categories: tuple[Category, ...]
    """All categories"""
    source: Literal["archive", "cache"]
    """`archive` if the answer was read now, `cache` if its figures were computed before"""
    saved_ts: datetime | None
    """Time when the cached figures were computed (UTC). Null with `as_of`"""
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Category(Named):
    """A category groups series on one subject."""

    id: str
    """Slug of the category"""
    label: str
    """Category name from the venue"""
    series_n: int
    """Number of series"""
    events_n: int
    """Number of events"""
    markets_n: int
    """Number of markets"""
    live_n: int
    """Number of live markets"""
    closed_n: int
    """Number of markets that are not live"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckoutResponse(Named):
    """A checkout of the cart."""

    mode: Literal["stub", "stripe"]
    """
    `stripe` if you pay on a hosted page. `stub` if the server has no payment provider and completes the
    purchase at once
    """
    status: Literal["completed", "pending"]
    """`pending` until you have paid on the hosted page, then `completed`"""
    unlocked: tuple[str, ...]
    """Tickers of the events that this purchase unlocked"""
    total: Money
    """Total charge"""
    checkout_url: str | None
    """URL of the hosted payment page. Null if there is nothing to pay"""
    remarks: tuple[str, ...] | None = None
    """What you should know about the payment"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation(Named):
    """How to cite the file of an export."""

    text: str
    """Citation for people"""
    bibtex: str
    """Citation as a BibTeX entry"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerDeadLetters(Named):
    """The dead letters of a durable consumer."""

    consumer: str
    """Name of the durable consumer"""
    count: int
    """Its dead letters"""
    newest: DeadLetter | None
    """The newest one. Null if its service does not answer"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerStatus(Named):
    """A durable consumer. All processes of its service share it."""

    consumer: str
    """Name of the durable consumer"""
    stream: str
    """Stream that it reads"""
    service: str
    """Service whose processes read it"""
    waiting: int
    """Messages that were not delivered yet"""
    in_progress: int
    """Messages that were delivered and not acknowledged"""
    redelivered: int
    """Messages that were delivered more than once and not acknowledged"""
    pull_requests: int
    """Open requests for messages. Zero while messages wait means that no process reads"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageGap(Named):
    """A time between open and close for which the recording is incomplete."""

    start_ts: datetime
    """Last time at which the market was known (UTC)"""
    end_ts: datetime | None
    """Time at which the market was known again (UTC). Null if it is still unknown"""
    reason: str
    """Reason for the gap"""
    missing: Literal["all", "books"]
    """`all` if nothing is known, `books` if prices are known and order books are not"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageSpan(Named):
    """A time in which the recording is complete."""

    start_ts: datetime
    """Start in Unix seconds"""
    end_ts: datetime
    """End in Unix seconds"""
    layer: Literal["top", "l2"]
    """`l2` has order books, `top` has best prices only"""
    basis: Literal["sequence", "snapshot", "silence", "unknown"] | None
    """
    Why the span is held to be complete. `sequence`: no number of its messages is missing. `snapshot`: a later
    whole book equals the rebuilt one. `silence`: nothing shows a loss, and the recording was never silent for
    long. `unknown`: a loss cannot be excluded. Null if the recording does not say
    """
    clock: Literal["receipt", "venue"] | None
    """
    Whose clock dates the observations: that of the `receipt`, or of the `venue` if nobody noted a receipt
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedApiKey(Named):
    """A new API key, including its secret."""

    id: str
    """Id of the key. It is not secret"""
    name: str
    """Display name"""
    prefix: str
    """Beginning of the key"""
    last4: str
    """Last 4 characters of the key"""
    status: Literal["active", "revoked"]
    """Status of the key. A revoked key is not accepted"""
    created_ts: datetime
    """Time when the key was created (UTC)"""
    last_used_ts: datetime | None
    """Time when the key was last used (UTC). Null if unknown"""
    revoked_ts: datetime | None
    """Time when the key was revoked (UTC). Null if the key is active"""
    as_of: datetime | None
    """Time as of which the key reads the archive (UTC). Null if it reads the present"""
    secret: str | None
    """The whole key. It is shown only in this answer. Null if this answer repeats an earlier one"""
    secret_already_shown: bool | None = None
    """True if an earlier request with the same `Idempotency-Key` created the key. Then `secret` is null"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetChange(Named):
    """A difference between a dataset and the archive."""

    ticker: str | None
    """Ticker of the market. Null if the change is of the whole file"""
    change: Literal["data_version", "added", "removed", "schema_version", "bytes"]
    """
    `data_version`: the data of the market changed. `added`: the target has this market only now. `removed`:
    the target no longer has it. `schema_version`: the columns changed. `bytes`: a new file has other bytes
    """
    was: int | None
    """Version in the dataset, otherwise null"""
    now: int | None
    """Version now, otherwise null"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetResponse(Named):
    """A file that can be cited. It shows what the file contains, and never who made or bought it."""

    dataset_id: str
    """
    Id of the dataset: `ds-` and the first 32 digits of `sha256`. With `as_of`, 32 digits that follow from
    both
    """
    sha256: str
    """SHA-256 of the file in hexadecimal"""
    bytes: int
    """Size of the file in bytes"""
    format: Literal["csv", "parquet", "json", "jsonl.gz", "hftbacktest", "tardis_csv"]
    """
    File format. Two are for backtest engines: `hftbacktest` has one `ticker` with the streams `l2`, `trades`
    or both, and `tardis_csv` has either the stream `l2` or `trades`
    """
    content_type: str
    """Media type of the file"""
    row_count: int
    """Number of rows in the file"""
    markets: int
    """Number of markets in the file"""
    year: int
    """UTC year in which the file was first made"""
    citation: Citation
    manifest: ExportManifest
    """
    Target and options of the export, the data version of each market, known gaps, and the version of the
    columns
    """
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter(Named):
    """A message that no delivery could process."""

    number: int
    """Number of the dead letter in `almanac dead-letters`"""
    stored_ts: datetime
    """When it was stored (UTC)"""
    subject: str
    """Subject of the message"""
    sequence: int
    """Sequence of the message in its stream"""
    reason: str
    """Why it could not be processed"""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFormat(Named):
    id: Literal["hftbacktest", "tardis_csv"]
    """File format"""
    label: str
    """Display name"""
    opens_in: str
    """Programs that can open the format"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entitlements(Named):
    """Limits of the plan and current usage."""

    api_keys: EntitlementsApiKeys
    """API keys"""
    requests_per_minute: int | None
    """Maximum number of requests per minute. Null means no limit"""
    exports_per_day: EntitlementsExportsPerDay
    """Exports in the current UTC day"""
    exports_pending: EntitlementsExportsPending
    """Pending exports"""
    export_included: bool
    """Whether the plan covers exports"""
    l2_export: bool
    """
    Whether the plan covers exports with order books. If not, an unlocked event or a free credit covers them
    """
    full_book: bool
    """Whether the plan includes order books in snapshots"""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitlementsApiKeys(Named):
    """API keys"""

    limit: int | None
    """Maximum number of active API keys. Null means no limit"""
    used: int
    """Number in use"""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitlementsExportsPending(Named):
    """Pending exports"""

    limit: int | None
    """Maximum number of pending exports. Null means no limit"""
    used: int
    """Number in use"""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitlementsExportsPerDay(Named):
    """Exports in the current UTC day"""

    limit: int | None
    """
    Maximum number of exports per UTC day. Exports of events that you bought do not count. Null means no limit
    """
    used: int
    """Number in use"""
    resets_ts: datetime
    """Start of the next UTC day (UTC)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventDetailResponse(Named):
    source: Literal["archive", "cache"]
    """`archive` if the answer was read now, `cache` if its figures were computed before"""
    event: EventItem
    title_source: Literal["venue", "almanac"] | None
    """`venue` if the title is from the venue, `almanac` if it was made from series and close"""
    count: int
    """Number of markets in this answer"""
    markets: tuple[Market, ...]
    """Markets by strike if they have strikes, otherwise by close"""
    strike_ladder: tuple[StrikeLevel, ...] | None
    """Markets of the event by strike. Null if they have no strikes"""
    has_more: bool
    """Whether more items follow this answer"""
    next_cursor: str | None
    """`cursor` of the next page. Null on the last page"""
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventItem(Named):
    """An event happens once and has one or more markets. Exports are sold per event."""

    event_ticker: str
    """Ticker of the event"""
    title: str | None
    """Title from the venue. If it has none, a title made from series and close"""
    series: str | None
    """Id of the series"""
    category: str | None
    """Slug of the category"""
    status: str | None
    """`live` while at least one market is live, otherwise `closed` or `finalized`"""
    open_ts: datetime | None
    """Earliest open of all markets (UTC)"""
    close_ts: datetime | None
    """Latest close of all markets (UTC)"""
    markets_n: int
    """Number of markets in the event"""
    live_n: int
    """Number of live markets"""
    closed_n: int
    """Number of markets that are not live"""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPrice(Named):
    """An event that you do not own."""

    event: str
    """Ticker of the event"""
    price: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSnapshotsResponse(Named):
    event_ticker: str
    """Ticker of the event"""
    start_ts: datetime
    """Start of the window (inclusive) (UTC)"""
    end_ts: datetime
    """End of the window (exclusive) (UTC)"""
    step_ms: int
    """Distance of the grid times in milliseconds"""
    fill: Literal["previous", "none"]
    """`fill` of the request"""
    count: int
    """Number of markets in this answer"""
    markets_n: int
    """Number of markets of the event"""
    has_more: bool
    """Whether more items follow this answer"""
    next_cursor: str | None
    """`cursor` of the next page. Null on the last page"""
    next_start_ts: datetime | None
    """`start_ts` of the next times of these markets (UTC). Null at the end of the window"""
    ts: tuple[datetime, ...]
    """Grid times: multiples of the step since the epoch (UTC)"""
    markets: tuple[MarketColumns, ...]
    """Markets in the order of `GET /events/{event_id}`"""
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormat(Named):
    id: Literal["csv", "parquet", "json", "jsonl.gz"]
    """File format"""
    label: str
    """Display name"""
    opens_in: str
    """Programs that can open the format"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormatsResponse(Named):
    formats: tuple[ExportFormat, ...]
    """The file formats with a row for each observation, trade or market"""
    engine_formats: tuple[EngineFormat, ...]
    """The file formats of backtest engines, in which each row is a change of a price level, or a trade"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportGap(Named):
    """A period without recorded data."""

    ticker: str
    """Ticker of the market"""
    start_ts: datetime
    """Start of the gap (UTC)"""
    end_ts: datetime | None
    """End of the gap (UTC). Null if the gap has not ended"""
    reason: str
    """Reason for the gap"""
    missing: Literal["all", "books"]
    """`all` if nothing is known, `books` if prices are known"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportGroup(Named):
    """The exports of one request."""

    group: str
    """Id of the request. `GET /exports?group=` lists its exports"""
    count: int
    """Number of exports"""
    exports: tuple[ExportResponse, ...]
    """One export for each day with data, by day"""
    remarks: tuple[str, ...]
    """What the request did that you may not expect, such as the use of a free credit"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportListItem(Named):
    """An export in a list. `GET /exports/{export_id}` returns all of its fields."""

    id: str
    """Id of the export (UUID)"""
    status: Literal["pending", "ready", "failed", "cancelled"]
    """Status of the export. `pending` until the file is ready"""
    event: str | None
    """Ticker of the event"""
    ticker: str | None
    """Ticker of the market, if the export is for one market"""
    series: str | None
    """Id of the series"""
    day: str | None
    """UTC calendar day of a day pack, as YYYY-MM-DD"""
    format: Literal["csv", "parquet", "json", "jsonl.gz", "hftbacktest", "tardis_csv"]
    """
    File format. Two are for backtest engines: `hftbacktest` has one `ticker` with the streams `l2`, `trades`
    or both, and `tardis_csv` has either the stream `l2` or `trades`
    """
    streams: tuple[Literal["snapshots", "settlement", "l2", "trades", "sizes", "candles"], ...]
    """
    Data in the file. `snapshots` are sampled top-of-book prices, `sizes` adds the sizes at the best bid and
    ask, and `l2` has full order books. `settlement` is the outcome of the market, `trades` are trades, and
    `candles` are those of the venue, as it states them
    """
    bytes: int
    """Size of the file in bytes. 0 until the export is ready"""
    row_count: int | None
    """Number of rows in the file. Null until the export is ready"""
    filename: str | None
    """File name"""
    created_ts: datetime
    """Time when the export was created (UTC)"""
    ready_ts: datetime | None
    """Time when the export became ready (UTC). Null until then"""
    error: str | None
    """Why the export failed. Null if it did not fail"""
    from_: str | None
    to: str | None
    group: str | None
    """Id of the request with `split: day` that created the export, otherwise null"""
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportListResponse(Named):
    count: int
    """Number of exports in this answer"""
    exports: tuple[ExportListItem, ...]
    """Exports, newest first"""
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    has_more: bool
    """Whether more items follow this answer"""
    next_cursor: str | None
    """`cursor` of the next page. Null on the last page"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportManifest(Named):
    """Exact contents of a file. Two files with the same manifest have the same bytes."""

    query: ExportQuery
    """Target and options of the export, after resolving the target"""
    schema_version: int
    """Version of the columns and types"""
    markets: tuple[ExportedMarket, ...]
    """All markets of the export, by ticker"""
    row_count: int
    """Number of rows in the file"""
    days: tuple[ExportedDay, ...] | None = None
    """Every day of a range, also those without rows. Absent for other exports"""
    gaps: tuple[ExportGap, ...]
    """Known gaps in the data, by market and time. At most the first 10,000"""
    gaps_n: int
    """Total number of gaps"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportQuery(Named):
    """
    Target and options of an export. With `day`, the target is one day of `series`, and with `from` and `to` a
    range of days. With `events` or `tickers`, it is a list. With `ticker`, it is one market of `event`.
    Otherwise it is all markets of `event`.
    """

    event: str | None
    """Ticker of the event"""
    ticker: str | None
    """Ticker of the market, if the export is for one market"""
    series: str | None
    """Id of the series"""
    day: str | None
    """UTC calendar day of a day pack, as YYYY-MM-DD"""
    streams: tuple[Literal["snapshots", "settlement", "l2", "trades", "sizes", "candles"], ...]
    """
    Data in the file. `snapshots` are sampled top-of-book prices, `sizes` adds the sizes at the best bid and
    ask, and `l2` has full order books. `settlement` is the outcome of the market, `trades` are trades, and
    `candles` are those of the venue, as it states them
    """
    format: Literal["csv", "parquet", "json", "jsonl.gz", "hftbacktest", "tardis_csv"]
    """
    File format. Two are for backtest engines: `hftbacktest` has one `ticker` with the streams `l2`, `trades`
    or both, and `tardis_csv` has either the stream `l2` or `trades`
    """
    from_: str | None = None
    """First UTC day of a range, as YYYY-MM-DD"""
    to: str | None = None
    """Last UTC day of a range, as YYYY-MM-DD"""
    events: tuple[str, ...] | None = None
    """Tickers of the events, in order"""
    tickers: tuple[str, ...] | None = None
    """Tickers of the markets, in order"""
    numbers: Literal["decimal", "float"]
    """
    Type of prices, sizes and strikes: exact decimals, or `float` for 64-bit floating-point numbers, which
    pandas computes with
    """
    csv_formulas: Literal["escape"] | None = None
    """Present if texts that a spreadsheet would run as formulas begin with an apostrophe"""
    as_of: datetime | None = None
    """Present if the file has the archive as it was known at this time (UTC)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportQuote(Named):
    """What pays for an export, what it costs, and how large it is."""

    dry_run: Literal[True]
    """Always true: no export was created"""
    grant: Literal["unlock", "plan", "free_credit"] | None
    """What would pay for the export. Null if it would be refused"""
    cost: Money | None
    """
    What you would pay for the events of the export. 0 if the export is covered. Null if only a plan covers it
    """
    options: tuple[BuyEventOption | BuyEventsOption | UpgradeOption, ...]
    """What you can buy to get the export. Any one option is enough. Empty if the export is covered"""
    would: ExportQuoteWould | None
    """Error that the request would return now. Null if it would succeed"""
    row_count: int
    """Number of rows in the file"""
    bytes_estimate: int
    """Estimated size of the file in bytes. Exact if the file already exists"""
    markets: int
    """Number of markets in the file"""
    remarks: tuple[str, ...]
    """What the request would do that you may not expect, such as the use of a free credit"""
    parts: tuple[QuotedPart, ...]
    """The days, events or markets of the request, each as an export of its own"""
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportQuoteWould(Named):
    status: Literal[402] | Literal[429]
    """HTTP status"""
    code: Literal["payment_required", "export_daily_limit", "export_pending_limit"]
    """Error code"""
    detail: str
    """Explanation for people"""
    options: tuple[BuyEventOption | BuyEventsOption | UpgradeOption, ...]
    """What you can buy to get the export, cheapest first. Any one option is enough"""
    retry_after_s: int | None
    """Seconds to wait before the next attempt. Null if waiting does not help"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportResponse(Named):
    """An export and its progress."""

    id: str
    """Id of the export (UUID)"""
    status: Literal["pending", "ready", "failed", "cancelled"]
    """Status of the export. `pending` until the file is ready"""
    ticker: str | None
    """Ticker of the market, if the export is for one market"""
    series: str | None
    """Id of the series"""
    day: str | None
    """UTC calendar day of a day pack, as YYYY-MM-DD"""
    event: str | None
    """Ticker of the event"""
    format: Literal["csv", "parquet", "json", "jsonl.gz", "hftbacktest", "tardis_csv"]
    """
    File format. Two are for backtest engines: `hftbacktest` has one `ticker` with the streams `l2`, `trades`
    or both, and `tardis_csv` has either the stream `l2` or `trades`
    """
    streams: tuple[Literal["snapshots", "settlement", "l2", "trades", "sizes", "candles"], ...]
    """
    Data in the file. `snapshots` are sampled top-of-book prices, `sizes` adds the sizes at the best bid and
    ask, and `l2` has full order books. `settlement` is the outcome of the market, `trades` are trades, and
    `candles` are those of the venue, as it states them
    """
    numbers: Literal["decimal", "float"]
    """
    Type of prices, sizes and strikes: exact decimals, or `float` for 64-bit floating-point numbers, which
    pandas computes with
    """
    grant: str | None
    """What pays for the export: `unlock`, `plan` or `free_credit`"""
    bytes: int
    """Size of the file in bytes. 0 until the export is ready"""
    row_count: int | None
    """Number of rows in the file. Null until the export is ready"""
    markets: int | None
    """Number of markets in the file. Null until the export is ready"""
    filename: str | None
    """File name"""
    storage_key: str | None
    """Key of the file in the object storage. Null until the export is ready"""
    download_url: str | None
    """Short-lived signed URL of the file. It needs no API key. Null until the export is ready"""
    expires_in_s: int
    """Seconds until `download_url` expires"""
    content_type: str | None
    """Media type of the file"""
    error: str | None
    """Why the export failed. Null if it did not fail"""
    sha256: str | None
    """SHA-256 of the file in hexadecimal. Null until the export is ready"""
    rows_done: int | None
    """Number of rows written so far. Null if the export failed or was cancelled"""
    progress: float | None
    """Share of the file that is prepared, from 0 to 1. Null if the export failed or was cancelled"""
    created_ts: datetime
    """Time when the export was created (UTC)"""
    ready_ts: datetime | None
    """Time when the export became ready (UTC). Null until then"""
    csv_formulas: Literal["keep", "escape"]
    """
    How CSV has texts that a spreadsheet would run as formulas, such as a ticker that begins with `=`. `keep`
    writes them unchanged. `escape` puts an apostrophe before a text that begins with `=`, `+`, `-`, `@`, a
    tab or a carriage return. Numbers and other formats never change
    """
    from_: str | None
    to: str | None
    events: tuple[str, ...] | None
    """Tickers of the events of a list, otherwise null"""
    tickers: tuple[str, ...] | None
    """Tickers of the markets of a list, otherwise null"""
    group: str | None
    """Id of the request with `split: day` that created the export, otherwise null"""
    remarks: tuple[str, ...]
    """What the request did that you may not expect, such as the use of a free credit"""
    manifest: ExportManifest | None
    """Exact contents of the file. Null until the export is ready"""
    dataset_id: str | None
    """
    Id of the file as a dataset, from its SHA-256 and `as_of`. `GET /datasets/{dataset_id}` shows it to
    everybody who has an API key and the id. Null until the export is ready, unless it was created from a
    dataset
    """
    citation: Citation | None
    """How to cite the file. Null until the export is ready"""
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedDay(Named):
    """A day in an export of a range."""

    day: str
    """UTC day, as YYYY-MM-DD"""
    rows: int
    """Number of rows of the day"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedMarket(Named):
    """A market in an export."""

    ticker: str
    """Ticker of the market"""
    data_version: int | None
    """
    Version of the market data in the file. Increases with each change. Null with `as_of`, because it counts
    later changes too
    """
    rows: int | None
    """Number of rows of the market. Null if they were not counted"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeExportCredit(Named):
    """
    Free export credits. They stay on every plan. One credit pays for an export of one event that is not
    unlocked and that the plan does not cover.
    """

    granted: int
    """Number of credits granted"""
    used: int
    """Number of credits used"""
    remaining: int
    """Number of credits left"""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysResponse(Named):
    count: int
    """Number of keys in this answer, including revoked keys"""
    limit: int | None
    """Maximum number of active keys in the plan. Null means no limit"""
    keys: tuple[ApiKey, ...]
    """
    API keys, newest first. The first answer has all active keys and the 100 keys that were revoked last. The
    next answers have earlier revoked keys
    """
    has_more: bool
    """Whether more items follow this answer"""
    next_cursor: str | None
    """`cursor` of the next page. Null on the last page"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Market(Named):
    """A market is a question with a yes side and a no side."""

    ticker: str
    """Ticker of the market"""
    series: str | None
    """Id of the series"""
    title: str | None
    """Title from the venue. If it has none, a title made from series, strike and close"""
    status: str | None
    """
    Status at the time of the answer: `live` before the close, `finalized` when the result or settlement is
    known, otherwise `closed`
    """
    result: str | None
    """Outcome of the market, such as `yes` or `no`"""
    open_ts: datetime | None
    """Time when trading opens (UTC)"""
    close_ts: datetime | None
    """Time when trading closes (UTC)"""
    floor_strike: Number | None
    """Strike value, in the unit of the underlying"""
    strike_type: str | None
    """How the outcome compares to the strike"""
    coin_price_start: Number | None
    """
    Coin price in USD at the open. If the source has no price, the last price observed at or before the open,
    at most 60 seconds earlier, otherwise null
    """
    coin_price_end: Number | None
    """
    Coin price in USD at the close. If the source has no price, the last price observed at or before the
    close, at most 60 seconds earlier, otherwise null. Null while the market is live
    """
    expiration_value: Number | None
    """Value that the market was settled on"""
    settlement_ts: datetime | None
    """Time when the market was settled (UTC)"""
    event_ticker: str | None
    """Ticker of the event that the market belongs to"""
    category: str | None
    """Slug of the category"""
    shape: str | None
    """`rolling` if the series always has a next market"""
    capture: str | None
    """Recorded data: `top` for the top of the book, `l2` for full order books"""
    withheld: tuple[str, ...] | None = None
    """
    With `as_of`: fields of which no value was known by then, or whose values have no knowledge time. They are
    null. Absent without `as_of`
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketChange(Named):
    """A value of a market, and when it was known."""

    field: Literal["venue_status", "close_ts", "result", "settlement_value"]
    """
    What changed: `venue_status` is the status in the words of the venue, `close_ts` the close, `result` the
    outcome, `settlement_value` what a contract of the yes side paid
    """
    value: str | Number
    """
    Value from then on. A close is in Unix seconds, and a settlement value a fraction of 1. An empty text: the
    venue took the value back
    """
    known_ts: datetime | None
    """
    Time from which this was known to the world (UTC). Never the time when Almanac imported it. Null if no
    source tells it
    """
    basis: Literal["recorded", "venue", "inferred"] | None
    """
    Where `known_ts` comes from: `recorded` is the time when a recorder received it, `venue` a time of the
    venue, such as the creation or the settlement. `inferred` follows from another time, such as an early
    close from the close. Of two sources, the better basis counts, then the earlier time
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketColumns(Named):
    """Values of a market at the grid times."""

    ticker: str
    """Ticker of the market"""
    yes_best_bid: tuple[Number | None, ...]
    """Best bids on the yes side, one for each time of `ts`"""
    yes_best_ask: tuple[Number | None, ...]
    """Best asks on the yes side, one for each time of `ts`"""
    age_ms: tuple[float | None, ...]
    """Ages of the observations in milliseconds, null if unknown, one for each time of `ts`"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketDetailResponse(Named):
    source: Literal["archive", "cache"]
    """`archive` if the answer was read now, `cache` if its figures were computed before"""
    market: Market
    title_source: Literal["venue", "almanac"] | None
    """`venue` if the title is from the venue, `almanac` if it was made from series, strike and close"""
    venue: str | None
    """
    Id of the venue that lists the market. Null if no source has stated it, also for markets that were
    imported by a release before it was stored, until they are imported again
    """
    settlement_value: Number | None
    """
    What a contract of the yes side paid at the settlement, as a fraction of 1: 1 or 0 after `yes` or `no`,
    and another value after a fractional payout or a void market. Null before the settlement, and if no source
    states it
    """
    coin_price_start_age_s: float | None
    """
    Age of the observation behind the coin price, at the open, in seconds. Null if the source states the
    price, and without a price
    """
    coin_price_end_age_s: float | None
    """
    Age of the observation behind the coin price, at the close, in seconds. Null if the source states the
    price, and without a price
    """
    volume: Number | None
    """Number of contracts in the stored trades. Null without trades"""
    trades_n: int | None
    """Number of stored trades. Null with `as_of`"""
    rules: MarketRules | None
    """Rules that were known last. Null if no source has them"""
    tick_size: MarketTickSize | None
    """Price steps that were known last. Null if no source has them"""
    fee: MarketFee | None
    """Fee of the series now. Null if no source has one"""
    history: tuple[MarketChange, ...]
    """
    Changes of status, close, result and settlement value, the earliest known first, and those of unknown time
    last. A value is listed once, from when it was first known
    """
    history_has_more: bool
    """Whether later changes may be missing, because 32 values of one field are kept"""
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    withheld: tuple[str, ...] | None = None
    """
    With `as_of`: fields of this answer that are null because nothing of them was known by then, or because
    they have no knowledge time. `market` has its own list. Absent without `as_of`
    """
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketFee(Named):
    """The trading fee of the series of a market."""

    type: str
    """Kind of fee in the words of the venue"""
    multiplier: Number | None
    """Factor of the fee. Null if the venue states none"""
    valid_from_ts: datetime | None
    """Time from which the fee is valid (UTC): the time that the venue states, otherwise `known_ts`"""
    known_ts: datetime | None
    """
    Time from which this was known to the world (UTC). Never the time when Almanac imported it. Null if no
    source tells it
    """
    basis: Literal["recorded", "venue", "inferred"] | None
    """
    Where `known_ts` comes from: `recorded` is the time when a recorder received it, `venue` a time of the
    venue, such as the creation or the settlement. `inferred` follows from another time, such as an early
    close from the close. Of two sources, the better basis counts, then the earlier time
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketMoment(Named):
    """The last observation of a market at a time."""

    ticker: str
    """Ticker of the market"""
    at_ts: datetime
    """Requested time (UTC)"""
    ts: datetime | None
    """
    Time of the last observation at or before `at_ts` (UTC). Null if there is none, or if a gap follows it
    """
    age_ms: float | None
    """Age of the observation at the requested time, in milliseconds"""
    venue_ts: datetime | None = None
    """Time of the observation at the venue (UTC)"""
    seq: int | None = None
    """Sequence number from the venue"""
    yes_best_bid: Number | None = None
    """Best bid on the yes side, as a fraction of 1"""
    yes_best_ask: Number | None = None
    """Best ask on the yes side, as a fraction of 1"""
    coin_price: Number | None = None
    """Coin price in USD"""
    yes_best_bid_size: Number | None = None
    """Size at the best bid on the yes side, in contracts. Null if it is unknown, or if that side is empty"""
    yes_best_ask_size: Number | None = None
    """Size at the best ask on the yes side, in contracts. Null if it is unknown, or if that side is empty"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketQuality(Named):
    """What is stored of a market in a range of days, and what is missing."""

    ticker: str
    """Ticker of the market"""
    event_ticker: str | None
    """Ticker of the event that the market belongs to"""
    title: str | None
    """Title from the venue. If it has none, a title made from series, strike and close"""
    status: str | None
    """
    Status at the time of the answer: `live` before the close, `finalized` when the result or settlement is
    known, otherwise `closed`
    """
    open_ts: datetime | None
    """Time when trading opens (UTC)"""
    close_ts: datetime | None
    """Time when trading closes (UTC)"""
    covered_s: float | None
    """
    Seconds of `expected_s` with a complete recording. Null if no recording of the market states its
    completeness
    """
    expected_s: float | None
    """
    Seconds between open and close in the range, until now for a live market. Null if open or close is unknown
    """
    covered_share: float | None
    """`covered_s` as a share of `expected_s`"""
    gaps_n: int
    """Number of gaps that reach into the range"""
    gap_s: float
    """Seconds of the gaps in the range. A gap without an end lasts until now"""
    longest_gap_s: float
    """Seconds of the longest gap in the range. 0 without gaps"""
    gaps: tuple[QualityGap, ...]
    """
    The gaps that reach into the range, oldest first, with the times of the preview. At most the first 100
    """
    rows: int
    """Number of stored observations in the range"""
    books: int
    """Number of these with an order book"""
    trades: int | None
    """Number of trades in the range. Null if no trades of the market are stored"""
    first_ts: datetime | None
    """Time of the first observation in the range (UTC)"""
    last_ts: datetime | None
    """Time of the last observation in the range (UTC)"""
    book_quality: Literal["verified", "unverifiable", "contradicted"] | None
    """
    `verified` if all recorded spans of books in the range rest on numbered messages or on later whole books.
    `contradicted` if the recording itself contradicts a book. `unverifiable` otherwise. Null without books
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketRules(Named):
    """The rules of a market."""

    text: str
    """Rules of the resolution, as the venue words them. The secondary rules follow after an empty line"""
    valid_from_ts: datetime | None
    """Time from which this version is valid (UTC): the time that the venue states, otherwise `known_ts`"""
    known_ts: datetime | None
    """
    Time from which this was known to the world (UTC). Never the time when Almanac imported it. Null if no
    source tells it
    """
    basis: Literal["recorded", "venue", "inferred"] | None
    """
    Where `known_ts` comes from: `recorded` is the time when a recorder received it, `venue` a time of the
    venue, such as the creation or the settlement. `inferred` follows from another time, such as an early
    close from the close. Of two sources, the better basis counts, then the earlier time
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketTickSize(Named):
    """The price steps of a market."""

    value: Number
    """Smallest price step of all ranges, as a fraction of 1"""
    ranges: tuple[TickRange, ...]
    """Price steps by range"""
    valid_from_ts: datetime | None
    """Time from which these steps are valid (UTC): the time that the venue states, otherwise `known_ts`"""
    known_ts: datetime | None
    """
    Time from which this was known to the world (UTC). Never the time when Almanac imported it. Null if no
    source tells it
    """
    basis: Literal["recorded", "venue", "inferred"] | None
    """
    Where `known_ts` comes from: `recorded` is the time when a recorder received it, `venue` a time of the
    venue, such as the creation or the settlement. `inferred` follows from another time, such as an early
    close from the close. Of two sources, the better basis counts, then the earlier time
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketsAtResponse(Named):
    count: int
    """Number of pairs of a market and a time"""
    has_more: bool
    """Whether more items follow this answer"""
    snapshots: tuple[MarketMoment, ...]
    """One item for each pair, by market and time in the order of the request"""
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketsResponse(Named):
    count: int
    """Number of items in this answer"""
    source: Literal["archive", "cache"]
    """`archive` if the answer was read now, `cache` if its figures were computed before"""
    markets: tuple[Market, ...]
    """
    Markets in this answer: newest close first, then by ticker. With `changed_since_ts`, the earliest change
    first
    """
    has_more: bool
    """Whether more items follow this answer"""
    next_cursor: str | None
    """
    `cursor` of the next page. Null on the last page. With `changed_since_ts` it is never null: send it later
    to get what changed since
    """
    from_ts: datetime | None
    """Earliest close time in this list (UTC). Null without a bound, and if no matching market has closed"""
    to_ts: datetime | None
    """Latest close time in this list (UTC). Null without a bound"""
    defaulted: bool
    """
    Whether the server chose the time window, because the request has no `from_ts`, `to_ts`, `event` and `q`.
    Live markets are in the list whatever their close time
    """
    has_older: bool
    """
    Whether the default window left out matching markets that closed earlier. To get them, send a larger
    `days`, or `from_ts` and `to_ts`
    """
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Money(Named):
    """An amount in minor units of its currency."""

    amount: int
    """Amount in minor units, such as cents"""
    currency: str
    """Currency code (ISO 4217)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice(Named):
    """A notice about the request or its answer."""

    code: str
    """Code of the notice for programs. It never changes"""
    detail: str
    """What the answer does not show, and what to do, for people"""
    loc: tuple[str | int, ...] | None
    """
    Location in the request: `path`, `query`, `body` or `header`, then the field. Null if the notice is about
    the answer
    """
    nearest: str | None
    """Nearest name or value that the server knows. Null if none is similar"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorHistory(Named):
    """Figures of the running system over the last day."""

    every_s: int
    """Seconds between two samples"""
    stored_s: int
    """How long a sample is stored, in seconds"""
    has_folder: bool
    """Whether samples outlive a restart of the gateway"""
    samples: tuple[OperatorSample, ...]
    """Samples of the last day, oldest first"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorSample(Named):
    """What the system did in a minute, and its state at the end of it."""

    ts: datetime
    """When it was taken (UTC)"""
    seconds: Number
    """Seconds since the sample before, in which its requests were answered. Zero for the first one"""
    requests: int
    """Requests that all gateways answered in this time"""
    errors: int
    """How many of them were answered with a status of 500 or more"""
    p95_ms: float | None
    """
    In how many milliseconds 95% of them were answered, without event streams and files. Null without a
    request
    """
    waiting: int
    """Messages that wait for all durable consumers"""
    dead_letters: int
    """Dead letters of all consumers"""
    stream_bytes: int
    """Bytes of all streams at NATS"""
    disk_free_bytes: int | None
    """Free bytes of the disk with the folder `HISTORY_FOLDER`. Null without a folder"""
    disk_bytes: int | None
    """Size of this disk"""
    memory_bytes: Mapping[str, object]
    """Resident memory of all processes of each service that answered"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorStatus(Named):
    """The state of the running system."""

    ts: datetime
    """Time of this report (UTC)"""
    nats_version: str
    """Release of nats-server"""
    services: tuple[ServiceReport, ...]
    """The gateway and every service"""
    processes: tuple[ProcessReport, ...]
    """Processes that answered"""
    streams: tuple[StreamStatus, ...]
    """Streams"""
    consumers: tuple[ConsumerStatus, ...]
    """Durable consumers and their backlog"""
    dead_letters: tuple[ConsumerDeadLetters, ...]
    """Dead letters of each consumer that has some"""
    unreadable: UnreadableMessages
    faults: tuple[SystemFault, ...]
    """Faults that these figures show, most urgent first"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodQuality(Named):
    """What is stored of markets in a day or hour, and what is missing."""

    start_ts: datetime
    """Start of the day or hour (inclusive) (UTC)"""
    end_ts: datetime
    """End of the day or hour (exclusive) (UTC)"""
    markets_n: int
    """Number of markets that were open"""
    markets_with_gaps_n: int
    """Number of these with a gap"""
    covered_s: float | None
    """
    Seconds of `expected_s` with a complete recording. Null if no recording of these markets states its
    completeness
    """
    expected_s: float
    """
    Seconds between open and close of all markets of which both are known, until now for live markets. Those
    of which no recording states its completeness count too
    """
    covered_share: float | None
    """`covered_s` as a share of `expected_s`"""
    gaps_n: int
    """Number of gaps that reach into the day or hour, of all markets"""
    gap_s: float
    """Seconds of these gaps in the day or hour"""
    rows: int
    """Number of stored observations of all markets"""
    trades: int
    """Number of stored trades of all markets"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Named):
    id: Literal["free", "pro", "full_book", "internal"]
    """Id of the plan"""
    name: str
    """Display name"""
    price: Money
    """Price per month"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanResponse(Named):
    plan: Plan
    entitlements: Entitlements
    free_export_credit: FreeExportCredit
    plans: tuple[PublicPlan, ...]
    """All plans that you can have, from the smallest to the largest"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortalResponse(Named):
    mode: Literal["stub", "stripe"]
    """
    `stripe` if you pay on a hosted page. `stub` if the server has no payment provider and completes the
    purchase at once
    """
    portal_url: str | None
    """
    URL of the billing portal of the payment provider, for cards, invoices and cancellation. Null if the
    server has no payment provider
    """
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewCoverage(Named):
    """Stored data of the market."""

    first_print_ts: datetime | None
    """Time of the first stored observation (UTC)"""
    last_print_ts: datetime | None
    """Time of the last stored observation (UTC)"""
    has_l2: bool
    """Whether order books were captured"""
    prints: int
    """Number of stored observations"""
    covered_s: float | None
    """
    Seconds between open and close with a complete recording. Null if no recording of the market states its
    completeness
    """
    covered_share: float | None
    """`covered_s` as a share of the time from open to close, or until now for a live market"""
    books_covered_s: float | None
    """Seconds between open and close with a complete recording of order books"""
    gaps: tuple[CoverageGap, ...]
    """Gaps between open and close, oldest first. At most the last 1,000"""
    gaps_n: int
    """Total number of gaps"""
    gap_s: float
    """Total length of all gaps in seconds. A gap without an end lasts until the end of the window"""
    spans: tuple[CoverageSpan, ...]
    """Recorded spans, oldest first. At most the last 1,000"""
    spans_n: int
    """Total number of recorded spans"""
    venue_candles: tuple[VenueCandleRange, ...] | None = None
    """Candles of the venue that are stored, by period. Absent without any. `/candles` answers them"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewResponse(Named):
    ticker: str
    """Ticker of the market"""
    series: str | None
    """Id of the series"""
    start_ts: datetime
    """Start of the window (inclusive) (UTC)"""
    end_ts: datetime
    """End of the window (exclusive) (UTC)"""
    step_ms: int
    """Downsampling step in milliseconds. 0 means every stored row"""
    include_book: bool
    """Whether the snapshots have order books"""
    matched: int
    """Number of stored observations in the window"""
    count: int
    """Number of observations in this answer"""
    market: Market | None
    snapshots: tuple[Snapshot, ...]
    """Last observation of each step, oldest first"""
    key_mode: str | None
    """Plan of the API key"""
    clamped: bool | None
    """Whether the window was shortened to the maximum length"""
    preview: bool | None
    """Whether the answer is a preview"""
    layer: str | None
    """`l2` if a snapshot in this answer has an order book, otherwise `top`"""
    has_more: bool
    """Whether more items follow this answer"""
    next_start_ts: datetime | None
    """`start_ts` of the next page (UTC). Null on the last page"""
    notice: str | None
    """Why requested order books are not included. Null if nothing was left out"""
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    tape: tuple[Snapshot, ...]
    """Last 20 stored rows of the window, oldest first"""
    window_s: float | None
    """Length of the window in seconds"""
    cached: bool | None
    """Whether the preview comes from the cache"""
    cache_source: Literal["redis", "memory"] | None
    """Cache that the preview comes from. Null if it was not cached"""
    coverage: PreviewCoverage | None
    """What is stored of the market. Null while `pending` is true: nothing is known yet"""
    useful: PreviewUseful
    path: tuple[Snapshot, ...]
    """YES price path: at most 300 observations, one per `step_ms`"""
    sample: tuple[Snapshot, ...]
    """First 20 stored rows of the window, oldest first"""
    l2_sample: tuple[BookSample, ...]
    """Up to 3 order books. Included in every plan"""
    chartable: bool
    """Whether the path has at least 2 points"""
    schema: int
    """Version of the preview format"""
    style: str | None
    """Kind of the series: `rolling` or `event`"""
    pending: bool
    """Whether the preview is still being prepared. If true, request it again after a short time"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewUseful(Named):
    """The part of the window that is useful to study."""

    start_ts: datetime | None
    """Time of the first quote with a bid and an ask (UTC)"""
    end_ts: datetime | None
    """End of the useful part (UTC)"""
    reason: str | None
    """Why it ends: `locked` (the outcome is certain), `closed`, or `live` (not ended yet)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessReport(Named):
    """A process of the gateway or of a service."""

    service: str
    """Its service"""
    instance: str
    """Host and process number"""
    version: str
    """Release that it runs"""
    started_ts: datetime
    """Start of the process (UTC)"""
    ready: bool
    """Whether it accepts work"""
    faults: tuple[ProcessReportFaults, ...]
    """Checks that fail. A process can be ready although an optional check fails"""
    memory_bytes: int | None
    """Resident memory. Null for a process of an earlier release"""
    newer_events: int
    """Events of a newer release that it delays. It reports at most 100"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessReportFaults(Named):
    check: str
    """Name of the check"""
    outcome: str
    """What it found"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicPlan(Named):
    """A plan with its price, its limits and what it covers."""

    id: Literal["free", "pro", "full_book"]
    """Id of the plan"""
    name: str
    """Display name"""
    price: Money
    """Price per month"""
    api_keys: int | None
    """Maximum number of active API keys. Null means no limit"""
    requests_per_minute: int | None
    """Maximum number of requests per minute. Null means no limit"""
    exports_per_day: int | None
    """
    Maximum number of exports per UTC day. Exports of events that you bought do not count. Null means no limit
    """
    exports_pending: int | None
    """Maximum number of pending exports. Null means no limit"""
    export_included: bool
    """Whether the plan covers exports"""
    l2_export: bool
    """
    Whether the plan covers exports with order books. If not, an unlocked event or a free credit covers them
    """
    full_book: bool
    """Whether the plan includes order books in snapshots"""


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityGap(Named):
    """A gap, and on what the span before it rests."""

    start_ts: datetime
    """Last time at which the market was known (UTC)"""
    end_ts: datetime | None
    """Time at which the market was known again (UTC). Null if it is still unknown"""
    reason: str
    """Reason for the gap"""
    missing: Literal["all", "books"]
    """`all` if nothing is known, `books` if prices are known and order books are not"""
    basis: Literal["sequence", "snapshot", "silence", "unknown"] | None
    """
    `basis` of the recorded span that ends where the gap begins. Null without such a span, or if the recording
    does not say
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityResponse(Named):
    by: Literal["market", "day", "hour"]
    """`by` of the request"""
    from_: str
    """First UTC day, as YYYY-MM-DD"""
    to: str
    """Last UTC day, as YYYY-MM-DD"""
    start_ts: datetime
    """Start of the range (inclusive) (UTC)"""
    end_ts: datetime
    """End of the range (exclusive) (UTC): that of the last day, or now if it is not over"""
    markets_n: int
    """Number of markets that were open in the range"""
    markets_with_gaps_n: int
    """Number of these with a gap in the range"""
    count: int
    """Number of markets, days or hours in this answer"""
    has_more: bool
    """Whether more items follow this answer"""
    next_cursor: str | None
    """`cursor` of the next page. Null on the last page"""
    markets: tuple[MarketQuality, ...]
    """With `by=market`. Otherwise empty"""
    periods: tuple[PeriodQuality, ...]
    """With `by=day` or `by=hour`. Otherwise empty"""
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedPart(Named):
    """A part of an export."""

    day: str | None
    """UTC day of the part, if the request has days"""
    event: str | None
    """Event of the part, if the request has no days"""
    grant: Literal["unlock", "plan", "free_credit"] | None
    """What would pay for the part. Null if nothing does"""
    cost: Money | None
    """
    Price of the events of the part that you do not own, 0 if it is covered. An event in several parts is sold
    once. Null if only a plan covers the part
    """
    row_count: int
    """Number of rows of the part"""
    markets: int
    """Number of markets of the part"""
    reason: str | None
    """Why nothing pays for the part, or why it has no rows. Otherwise null"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit(Named):
    """A series, event or market that matches the search."""

    kind: Literal["series", "event", "market"]
    """Kind of the hit"""
    id: str
    """Id or ticker of the hit"""
    title: str | None
    """Title of the hit"""
    category: str | None
    """Slug of the category"""
    series: str | None
    """Id of the series"""
    event_ticker: str | None
    """Ticker of the event"""
    status: str | None
    """Status: `live`, `closed` or `finalized`"""
    close_ts: datetime | None
    """Close time (UTC)"""
    score: float
    """Relevance of the hit. Higher is better"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResponse(Named):
    q: str
    """Search words of the request"""
    count: int
    """Number of items in this answer"""
    offset: int
    """Number of skipped hits"""
    limit: int
    """Maximum number of hits in this answer"""
    has_more: bool
    """Whether more items follow this answer"""
    next_offset: int | None
    """
    `offset` of the next page. Null on the last page, and when the next offset would exceed 10000. In that
    case, narrow the time filters
    """
    corrected_query: str | None = None
    """
    The words that were searched instead, if nothing matches `q`: each unknown word is replaced by the word of
    the nearest spelling. Absent otherwise, and always with `as_of`
    """
    hits: tuple[SearchHit, ...]
    """Hits, best first"""
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesDetailResponse(Named):
    source: Literal["archive", "cache"]
    """`archive` if the answer was read now, `cache` if its figures were computed before"""
    series: SeriesItem
    label_source: Literal["venue", "almanac"] | None
    """`venue` if the label is from the venue, `almanac` if it was made from the id or named by an import"""
    count: int
    """Number of markets in this answer"""
    markets: tuple[Market, ...]
    """Markets in this answer: newest close first, then by ticker"""
    has_more: bool
    """Whether more items follow this answer"""
    next_offset: int | None
    """
    `offset` of the next page. Null on the last page, and when the next offset would exceed 10000. In that
    case, narrow the time filters
    """
    events: tuple[EventItem, ...] | None = None
    """Events of the series. Absent if the series is rolling"""
    events_has_more: bool | None = None
    """Whether the series has more events"""
    next_event_offset: int | None = None
    """`event_offset` of the next page of events. Null on the last page"""
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesItem(Named):
    """A series groups markets of one kind."""

    id: str
    """Id of the series"""
    label: str
    """Display name"""
    category: str | None
    """Slug of the category"""
    category_label: str | None
    """Category name from the venue"""
    shape: str | None
    """`rolling` if the series always has a next market"""
    markets_n: int | None
    """Number of markets in the series"""
    live_n: int | None
    """Number of live markets"""
    closed_n: int | None
    """Number of markets that are not live"""
    events_n: int | None
    """Number of events in the series"""
    sample_title: str | None
    """Title of one market of the series"""
    next_close_ts: datetime | None
    """Earliest close in the future (UTC)"""
    last_close_ts: datetime | None
    """Latest close in the past (UTC)"""
    min_open_ts: datetime | None
    """Earliest open of all markets (UTC)"""
    status: str | None
    """`live` while at least one market is live, otherwise `closed` or `finalized`"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesResponse(Named):
    count: int
    """Number of items in this answer"""
    series: tuple[SeriesItem, ...]
    """Series in this answer: live series first, then by newest close, then by id"""
    source: Literal["archive", "cache"] | None
    saved_ts: datetime | None
    """Time when the cached figures were computed (UTC). Null with `as_of`"""
    markets_n: int | None
    """Total number of markets that match the filters"""
    series_n: int | None
    """Total number of series that match the filters"""
    events_n: int | None
    """Total number of events that match the filters"""
    has_more: bool
    """Whether more items follow this answer"""
    next_offset: int | None
    """
    `offset` of the next page. Null on the last page, and when the next offset would exceed 10000. In that
    case, narrow the time filters
    """
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceReport(Named):
    """A service, and whether it answered."""

    service: str
    """Name of the service"""
    processes: int
    """Processes that answered. Zero means that the service is silent"""
    streams_known: bool
    """False if the service did not report its streams, so they are missing from this answer"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot(Named):
    """A stored observation. Sizes and order books are included only on request."""

    ts: datetime | None
    """Time of the observation (UTC)"""
    venue_ts: datetime | None
    """Time of the observation at the venue (UTC)"""
    seq: int | None
    """Sequence number from the venue"""
    yes_best_bid: Number | None
    """Best bid on the yes side, as a fraction of 1"""
    yes_best_ask: Number | None
    """Best ask on the yes side, as a fraction of 1"""
    coin_price: Number | None
    """Coin price in USD"""
    yes_best_bid_size: Number | None = None
    """Size at the best bid on the yes side, in contracts. Null if it is unknown, or if that side is empty"""
    yes_best_ask_size: Number | None = None
    """Size at the best ask on the yes side, in contracts. Null if it is unknown, or if that side is empty"""
    orderbook_yes: tuple[tuple[Number, Number], ...] | None = None
    """
    Bids on the yes side, best first, each as `[price, size]`. The price is a fraction of 1, the size is in
    contracts. Null if no order book was captured
    """
    orderbook_no: tuple[tuple[Number, Number], ...] | None = None
    """
    Bids on the no side, best first, each as `[price, size]`. The price is a fraction of 1, the size is in
    contracts. Null if no order book was captured
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotsResponse(Named):
    ticker: str
    """Ticker of the market"""
    series: str | None
    """Id of the series"""
    start_ts: datetime
    """Start of the window (inclusive) (UTC)"""
    end_ts: datetime
    """End of the window (exclusive) (UTC)"""
    step_ms: int
    """Downsampling step in milliseconds. 0 means every stored row"""
    include_book: bool
    """Whether the snapshots have order books"""
    matched: int
    """Number of stored observations in the window"""
    count: int
    """Number of observations in this answer"""
    market: Market | None
    snapshots: tuple[Snapshot, ...]
    """Last observation of each step, oldest first"""
    key_mode: str | None
    """Plan of the API key"""
    clamped: bool | None
    """Whether the window was shortened to the maximum length"""
    preview: bool | None
    """Whether the answer is a preview"""
    layer: str | None
    """`l2` if a snapshot in this answer has an order book, otherwise `top`"""
    has_more: bool
    """Whether more items follow this answer"""
    next_start_ts: datetime | None
    """`start_ts` of the next page (UTC). Null on the last page"""
    notice: str | None
    """Why requested order books are not included. Null if nothing was left out"""
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamStatus(Named):
    """A stream of NATS."""

    stream: str
    """Name of the stream at NATS"""
    exists: bool
    """False if NATS does not have the stream"""
    messages: int
    """Stored messages"""
    bytes: int
    """Stored bytes"""
    limit_bytes: int | None
    """Storage limit of the stream. Null means no limit"""
    newest_ts: datetime | None
    """Time of the newest message (UTC)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StrikeLevel(Named):
    """One market in a strike ladder."""

    ticker: str
    """Ticker of the market"""
    floor_strike: Number | None
    """Strike value, in the unit of the underlying"""
    strike_type: str | None
    """How the outcome compares to the strike"""
    status: str | None
    """
    Status at the time of the answer: `live` before the close, `finalized` when the result or settlement is
    known, otherwise `closed`
    """
    result: str | None
    """Outcome of the market, such as `yes` or `no`"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemFault(Named):
    """A fault of the running system, with its remedy."""

    fault: str
    """What is wrong"""
    remedy: str
    """What to do"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TickRange(Named):
    """A range of prices with one step."""

    start: Number
    """Lowest price of the range"""
    end: Number
    """Highest price of the range"""
    step: Number
    """Price step in the range"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade(Named):
    """A trade of a market."""

    ts: datetime
    """Time of the trade (UTC): when the recorder received it. If no recorder did, the time at the venue"""
    venue_ts: datetime | None
    """Time of the trade at the venue (UTC)"""
    trade_id: str
    """Id of the trade at the venue"""
    price: Number
    """Price on the yes side, as a fraction of 1"""
    size: Number
    """Number of contracts"""
    taker_side: Literal["yes", "no"] | None
    """Side that the taker bought. Selling yes is buying no. Null if the source has no side"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TradesResponse(Named):
    ticker: str
    """Ticker of the market"""
    series: str | None
    """Id of the series"""
    start_ts: datetime | None
    """Start of the window (inclusive) (UTC). Null without a bound"""
    end_ts: datetime | None
    """End of the window (exclusive) (UTC). Null without a bound"""
    order: Literal["asc", "desc"]
    """`asc` for oldest first, `desc` for newest first"""
    count: int
    """Number of trades in this answer"""
    trades: tuple[Trade, ...]
    """Trades by time, then by id"""
    has_more: bool
    """Whether more items follow this answer"""
    next_cursor: str | None
    """`cursor` of the next page. Null on the last page"""
    as_of: datetime | None = None
    """`as_of` of the request. Absent without it"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableMessages(Named):
    """Messages that cannot be read as events."""

    count: int
    """Messages of event streams that are no events"""
    examples: tuple[UnreadableMessagesExamples, ...]
    """At most 20 of them"""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableMessagesExamples(Named):
    stream: str
    """Event stream of the message"""
    sequence: int
    """Its sequence in the stream"""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpgradeOption(Named):
    """Upgrade to a plan that covers the export."""

    type: Literal["upgrade"]
    """Kind of the option"""
    tier_id: Literal["free", "pro", "full_book", "internal"]
    """Id of the plan"""
    price: Money
    """Price per month"""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpgradeResponse(Named):
    """A plan upgrade."""

    mode: Literal["stub", "stripe"]
    """
    `stripe` if you pay on a hosted page. `stub` if the server has no payment provider and completes the
    purchase at once
    """
    plan: Literal["free", "pro", "full_book", "internal"]
    """Requested plan. With a hosted checkout, it becomes active after the payment"""
    checkout_url: str | None
    """URL of the hosted payment page. Null if there is nothing to pay"""
    remarks: tuple[str, ...] | None = None
    """What you should know about the payment"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationError(Named):
    """One problem in the request."""

    loc: tuple[str | int, ...]
    """Location of the problem: `path`, `query`, `body` or `header`, then the field"""
    msg: str
    """What is wrong and what to do, for people"""
    type: str
    """Kind of the problem, for programs"""
    input: object
    """Value that was sent. For a query parameter, the raw text"""
    ctx: Mapping[str, object] | None = None
    """Details of the problem, such as the limit that was exceeded"""


@dataclass(frozen=True, slots=True, kw_only=True)
class VenueCandleRange(Named):
    """Stored candles of a venue in one period."""

    source: str
    """Whose candles they are"""
    period_s: int
    """Length of their period in seconds"""
    start_ts: datetime
    """Start of the first one (UTC)"""
    end_ts: datetime
    """End of the last one (UTC)"""
    candles: int
    """Number of candles"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook(Named):
    """A webhook without its secret."""

    id: str
    """Id of the webhook"""
    url: str
    """Address that gets the deliveries"""
    description: str
    """Display name"""
    events: tuple[Literal["export.created", "export.ready", "export.failed", "export.cancelled", "market.settled", "market.data_changed"], ...]
    """Types of events that are sent"""
    tickers: tuple[str, ...]
    """Tickers of the markets whose events are sent"""
    series: tuple[str, ...]
    """Series whose markets’ events are sent"""
    created_ts: datetime
    """Time when the webhook was created (UTC)"""
    status: Literal["enabled", "disabled"]
    """Status. A disabled webhook gets no deliveries"""
    disabled_reason: str | None
    """Why the server disabled the webhook. Null if it is enabled"""
    disabled_ts: datetime | None
    """Time when the server disabled the webhook (UTC). Null if it is enabled"""
    previous_secret_expires_ts: datetime | None
    """Until this time (UTC), deliveries also have a signature of the secret before. Null without one"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookAttempt(Named):
    """An attempt to deliver an event."""

    id: str
    """Id of the delivery, which is its `webhook-id` header"""
    type: str
    """Type of the event"""
    object: str
    """Id of the export, or ticker of the market. Deliveries of one object are sent in order"""
    attempt: int
    """Number of the attempt, from 1"""
    status: Literal["succeeded", "failed"]
    """Whether the address answered with a status from 200 to 299"""
    sent_ts: datetime
    """Time of the attempt (UTC)"""
    duration_ms: int
    """Duration of the attempt in milliseconds"""
    response_status: int | None
    """HTTP status of the answer. Null without an answer"""
    error: str | None
    """Why the attempt failed. Null if it succeeded"""
    next_attempt_ts: datetime | None
    """Time of the next attempt (UTC). Null if there is none"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookBody(Named):
    url: str
    """
    Address that gets the deliveries, 1 to 500 characters: `https`, without a user name, at a public host. The
    server follows no redirect
    """
    events: tuple[Literal["export.created", "export.ready", "export.failed", "export.cancelled", "market.settled", "market.data_changed"], ...]
    """Types of events to send"""
    tickers: tuple[str, ...] | None = None
    """Send events of these markets. Events of markets need at least one ticker or series. Up to 50"""
    series: tuple[str, ...] | None = None
    """
    Send events of all markets of these series. Events of markets need at least one ticker or series. Up to 50
    """
    description: str | None = None
    """Display name, up to 80 characters"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookDeliveriesResponse(Named):
    count: int
    """Number of attempts in this answer"""
    deliveries: tuple[WebhookAttempt, ...]
    """Attempts, newest first"""
    has_more: bool
    """Whether more items follow this answer"""
    next_cursor: str | None
    """`cursor` of the next page. Null on the last page"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookDelivery(Named):
    """A queued delivery."""

    delivery_id: str
    """Id of the delivery, which is its `webhook-id` header"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookWithSecret(Named):
    """A webhook with its new secret."""

    id: str
    """Id of the webhook"""
    url: str
    """Address that gets the deliveries"""
    description: str
    """Display name"""
    events: tuple[Literal["export.created", "export.ready", "export.failed", "export.cancelled", "market.settled", "market.data_changed"], ...]
    """Types of events that are sent"""
    tickers: tuple[str, ...]
    """Tickers of the markets whose events are sent"""
    series: tuple[str, ...]
    """Series whose markets’ events are sent"""
    created_ts: datetime
    """Time when the webhook was created (UTC)"""
    status: Literal["enabled", "disabled"]
    """Status. A disabled webhook gets no deliveries"""
    disabled_reason: str | None
    """Why the server disabled the webhook. Null if it is enabled"""
    disabled_ts: datetime | None
    """Time when the server disabled the webhook (UTC). Null if it is enabled"""
    previous_secret_expires_ts: datetime | None
    """Until this time (UTC), deliveries also have a signature of the secret before. Null without one"""
    secret: str | None
    """
    The secret that signs deliveries, in the form of Standard Webhooks. It is shown only in this answer. Null
    if this answer repeats an earlier one
    """
    secret_already_shown: bool | None = None
    """
    True if an earlier request with the same `Idempotency-Key` created the webhook. Then `secret` is null
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhooksResponse(Named):
    count: int
    """Number of webhooks"""
    limit: int
    """Maximum number of webhooks of an account"""
    webhooks: tuple[Webhook, ...]
    """All webhooks of the account, newest first"""
    notices: tuple[Notice, ...] | None = None
    """What the answer does not show by itself. Absent if there is nothing to say"""
