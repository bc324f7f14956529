/** What the rules need of a candle, of ours or of a venue. */
export interface RuledCandle {
  readonly start_ts: number;
  readonly end_ts: number;
  readonly ranges: readonly PriceRange[];
  readonly price: PriceRange & { readonly mean: number | null; readonly previous: number | null };
  readonly volume: number | null;
}

export interface PriceRange {
  readonly open: number | null;
  readonly high: number | null;
  readonly low: number | null;
  readonly close: number | null;
}

const rangeFault = ({ open, high, low, close }: PriceRange): string | undefined => {
  const values = [open, high, low, close].filter((value) => value !== null);
  if (values.length === 0) return undefined;
  if (values.length < 4) return 'a range has some of its values';
  const isWithin = [open, close].every((value) => (low ?? 0) <= (value ?? 0) && (value ?? 0) <= (high ?? 0));
  return isWithin ? undefined : 'a value is outside of low and high';
};

/** The mean of prices is one of them or between them. */
const meanFault = ({ high, low, mean }: RuledCandle['price']): string | undefined => {
  if ((mean === null) !== (high === null)) return 'mean and price disagree';
  return mean !== null && (mean < (low ?? 0) || mean > (high ?? 0)) ? 'the mean is outside of low and high' : undefined;
};

/**
 * The rules that Kalshi's candles keep: periods are half open, from the epoch and in order, `previous` is the last close
 * before, the mean is within low and high, and the volume is above 0 exactly where a price exists. Returns what breaks
 * them.
 */
export const candleFaults = (candles: readonly RuledCandle[], periodS: number): string[] => {
  const faults: string[] = [];
  let lastClose: number | null = null;
  candles.forEach(({ start_ts, end_ts, ranges, price, volume }, at) => {
    const add = (fault: string): void => void faults.push(`${start_ts}: ${fault}`);
    if (end_ts - start_ts !== periodS || start_ts % periodS !== 0) add('the period is not one from the epoch');
    if (at > 0 && start_ts < (candles[at - 1]?.end_ts ?? 0)) add('the periods overlap, or are not in order');
    for (const fault of [...[...ranges, price].map(rangeFault), meanFault(price)]) {
      if (fault !== undefined) add(fault);
    }
    if ((volume ?? 0) > 0 !== (price.close !== null)) add('volume and price disagree');
    if (lastClose !== null && price.previous !== lastClose) add('previous is not the last close');
    if (price.close !== null) lastClose = price.close;
  });
  return faults;
};
