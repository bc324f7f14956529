-- The earliest close beside the latest: whether an event has a market that closes in a window is told by the two, but for
-- a window that lies between them.
ALTER TABLE event_figures ADD COLUMN IF NOT EXISTS oldest_close_us Nullable(Int64) AFTER newest_close_us;

INSERT INTO event_figures (event_ticker, series, markets_n, known_n, strikes_n, close_key, newest_close_us,
  oldest_close_us, open_us, computed)
SELECT event_ticker, argMax(series, seq), count(), countIf(known), countIf(isNotNull(floor_strike)), max(close_key),
  max(close_us), min(close_us), min(open_us), now64(6)
FROM markets FINAL
WHERE event_ticker != ''
GROUP BY event_ticker;
