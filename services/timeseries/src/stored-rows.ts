/**
 * The stored observations of several markets. Every read of several markets selects from here, so a condition on the
 * rows that a caller may see has one place. Params: tickers.
 */
export const storedRows = 'snapshots FINAL';
/** The stored trades, each once. */
export const storedTrades = 'trades FINAL';
/** The venue candles, each by its last statement. */
export const storedVenueCandles = 'venue_candles FINAL';
export const ofTickers = 'ticker IN {tickers:Array(String)}';
/** Time of a row in integer microseconds. */
export const rowUs = 'toUnixTimestamp64Micro(ts)';
