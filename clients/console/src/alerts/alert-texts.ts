import { price } from '../format/numbers.js';
import { dateTime, duration } from '../format/time.js';
import { paths } from '../parts/link.js';
import { roundedToMs } from '../charts/window.js';
import type { AlertedValue, Crossing, PriceAlert } from './price-alert.js';

export const valueNames: Readonly<Record<AlertedValue, string>> = { mid: 'Middle', bid: 'Bid', ask: 'Ask' };

type Condition = Pick<PriceAlert, 'of' | 'price' | 'side'>;

/** `Middle rises to 0.62`: what is waited for. */
export const conditionText = ({ of, price: at, side }: Condition): string => {
  const verb = side === null ? 'crosses' : side === 'below' ? 'rises to' : 'falls to';
  return `${valueNames[of]} ${verb} ${price(at)}`;
};

/** Longer without a price than this is said. */
const silentS = 60;

/** `Middle rose to 0.63 at …`, and since when it can have been so. */
export const crossingText = ({ of, side }: Condition, { ts, value, before_ts }: Crossing): string => {
  const verb = side === 'above' ? 'fell' : 'rose';
  const silent = before_ts === null ? 0 : ts - before_ts;
  const since = silent < silentS ? '' : `. The price before it is ${duration(Math.floor(silent))} older`;
  return `${valueNames[of]} ${verb} to ${price(value)} at ${dateTime(roundedToMs(ts))}${since}`;
};

export const endText = (closeTs: number): string => `Not reached before the close at ${dateTime(Math.floor(closeTs))}`;

const besideS = 120;

/** The view at the moment of a crossing, in the present: a time of the past may not know it. */
export const momentPath = (ticker: string, { ts }: Crossing): string =>
  `${paths.market(ticker)}?from=${roundedToMs(ts - besideS)}&to=${roundedToMs(ts + besideS)}&at=${roundedToMs(ts)}`;
