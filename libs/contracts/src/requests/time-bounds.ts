import { DomainError } from '../errors.js';
import { microsOf } from './numbers.js';

/** The end of 2099 in seconds, the API's largest time. */
export const timeBoundMax = 4_102_444_800;

/** A time in seconds stays below this for a thousand years. A time in milliseconds is above it. */
export const looksLikeMilliseconds = 1e11;

/** A time of a request in microseconds. Throws `invalid_window`, and says if the value looks like milliseconds. */
export const boundOf = (name: string, seconds: number | null | undefined): number | null => {
  if (seconds === null || seconds === undefined) return null;
  if (seconds >= 0 && seconds <= timeBoundMax) return microsOf(seconds);
  const hint =
    seconds > looksLikeMilliseconds ? ' The value looks like milliseconds. Send Unix seconds.' : ' Send Unix seconds.';
  throw new DomainError('invalid_window', `${name} must be between 0 and ${timeBoundMax}.${hint}`);
};

/** The microsecond at which a UTC day starts. Throws `invalid_input` if the text is no calendar date. */
export const dayStartUs = (day: string): number => {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== day) {
    throw new DomainError('invalid_input', 'A day must be a calendar date in the form YYYY-MM-DD.');
  }
  return start * 1_000;
};
