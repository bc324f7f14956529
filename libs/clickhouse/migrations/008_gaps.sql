-- Times in which the recording of a market missed something, so that nobody takes a hole for a quiet market. Integer
-- microseconds since 1970; end_us is null while it lasts. The same gap comes when it begins and when it ends: the row stored
-- last wins. Read with FINAL.
CREATE TABLE IF NOT EXISTS gaps
(
    ticker    String,
    start_us  Int64,
    end_us    Nullable(Int64),
    reason    LowCardinality(String)
)
ENGINE = ReplacingMergeTree
ORDER BY (ticker, start_us)
SETTINGS index_granularity = 1024;

-- How long before ts the trade was that coin_price is of; null where it is not known.
ALTER TABLE snapshots ADD COLUMN IF NOT EXISTS coin_price_age_us Nullable(Int64) CODEC(T64, ZSTD(1)) AFTER coin_price;
