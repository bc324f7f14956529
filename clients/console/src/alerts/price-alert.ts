import { meanOf } from '../charts/price-points.js';

export const alertedValues = ['mid', 'bid', 'ask'] as const;
export type AlertedValue = (typeof alertedValues)[number];

/** What an alert found: the first observation at or beyond its price. */
export interface Crossing {
  readonly ts: number;
  readonly value: number;
  /** The observation before it. The price can have crossed at any time since. */
  readonly before_ts: number | null;
}

/** A price of a market that somebody waits for. */
export interface PriceAlert {
  readonly id: string;
  readonly ticker: string;
  readonly title: string;
  readonly of: AlertedValue;
  readonly price: number;
  /** By the clock of the browser. */
  readonly set_ts: number;
  /** Where the value was when it was last known. Null while it is not known, or is the price itself. */
  readonly side: 'below' | 'above' | null;
  /** Until when everything was compared. Null before the first answer. */
  readonly last_ts: number | null;
  /** The last observation of the market before what is compared next. */
  readonly known_ts: number | null;
  readonly crossing: Crossing | null;
  /** The close of a market that ended before. */
  readonly ended_ts: number | null;
  /** Whether the person has closed the message. */
  readonly isSeen: boolean;
}

/** Best prices at a time, as the API answers them. */
export interface PricesAt {
  readonly ts?: number | null | undefined;
  readonly yes_best_bid?: number | null | undefined;
  readonly yes_best_ask?: number | null | undefined;
}

export const isWaiting = ({ crossing, ended_ts }: PriceAlert): boolean => crossing === null && ended_ts === null;

/** With at most the digits that prices of venues have. */
const digitsMax = 4;

/** A price between 0 and 1, as somebody types it, also with a comma. Undefined: it is none. */
export const priceIn = (text: string): number | undefined => {
  const value = /^\s*(\d*[.,]?\d+)\s*$/.exec(text)?.[1]?.replace(',', '.');
  const price = Number(Number(value ?? Number.NaN).toFixed(digitsMax));
  return price > 0 && price < 1 ? price : undefined;
};

/** The price of a step of the market that is nearest to a place on a chart. */
export const onTick = (value: number, tick: number): number =>
  Number(Math.min(1 - tick, Math.max(tick, Math.round(value / tick) * tick)).toFixed(digitsMax));

export const valueOf = (prices: PricesAt, of: AlertedValue): number | null => {
  const [bid, ask] = [prices.yes_best_bid ?? null, prices.yes_best_ask ?? null];
  return { mid: meanOf(bid, ask), bid, ask }[of];
};

/** Null at the price itself: an alert that is set there waits until the price has left it. */
export const sideOf = (value: number | null, price: number): PriceAlert['side'] =>
  value === null || value === price ? null : value < price ? 'below' : 'above';

const hasCrossed = (value: number, { side, price }: Pick<PriceAlert, 'side' | 'price'>): boolean =>
  (side === 'below' && value >= price) || (side === 'above' && value <= price);

/** The alert after these observations, of which each is compared once. Those before the last compared one do not count. */
export const compared = (alert: PriceAlert, rows: readonly PricesAt[]): PriceAlert => {
  let { side, last_ts, known_ts } = alert;
  for (const row of rows) {
    const ts = row.ts ?? null;
    if (ts === null || (last_ts !== null && ts <= last_ts)) continue;
    const value = valueOf(row, alert.of);
    if (value !== null && hasCrossed(value, { side, price: alert.price }))
      return { ...alert, side, last_ts: ts, known_ts, crossing: { ts, value, before_ts: known_ts } };
    side = sideOf(value, alert.price) ?? side;
    if (value !== null) known_ts = ts;
    last_ts = ts;
  }
  return last_ts === alert.last_ts ? alert : { ...alert, side, last_ts, known_ts };
};

/**
 * The alert with what its market costs now, from which on it compares. In a gap nothing is known now: then the price that its person
 * saw counts, and what comes after the time at which it was set.
 */
export const begun = (alert: PriceAlert, now: PricesAt | undefined): PriceAlert => {
  const ts = now?.ts ?? null;
  if (now === undefined || ts === null) return { ...alert, last_ts: alert.set_ts };
  return { ...alert, side: sideOf(valueOf(now, alert.of), alert.price), last_ts: ts, known_ts: ts };
};

const isNumberOrNull = (value: unknown): boolean => value === null || Number.isFinite(value);

const isCrossing = (value: unknown): boolean => {
  if (value === null) return true;
  if (typeof value !== 'object') return false;
  const { ts, value: price, before_ts } = value as Partial<Record<keyof Crossing, unknown>>;
  return Number.isFinite(ts) && Number.isFinite(price) && isNumberOrNull(before_ts);
};

const isAlert = (value: unknown): value is PriceAlert => {
  if (typeof value !== 'object' || value === null) return false;
  const given = value as Partial<Record<keyof PriceAlert, unknown>>;
  const texts = [given.id, given.ticker, given.title];
  return (
    texts.every((text) => typeof text === 'string') &&
    alertedValues.some((of) => of === given.of) &&
    [given.price, given.set_ts].every(Number.isFinite) &&
    [given.last_ts, given.known_ts, given.ended_ts].every(isNumberOrNull) &&
    [null, 'below', 'above'].some((side) => side === given.side) &&
    typeof given.isSeen === 'boolean' &&
    isCrossing(given.crossing)
  );
};

/** Waiting ones of an account. Each costs requests. */
export const waitingMax = 50;
const endedMax = 20;

/** Without the oldest of those that no longer wait. */
export const limited = (alerts: readonly PriceAlert[]): PriceAlert[] => {
  const ended = alerts.filter((alert) => !isWaiting(alert)).slice(0, endedMax);
  const waiting = alerts.filter(isWaiting).slice(0, waitingMax);
  return alerts.filter((alert) => ended.includes(alert) || waiting.includes(alert));
};

/** What a browser has stored can be of another release, or of somebody's hand. */
export const alertsIn = (text: string | null): PriceAlert[] => {
  try {
    const stored: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(stored) ? limited(stored.filter(isAlert)) : [];
  } catch {
    return [];
  }
};
