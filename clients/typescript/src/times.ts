import { AlmanacError } from './errors.js';

/** A time: Unix seconds with a fraction, a Date, or an ISO text such as `2026-02-25T04:30:00Z` or `2026-02-25`, which is UTC without a zone. */
export type Time = number | Date | string;

const iso = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2})?)(?:(?<=:\d{2}:\d{2})\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Unix seconds of an ISO text, exact to the microsecond. Undefined for any other text, and for a day that does not exist. */
export const isoSeconds = (text: string): number | undefined => {
  const [, day = '', time = '00:00', fraction = '', zone = 'Z'] = iso.exec(text) ?? [];
  const [midnightMs, ms] = [Date.parse(`${day}T00:00Z`), Date.parse(`${day}T${time}${zone}`)];
  if (Number.isNaN(ms) || new Date(midnightMs).toISOString().slice(0, 10) !== day) return undefined;
  return (ms * 1_000 + Number(fraction.padEnd(6, '0').slice(0, 6))) / 1e6;
};

const secondsMax = 4_102_444_800;

/** The unit of the API. Throws `invalid_options` with the name of the field. */
export const unixSeconds = (time: Time, name: string): number => {
  const seconds = typeof time === 'string' ? isoSeconds(time) : time instanceof Date ? time.getTime() / 1_000 : time;
  if (typeof seconds === 'number' && Number.isFinite(seconds)) return seconds;
  throw new AlmanacError({
    code: 'invalid_options',
    detail: `${name} is ${typeof time === 'string' ? JSON.stringify(time) : String(time)}.`,
    remedy: 'Pass Unix seconds, a Date, or a text such as 2026-02-25T04:30:00Z.',
  });
};

/** `as_of` of a client, which no answer repairs: a typing error must not open it. More digits than a time has are never a later time. */
export const asOfSeconds = (time: Time): number => {
  const seconds = unixSeconds(time, 'as_of');
  if (seconds < 0 || seconds > secondsMax) {
    throw new AlmanacError({
      code: 'invalid_options',
      detail: `as_of is ${String(seconds)}.`,
      remedy: seconds > 1e11 ? 'This looks like milliseconds. Pass Unix seconds, or a Date.' : 'Pass Unix seconds.',
    });
  }
  const us = Math.round(seconds * 1e6);
  return (us / 1e6 > seconds ? us - 1 : us) / 1e6;
};

const isTimeName = (name: string): boolean => name.endsWith('_ts');

/** The fields of a request in the unit of the API. Lists of times, too. */
export const withSeconds = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (!isTimeName(name) || value === undefined || value === null) return [name, value];
      const one = (time: unknown): number => unixSeconds(time as Time, name);
      return [name, Array.isArray(value) ? value.map(one) : one(value)];
    }),
  );
