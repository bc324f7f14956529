-- The days of an export, which is one day for a day pack, and the request that created several exports. Null where an
-- export has none.
ALTER TABLE exports ADD COLUMN IF NOT EXISTS from_day Nullable(String);
ALTER TABLE exports ADD COLUMN IF NOT EXISTS to_day Nullable(String);
ALTER TABLE exports ADD COLUMN IF NOT EXISTS group_id Nullable(String);
