-- Prices of coins in USD, which belong to no market. A price holds from its time on. Of two with one time, the row stored last
-- wins. Read with FINAL.
CREATE TABLE IF NOT EXISTS coin_prices
(
    coin   LowCardinality(String),
    ts     DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    price  Decimal(18, 8) CODEC(Delta(8), ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(ts)
ORDER BY (coin, ts)
SETTINGS index_granularity = 1024;

-- Whether coin_price was taken from coin_prices, because the source of the row has none. Only such a price may be replaced by one of
-- coin_prices that is closer to the row.
ALTER TABLE snapshots ADD COLUMN IF NOT EXISTS coin_price_joined Bool DEFAULT false CODEC(ZSTD(1));
