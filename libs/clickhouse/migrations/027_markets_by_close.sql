-- The rows of `markets` in the order of listings, so that a page reads the first rows that match, however many follow. `markets` keeps
-- one row of each ticker, so it cannot have this order: a close may change. A row of a former close stays here. So these rows are
-- candidates, and the newest row of their ticker in `markets` decides.
--
-- Each index finds whole values or words by their list of rows, whose length follows the matches and not the table.
CREATE TABLE IF NOT EXISTS markets_by_close
(
    ticker          String,
    close_key       Int64,
    close_us        Nullable(Int64),
    known           Bool,
    series          String,
    event_ticker    String,
    category        String,
    words           String,
    seq             UInt64,
    -- An index finds no empty text, so '-' is a market without a series.
    series_or_none  String,
    INDEX by_words words TYPE text(tokenizer = splitByString([' '])),
    INDEX by_series series TYPE text(tokenizer = 'array'),
    INDEX by_series_or_none series_or_none TYPE text(tokenizer = 'array'),
    INDEX by_event event_ticker TYPE text(tokenizer = 'array'),
    INDEX by_category category TYPE text(tokenizer = 'array'),
    INDEX by_known known TYPE minmax
)
ENGINE = ReplacingMergeTree(seq)
ORDER BY (close_key DESC, ticker)
SETTINGS index_granularity = 256;

-- Every insert into `markets`, also by a process of the release before, is in both tables when it returns.
CREATE MATERIALIZED VIEW IF NOT EXISTS markets_by_close_tail TO markets_by_close AS
SELECT ticker, close_key, close_us, known, series, event_ticker, category, words, seq,
  if(series = '', '-', series) AS series_or_none
FROM markets;

-- An insert that began before the view was there is only in `markets`. With rows in it, wait until such inserts have ended.
SELECT sleepEachRow(3) FROM (SELECT 1 FROM markets LIMIT 1);

INSERT INTO markets_by_close (ticker, close_key, close_us, known, series, event_ticker, category, words, seq,
  series_or_none)
SELECT ticker, close_key, close_us, known, series, event_ticker, category, words, seq, if(series = '', '-', series)
FROM markets;

-- A ticker is in one part of many. Without this, each part is read where it might be.
ALTER TABLE markets ADD INDEX IF NOT EXISTS by_ticker ticker TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE markets MATERIALIZE INDEX by_ticker;
