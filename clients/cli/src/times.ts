import { UsageError } from './errors.js';

const secondsPer: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3_600, d: 86_400 };
const duration = /^(\d{1,9}(?:\.\d{1,6})?)([smhd]?)$/;
const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?$/;

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
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const [, , , zone] = isoTime.exec(text) ?? [];
  const ms = isDay || isoTime.test(text) ? Date.parse(isDay || zone !== undefined ? text : `${text}Z`) : Number.NaN;
  if (Number.isNaN(ms)) {
    throw new UsageError(
      `${name} is ${JSON.stringify(text)}, which is no time.`,
      'Give Unix seconds, a time such as 2026-02-25T04:30:00Z, a day such as 2026-02-25, or now-15m.',
    );
  }
  // Date has milliseconds only.
  const micros = /\.(\d+)/.exec(text)?.[1]?.padEnd(6, '0').slice(3) ?? '0';
  return (ms * 1_000 + Number(micros)) / 1e6;
};
