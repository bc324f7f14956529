import { readDuration, readTime } from './time.js';
import { localToUtcMs } from './zone.js';

/** `KXBTC15M-26FEB242330-30`: year, month, day, hour and minute of the close, in the venue's time zone. */
export const kalshiTickerTime = '-(?<yy>\\d\\d)(?<mon>[A-Z]{3})(?<dd>\\d\\d)(?<hh>\\d\\d)(?<mi>\\d\\d)(?:-|$)';

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/**
 * The time in a ticker, in microseconds. Null if the pattern does not match or the date does not exist. The pattern's
 * groups are `yy` or `yyyy`, `mon` (JAN) or `mm`, `dd`, and optionally `hh` and `mi`. Or they are `epoch` in seconds,
 * and optionally `plus`, a duration such as `5m`.
 */
export const tickerTime = (ticker: string, pattern: RegExp, zone: string): number | null => {
  const groups = pattern.exec(ticker)?.groups;
  if (!groups) return null;
  if (groups['epoch'] !== undefined) return epochTime(groups['epoch'], groups['plus']);
  const year = groups['yyyy'] === undefined ? 2000 + Number(groups['yy'] ?? NaN) : Number(groups['yyyy']);
  const month = groups['mon'] === undefined ? Number(groups['mm'] ?? NaN) - 1 : months.indexOf(groups['mon']);
  const day = Number(groups['dd'] ?? NaN);
  const hour = Number(groups['hh'] ?? 0);
  const minute = Number(groups['mi'] ?? 0);
  const localMs = Date.UTC(year, month, day, hour, minute);
  const shown = new Date(localMs);
  const exists = month >= 0 && shown.getUTCMonth() === month && shown.getUTCDate() === day && hour < 24 && minute < 60;
  return exists ? localToUtcMs(localMs, zone) * 1000 : null;
};

const epochTime = (epoch: string, plus: string | undefined): number | null => {
  const us = readTime(epoch, 's');
  const plusUs = plus === undefined ? 0 : readDuration(plus);
  return us === null || plusUs === null ? null : us + plusUs;
};
