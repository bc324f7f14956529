-- The batches whose rows may be stored and whose markets may not have their new data version yet. A batch is written
-- before its rows, and again with `announced` after its events. The timeseries service announces what stays. Of the rows
-- of one id, an announced one is current.
CREATE TABLE IF NOT EXISTS unannounced_batches
(
    id         UUID,
    at         DateTime64(3, 'UTC') DEFAULT now64(3),
    announced  Bool,
    -- JSON: the changes of the markets. Empty once they are announced.
    changes    String CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(announced)
ORDER BY id
TTL toDateTime(at) + INTERVAL 1 DAY DELETE WHERE announced
SETTINGS index_granularity = 1024;
