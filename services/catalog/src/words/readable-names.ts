import type { MarketState } from '@almanac/contracts';

/** Titles and labels for what no source names, from the parts that are known. */

const coins: Readonly<Record<string, string>> = {
  BTC: 'Bitcoin',
  ETH: 'Ethereum',
  SOL: 'Solana',
  XRP: 'XRP',
  DOGE: 'Dogecoin',
  BNB: 'BNB',
  HYPE: 'Hyperliquid',
};
const spans: Readonly<Record<string, string>> = { M: 'minutes', H: 'hours' };

const coinSeries = /^KX([A-Z]{3,4}?)(?:(D)|(\d{1,3})([MH]))?$/;
const upDownSeries = /^([a-z]{3,4})-updown-(\d{1,3})([mh])$/;

/** `KXBTC15M` is "Bitcoin 15 minutes". An id of another form stays itself. */
export const readableSeries = (id: string): string => {
  const upDown = upDownSeries.exec(id);
  const [, symbol = '', day, length, unit] = coinSeries.exec(id) ?? [];
  const coin = coins[upDown?.[1]?.toUpperCase() ?? symbol];
  if (coin === undefined) return id;
  if (upDown) return `${coin} up or down ${spanText(upDown[2], upDown[3])}`;
  if (day !== undefined) return `${coin} daily`;
  return length === undefined ? coin : `${coin} ${spanText(length, unit)}`;
};

const spanText = (length = '', unit = ''): string => {
  const words = spans[unit.toUpperCase()] ?? unit;
  return `${length} ${length === '1' ? words.slice(0, -1) : words}`;
};

const minuteText = (us: number): string => `${new Date(us / 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** "Bitcoin 15 minutes: 65,434.98 or above, closes 2026-02-25 04:30 UTC". Null without a series, or without the rest. */
export const readableTitle = ({
  series,
  floor_strike: strike,
  strike_type: type,
  close_us: closeUs,
}: Pick<MarketState, 'series' | 'floor_strike' | 'strike_type' | 'close_us'>): string | null => {
  const parts = [
    ...(strike === null ? [] : [strikeText(strike, type)]),
    ...(closeUs === null ? [] : [`closes ${minuteText(closeUs)}`]),
  ];
  return series === null || parts.length === 0 ? null : `${readableSeries(series)}: ${parts.join(', ')}`;
};

/** "Bitcoin 15 minutes, closes 2026-02-25 04:30 UTC". Null without a series or a close. */
export const readableEventTitle = (series: string | null, closeUs: number | null): string | null =>
  series === null || closeUs === null ? null : `${readableSeries(series)}, closes ${minuteText(closeUs)}`;

const strikeText = (strike: string, type: string | null): string => {
  const [whole = '', fraction] = strike.split('.');
  const amount = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',') + (fraction === undefined ? '' : `.${fraction}`);
  if (type === 'greater_or_equal') return `${amount} or above`;
  if (type === 'greater') return `above ${amount}`;
  if (type === 'less_or_equal') return `${amount} or below`;
  if (type === 'less') return `below ${amount}`;
  return `strike ${amount}`;
};
