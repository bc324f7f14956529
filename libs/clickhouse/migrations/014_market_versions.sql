-- What reads as of a time need of a market: from when it is listed (null: no value has a knowledge time), and of each dated
-- field its versions with their knowledge times, the earliest first. `markets-as-of.ts` reads them. Rows from before this
-- migration have none, so such a market is not listed as of any time until `npm run rebuild -- catalogue`.
ALTER TABLE markets ADD COLUMN IF NOT EXISTS listed_us Nullable(Int64);

ALTER TABLE markets ADD COLUMN IF NOT EXISTS title_versions Array(Tuple(Int64, Nullable(String)));

ALTER TABLE markets ADD COLUMN IF NOT EXISTS venue_status_versions Array(Tuple(Int64, Nullable(String)));

ALTER TABLE markets ADD COLUMN IF NOT EXISTS result_versions Array(Tuple(Int64, Nullable(String)));

ALTER TABLE markets ADD COLUMN IF NOT EXISTS open_us_versions Array(Tuple(Int64, Nullable(Int64)));

ALTER TABLE markets ADD COLUMN IF NOT EXISTS close_us_versions Array(Tuple(Int64, Nullable(Int64)));

ALTER TABLE markets ADD COLUMN IF NOT EXISTS settlement_us_versions Array(Tuple(Int64, Nullable(Int64)));

ALTER TABLE markets ADD COLUMN IF NOT EXISTS floor_strike_versions Array(Tuple(Int64, Nullable(String)));

ALTER TABLE markets ADD COLUMN IF NOT EXISTS coin_price_start_versions Array(Tuple(Int64, Nullable(String)));

ALTER TABLE markets ADD COLUMN IF NOT EXISTS expiration_value_versions Array(Tuple(Int64, Nullable(String)));

-- The searched words with each version of the title, and those of the event and the series, which are fixed.
ALTER TABLE markets ADD COLUMN IF NOT EXISTS words_versions Array(Tuple(Int64, Nullable(String)));

ALTER TABLE markets ADD COLUMN IF NOT EXISTS event_words String;

ALTER TABLE markets ADD COLUMN IF NOT EXISTS series_words LowCardinality(String);
