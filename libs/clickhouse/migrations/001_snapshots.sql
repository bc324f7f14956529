-- One stored observation per market and microsecond. ReplacingMergeTree without a version column: the row
-- stored last wins by the order of inserts, which no clock can turn around. Read with FINAL.
--
-- A month a partition and never a key in two of them, so FINAL may work on each partition alone
-- (do_not_merge_across_partitions_select_final) and a window reads one or two. Granules of 512 rows: a window of
-- 900 rows reads three of them and not 8,192 rows of books.
CREATE TABLE IF NOT EXISTS snapshots
(
    ticker         String CODEC(ZSTD(1)),
    series         LowCardinality(String),
    ts             DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    venue_ts       Nullable(DateTime64(6, 'UTC')) CODEC(Delta, ZSTD(1)),
    seq            Nullable(UInt64) CODEC(Delta, ZSTD(1)),
    yes_best_bid   Nullable(Decimal(9, 6)) CODEC(Delta, ZSTD(1)),
    yes_best_ask   Nullable(Decimal(9, 6)) CODEC(Delta, ZSTD(1)),
    coin_price     Nullable(Decimal(18, 8)) CODEC(Delta, ZSTD(1)),
    -- A book is its bids, best first, as (price, size). An array cannot be null, so this tells "no book known" (false) from "a book with an empty side" (true).
    has_book       Bool DEFAULT false,
    orderbook_yes  Array(Tuple(Decimal(9, 6), Decimal(18, 6))) CODEC(ZSTD(1)),
    orderbook_no   Array(Tuple(Decimal(9, 6), Decimal(18, 6))) CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(ts)
ORDER BY (ticker, ts)
SETTINGS index_granularity = 512;
