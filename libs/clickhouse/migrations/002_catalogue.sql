-- The catalogue's read models. `seq` is the sequence of the event in its stream: the newest wins whatever the
-- order of the writes, so an event that comes twice or late changes nothing. Times are integer microseconds
-- since 1970, null where unknown; an empty text is an unknown one. Read with FINAL.
--
-- Words are found with hasAllTokens(lower(title), …): the same answer whether or not the index is used.
--
-- Ordered by id because only an id never changes: a market's close, series or event may, and a table ordered by
-- one of them would keep the old row beside the new. A ticker starts with its series and its event, so a series is
-- a few neighbouring granules and the indexes below skip the others.
--
-- `words` holds the words of title, label, category and id in lower case, each after one blank.
CREATE TABLE IF NOT EXISTS series
(
    id              String,
    label           String,
    category        LowCardinality(String),
    category_label  LowCardinality(String),
    shape           LowCardinality(String),
    words           String,
    seq             UInt64
)
ENGINE = ReplacingMergeTree(seq)
ORDER BY id
SETTINGS index_granularity = 1024;

CREATE TABLE IF NOT EXISTS events
(
    event_ticker  String,
    title         String,
    series        LowCardinality(String),
    category      LowCardinality(String),
    words         String,
    seq           UInt64,
    INDEX by_series series TYPE set(64)
)
ENGINE = ReplacingMergeTree(seq)
ORDER BY event_ticker
SETTINGS index_granularity = 1024;

-- coin_price_start and coin_price_end are the source's, else the first and last observed while the market was open.
CREATE TABLE IF NOT EXISTS markets
(
    ticker            String,
    series            LowCardinality(String),
    event_ticker      String,
    title             String,
    category          LowCardinality(String),
    category_label    LowCardinality(String),
    capture           LowCardinality(String),
    venue_status      LowCardinality(Nullable(String)),
    result            LowCardinality(Nullable(String)),
    strike_type       LowCardinality(Nullable(String)),
    open_us           Nullable(Int64),
    close_us          Nullable(Int64),
    settlement_us     Nullable(Int64),
    floor_strike      Nullable(Decimal(18, 8)),
    coin_price_start  Nullable(Decimal(18, 8)),
    coin_price_end    Nullable(Decimal(18, 8)),
    expiration_value  Nullable(Decimal(18, 8)),
    words             String,
    seq               UInt64,
    INDEX by_series series TYPE set(64),
    INDEX by_event event_ticker TYPE bloom_filter(0.01),
    INDEX by_close close_us TYPE minmax
)
ENGINE = ReplacingMergeTree(seq)
ORDER BY ticker
SETTINGS index_granularity = 1024;
