-- Why a span is held to be complete (sequence, snapshot, silence, unknown), and whose clock dates its observations (receipt,
-- venue). Null if the recording did not state it.
ALTER TABLE recorded_spans
    ADD COLUMN IF NOT EXISTS basis LowCardinality(Nullable(String)) AFTER end_reason,
    ADD COLUMN IF NOT EXISTS clock LowCardinality(Nullable(String)) AFTER basis;
