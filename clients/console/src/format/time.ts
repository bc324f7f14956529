import { offsetS, zoneName } from './zone.js';

/** All times of the console are in one zone, UTC or that of the browser, and say which. */
const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

const partsOf = (ts: number, shiftS = offsetS(ts)) => {
  // Floats of seconds have noise below the microsecond.
  const micros = Math.round((ts + shiftS) * 1e6);
  const date = new Date(Math.floor(micros / 1_000));
  return {
    day: `${date.getUTCFullYear()}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`,
    minute: `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}`,
    second: pad(date.getUTCSeconds()),
    fraction: pad(((micros % 1e6) + 1e6) % 1e6, 6),
  };
};

/** `2026-02-25 04:30:00 UTC`, with the fraction of the second if there is one. */
export const dateTime = (ts: number | null | undefined): string => {
  if (ts === null || ts === undefined || Math.abs(ts) > 8.64e12) return '–';
  const { day, minute, second, fraction } = partsOf(ts);
  const shown = fraction.replace(/0+$/, '');
  return `${day} ${minute}:${second}${shown === '' ? '' : `.${shown}`} ${zoneName(ts)}`;
};

/** `2026-02-25 04:30 UTC`, for rows in which seconds do not matter. */
export const minuteOf = (ts: number | null | undefined): string => {
  if (ts === null || ts === undefined || Math.abs(ts) > 8.64e12) return '–';
  const { day, minute } = partsOf(ts);
  return `${day} ${minute} ${zoneName(ts)}`;
};

/** `04:30:00.123`, where the day is stated next to it. */
export const clockOf = (ts: number): string => {
  const { minute, second, fraction } = partsOf(ts);
  const shown = fraction.slice(0, 3).replace(/0+$/, '');
  return `${minute}:${second}${shown === '' ? '' : `.${shown}`}`;
};

/** The day in UTC, in every zone: days of the archive are those of UTC. */
export const dayOf = (ts: number): string => partsOf(ts, 0).day;

/** The day in the shown zone. */
export const localDay = (ts: number): string => partsOf(ts).day;

/** `02-25 04:30`, of which a row of times states the zone once. With the year where it is not that of now. */
export const shortTime = (ts: number, now = Date.now() / 1_000): string => {
  const { day, minute, second } = partsOf(ts);
  const shownDay = partsOf(now).day.slice(0, 4) === day.slice(0, 4) ? day.slice(5) : day;
  return `${shownDay} ${minute}${second === '00' ? '' : `:${second}`}`;
};

/** How long ago: `44 min ago`. Of days and more, in days. */
export const ago = (seconds: number): string => {
  const age = Math.max(0, seconds);
  const unit = age >= 2 * 86_400 ? 86_400 : age >= 60 ? 60 : 1;
  return `${duration(Math.floor(age / unit) * unit)} ago`;
};

const units = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
] as const;

/** A length of time in at most two units: `15 min`, `2 d 3 h`, `4.2 s`. */
export const duration = (seconds: number): string => {
  if (seconds < 60) return `${Number(seconds.toFixed(seconds < 10 ? 2 : 0))} s`;
  const whole = Math.round(seconds);
  const at = units.findIndex((unit) => whole >= unit.seconds);
  const first = units[at] ?? units[2];
  const second = units[at + 1];
  const rest = whole % first.seconds;
  const large = `${Math.floor(whole / first.seconds)} ${first.name}`;
  const small = second === undefined ? `${rest} s` : `${Math.floor(rest / second.seconds)} ${second.name}`;
  return small.startsWith('0 ') ? large : `${large} ${small}`;
};

/** The value of a `datetime-local` input, read as UTC. */
export const toInput = (ts: number): string => new Date(Math.floor(ts) * 1_000).toISOString().slice(0, 19);

export const fromInput = (text: string): number | undefined => {
  const ms = Date.parse(`${text}Z`);
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1_000);
};
