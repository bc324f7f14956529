-- What a search of millions of markets needs beside words as a whole.
--
-- Ids are found in any case. Tickers stand in their order, so those of one granule are neighbours in small letters too,
-- and the index leaves a few granules of all for an id or the beginning of one.
ALTER TABLE markets ADD INDEX IF NOT EXISTS by_id lower(ticker) TYPE minmax;

ALTER TABLE markets MATERIALIZE INDEX by_id;

-- Every word that a market ever had. The beginning of a word stands for all that begin so: a range of this table, and
-- then words as a whole for the index of `markets`, which knows no beginnings.
CREATE TABLE IF NOT EXISTS market_words
(
    word  String
)
ENGINE = ReplacingMergeTree
ORDER BY word
SETTINGS index_granularity = 1024;

INSERT INTO market_words (word)
SELECT DISTINCT arrayJoin(splitByChar(' ', trimLeft(words))) AS word
FROM markets
WHERE words != '';
