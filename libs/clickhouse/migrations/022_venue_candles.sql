-- The candles of venues, as they state them: never mixed with what is computed of observations and trades. One row per market,
-- period, source and end. Of two statements of one candle, the later one wins: by its receipt, otherwise by its import. Read with
-- FINAL.
--
-- `start_ts` is `period_s` before the end. A venue's day is one of its own zone. A null is what the venue does not state, such as
-- prices of a period without a trade.
CREATE TABLE IF NOT EXISTS venue_candles
(
    ticker          String CODEC(ZSTD(1)),
    series          LowCardinality(String),
    source          LowCardinality(String),
    period_s        UInt32 CODEC(ZSTD(1)),
    start_ts        DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    end_ts          DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    stated_ts       DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    yes_bid_open    Nullable(Decimal(9, 6)) CODEC(ZSTD(1)),
    yes_bid_high    Nullable(Decimal(9, 6)) CODEC(ZSTD(1)),
    yes_bid_low     Nullable(Decimal(9, 6)) CODEC(ZSTD(1)),
    yes_bid_close   Nullable(Decimal(9, 6)) CODEC(ZSTD(1)),
    yes_ask_open    Nullable(Decimal(9, 6)) CODEC(ZSTD(1)),
    yes_ask_high    Nullable(Decimal(9, 6)) CODEC(ZSTD(1)),
    yes_ask_low     Nullable(Decimal(9, 6)) CODEC(ZSTD(1)),
    yes_ask_close   Nullable(Decimal(9, 6)) CODEC(ZSTD(1)),
    price_open      Nullable(Decimal(9, 6)) CODEC(ZSTD(1)),
    price_high      Nullable(Decimal(9, 6)) CODEC(ZSTD(1)),
    price_low       Nullable(Decimal(9, 6)) CODEC(ZSTD(1)),
    price_close     Nullable(Decimal(9, 6)) CODEC(ZSTD(1)),
    price_mean      Nullable(Decimal(9, 6)) CODEC(ZSTD(1)),
    price_previous  Nullable(Decimal(9, 6)) CODEC(ZSTD(1)),
    volume          Nullable(Decimal(18, 6)) CODEC(ZSTD(1)),
    open_interest   Nullable(Decimal(18, 6)) CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(stated_ts)
ORDER BY (ticker, period_s, source, end_ts);
