-- The complete state of a series as JSON, so that a starting service reads all series in one query. Empty in a row of an older
-- release.
ALTER TABLE series ADD COLUMN IF NOT EXISTS state String CODEC(ZSTD(1));
