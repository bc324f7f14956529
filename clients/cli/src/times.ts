import { isoSeconds } from '@almanac/client/node';
import { UsageError } from './errors.js';

const secondsPer: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3_600, d: 86_400 };
const duration = /^(\d{1,9}(?:\.\d{1,6})?)([smhd]?)$/;

export const durationSeconds = (text: string, name: string): number => {
  const found = duration.exec(text);
  const seconds = found === null ? 0 : Number(found[1]) * (secondsPer[found[2] ?? ''] ?? 0);
  if (seconds > 0) return seconds;
  throw new UsageError(`${name} is ${JSON.stringify(text)}.`, 'Give a duration such as 90s, 15m or 1h.');
};

/** Unix seconds. A time without a zone is UTC, on every machine. */
export const unixSeconds = (text: string, name: string, nowMs: number = Date.now()): number => {
  const [, back] = /^now(?:-(.+))?$/.exec(text) ?? [];
  if (text === 'now') return nowMs / 1_000;
  if (back !== undefined) return nowMs / 1_000 - durationSeconds(back, name);
  if (/^\d{1,11}(\.\d{1,6})?$/.test(text)) return Number(text);
  if (/^\d{12,}$/.test(text)) throw new UsageError(`${name} looks like milliseconds.`, 'Give Unix seconds.');
  const seconds = isoSeconds(text);
  if (seconds !== undefined) return seconds;
  throw new UsageError(
    `${name} is ${JSON.stringify(text)}, which is not a time.`,
    'Give Unix seconds, a time such as 2026-02-25T04:30:00Z, a day such as 2026-02-25, or now-15m.',
  );
};
