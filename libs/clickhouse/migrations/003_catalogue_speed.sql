-- What questions to a catalogue of millions of markets need. Listings read without FINAL: they take candidates by the
-- indexes below and verify each by the newest of its rows (`seq`), so an index only has to find, never to decide.
--
-- close_key orders markets by their close where it may be unknown: such a market comes first while the venue says that
-- it is open, else last. It does not depend on the clock: live is close_key > now. The greatest integer that a
-- JavaScript number holds exactly stands for "no end".
ALTER TABLE markets ADD COLUMN IF NOT EXISTS close_key Int64
  DEFAULT ifNull(close_us, if(ifNull(venue_status, '') IN ('open', 'active'), 9007199254740991, -1));

-- Its result or its settlement is known: it is finalized once it is not live.
ALTER TABLE markets ADD COLUMN IF NOT EXISTS known Bool DEFAULT isNotNull(result) OR isNotNull(settlement_us);

ALTER TABLE markets ADD INDEX IF NOT EXISTS by_close_key close_key TYPE minmax;

-- `words` are ours: lower case, one blank before each. Asked with hasAllTokens(words, […]).
ALTER TABLE markets ADD INDEX IF NOT EXISTS by_words words TYPE text(tokenizer = splitByString([' ']));

ALTER TABLE events ADD INDEX IF NOT EXISTS by_words words TYPE text(tokenizer = splitByString([' ']));

-- Rows that are there already get them in the background; until then they are computed where they are read.
ALTER TABLE markets MATERIALIZE COLUMN close_key;

ALTER TABLE markets MATERIALIZE COLUMN known;

ALTER TABLE markets MATERIALIZE INDEX by_close_key;

ALTER TABLE markets MATERIALIZE INDEX by_words;

ALTER TABLE events MATERIALIZE INDEX by_words;

-- Figures of the markets of an event, an event being whatever a market names as its own. `computed` is the server's
-- clock before they were computed from what was stored then: of two, the later saw all that the other saw.
CREATE TABLE IF NOT EXISTS event_figures
(
    event_ticker     String,
    series           LowCardinality(String),
    markets_n        UInt32,
    known_n          UInt32,
    strikes_n        UInt32,
    close_key        Int64,
    newest_close_us  Nullable(Int64),
    open_us          Nullable(Int64),
    computed         DateTime64(6, 'UTC'),
    INDEX by_series series TYPE set(64),
    INDEX by_close_key close_key TYPE minmax
)
ENGINE = ReplacingMergeTree(computed)
ORDER BY event_ticker
SETTINGS index_granularity = 1024;

INSERT INTO event_figures (event_ticker, series, markets_n, known_n, strikes_n, close_key, newest_close_us, open_us, computed)
SELECT event_ticker, argMax(series, seq), count(), countIf(known), countIf(isNotNull(floor_strike)), max(close_key),
  max(close_us), min(open_us), now64(6)
FROM markets FINAL
WHERE event_ticker != ''
GROUP BY event_ticker;
