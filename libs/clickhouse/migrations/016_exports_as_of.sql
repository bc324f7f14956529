-- The time as of which an export is, in Unix seconds. Null: it is of the present, or its row is from before this migration. Then
-- a list as of a time leaves it out until `npm run rebuild -- exports`.
ALTER TABLE exports ADD COLUMN IF NOT EXISTS as_of Nullable(Int64);
