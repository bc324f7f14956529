/** The prices of a venue candle: of the best bids and asks on the yes side, and of its trades. */
export const venueCandlePrices = [
  'yes_bid_open',
  'yes_bid_high',
  'yes_bid_low',
  'yes_bid_close',
  'yes_ask_open',
  'yes_ask_high',
  'yes_ask_low',
  'yes_ask_close',
  'price_open',
  'price_high',
  'price_low',
  'price_close',
  'price_mean',
  'price_previous',
] as const;

/** The numbers of contracts: traded in the period, and open at its end. */
export const venueCandleSizes = ['volume', 'open_interest'] as const;

/**
 * The columns of a stored batch of venue candles, in the order of its tab-separated values. `stated_ts` is when the candle was
 * received, or imported if no receipt is known. Of two statements of one candle, the later one wins.
 */
export const venueCandleColumns = [
  'ticker',
  'series',
  'source',
  'period_s',
  'start_ts',
  'end_ts',
  'stated_ts',
  ...venueCandlePrices,
  ...venueCandleSizes,
] as const;
