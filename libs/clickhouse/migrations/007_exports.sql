-- The exports of each account, for its list. `seq` is the sequence of the event in its stream: the newest wins whatever
-- the order of the writes, so an event that comes twice or late changes nothing. Times are integer microseconds since
-- 1970. Read with FINAL. When an export was asked for never changes, so a row keeps its place.
CREATE TABLE IF NOT EXISTS exports
(
    account       String,
    requested_us  Int64,
    id            String,
    status        LowCardinality(String),
    event         Nullable(String),
    ticker        Nullable(String),
    series        Nullable(String),
    day           Nullable(String),
    format        LowCardinality(String),
    streams       Array(LowCardinality(String)),
    bytes         UInt64,
    row_count     Nullable(UInt64),
    filename      String,
    ready_us      Nullable(Int64),
    error         Nullable(String),
    seq           UInt64
)
ENGINE = ReplacingMergeTree(seq)
ORDER BY (account, requested_us, id)
SETTINGS index_granularity = 1024;
