-- Signs of life of rebuilds of read models, so that one at a time runs. The server's clock, not a client's.
CREATE TABLE IF NOT EXISTS rebuilds
(
    model  LowCardinality(String),
    run    UUID,
    ended  Bool DEFAULT false,
    at     DateTime64(6, 'UTC') DEFAULT now64(6)
)
ENGINE = MergeTree
ORDER BY (model, at)
TTL toDateTime(at) + INTERVAL 30 DAY;
