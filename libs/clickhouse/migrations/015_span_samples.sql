-- The interval of which the last book is stored. 1: every change, as books have microseconds. Null if the recording did not
-- state it.
ALTER TABLE recorded_spans ADD COLUMN IF NOT EXISTS sample_us Nullable(UInt64) AFTER tolerance_us;
