-- How the feeds and the chain of a venue name a market: condition, token of yes, token of no, an empty text where unknown. No
-- entry for a market of a venue that uses its tickers. Asked with hasAny(feed_ids, […]). A row from before this migration
-- has none until a source states them again.
ALTER TABLE markets ADD COLUMN IF NOT EXISTS feed_ids Array(String) CODEC(ZSTD(1));

ALTER TABLE markets ADD INDEX IF NOT EXISTS by_feed_ids feed_ids TYPE bloom_filter(0.001) GRANULARITY 1;
