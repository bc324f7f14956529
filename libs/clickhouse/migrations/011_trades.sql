-- One trade per market and venue id, whatever sources have it. The merge of its rows does not depend on their order: the
-- earliest receive time, the most exact venue time (a source cuts digits, it never adds any), and the last values.
-- Read with FINAL.
--
-- The order has no time, because two sources may give one trade different times, and equal trades must meet in one
-- key. For the same reason there are no partitions.
CREATE TABLE IF NOT EXISTS trades
(
    ticker       String CODEC(ZSTD(1)),
    trade_id     String CODEC(ZSTD(1)),
    series       SimpleAggregateFunction(anyLast, LowCardinality(String)),
    venue_ts     SimpleAggregateFunction(max, Nullable(DateTime64(6, 'UTC'))) CODEC(ZSTD(1)),
    -- When the recorder received it. Null for a dump, which only has the venue's time.
    received_ts  SimpleAggregateFunction(min, Nullable(DateTime64(6, 'UTC'))) CODEC(ZSTD(1)),
    price        SimpleAggregateFunction(anyLast, Decimal(9, 6)) CODEC(ZSTD(1)),
    size         SimpleAggregateFunction(anyLast, Decimal(18, 6)) CODEC(ZSTD(1)),
    taker_side   SimpleAggregateFunction(anyLast, LowCardinality(Nullable(String))),
    -- The time of reads: as of snapshots, the receive time, otherwise the venue's.
    ts           DateTime64(6, 'UTC') ALIAS coalesce(received_ts, venue_ts, toDateTime64(0, 6, 'UTC'))
)
ENGINE = AggregatingMergeTree
ORDER BY (ticker, trade_id);
