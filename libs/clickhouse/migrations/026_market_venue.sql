-- The venue that lists the market, as a source states it. Null for a row from before this migration, until a source states it
-- again.
ALTER TABLE markets ADD COLUMN IF NOT EXISTS venue LowCardinality(Nullable(String)) AFTER category_label;
