import { DomainError, microsOf } from '@almanac/contracts';

/** The longest window of one answer, and the short one of `preview=true`, in microseconds. */
export const windowUsMax = 6 * 3_600_000_000;
export const previewWindowUsMax = 15 * 60_000_000;

const boundMax = 4_102_444_800;
/** No time in seconds is above it for a thousand years; one in milliseconds is. */
const looksLikeMilliseconds = 1e11;

/** What the API was asked for: seconds, and the step of the downsampling. */
export interface Bounds {
  readonly startTs?: number | null | undefined;
  readonly endTs?: number | null | undefined;
  readonly stepMs: number;
  readonly preview: boolean;
}

/** What is known of a market's times, in integer microseconds. */
export interface MarketTimes {
  readonly openUs: number | null;
  readonly closeUs: number | null;
  readonly lastUs: number | null;
  readonly live: boolean;
  readonly nowUs: number;
}

/** `startUs <= ts < endUs`. `dependsOnNow` when the same question has another window a moment later. */
export interface Window {
  readonly startUs: number;
  readonly endUs: number;
  readonly clamped: boolean;
  readonly dependsOnNow: boolean;
}

/** The window that a question covers. Throws `invalid_window` with the sentence for the user. */
export const windowOf = (bounds: Bounds, times: MarketTimes): Window => {
  const start = boundOf('start_ts', bounds.startTs);
  const end = boundOf('end_ts', bounds.endTs);
  const lengthMax = bounds.preview ? previewWindowUsMax : windowUsMax;
  if (start !== null && end !== null) return givenWindow({ start, end }, bounds.stepMs, lengthMax);
  const whole = { clamped: false, dependsOnNow: false };
  if (start !== null) return { startUs: start, endUs: start + lengthMax, ...whole };
  if (end !== null) return { startUs: end - lengthMax, endUs: end, ...whole };
  const endUs = defaultEndUs(times);
  return { startUs: endUs - lengthMax, endUs, clamped: false, dependsOnNow: times.live };
};

const boundOf = (name: string, seconds: number | null | undefined): number | null => {
  if (seconds === null || seconds === undefined) return null;
  if (seconds >= 0 && seconds <= boundMax) return microsOf(seconds);
  const hint =
    seconds > looksLikeMilliseconds
      ? ' It looks like milliseconds; times are Unix seconds.'
      : ' Times are Unix seconds.';
  throw new DomainError('invalid_window', `${name} must be between 0 and ${boundMax}.${hint}`);
};

const givenWindow = (given: { start: number; end: number }, stepMs: number, lengthMax: number): Window => {
  const { start, end } = given;
  if (start >= end) throw new DomainError('invalid_window', 'start_ts must be before end_ts.');
  const clamped = end - start > lengthMax;
  return {
    startUs: start,
    endUs: clamped ? stepStart(start + lengthMax, stepMs * 1_000) : end,
    clamped,
    dependsOnNow: false,
  };
};

/**
 * A window that is cut ends at a whole step: cut inside one, its rows would be told once before the cut and once more
 * by the answer that goes on from there.
 */
const stepStart = (us: number, stepUs: number): number => (stepUs === 0 ? us : Math.floor(us / stepUs) * stepUs);

/** Just after the later of close and last observation; now, while the market is live. */
const defaultEndUs = ({ openUs, closeUs, lastUs, live, nowUs }: MarketTimes): number => {
  if (live) return Math.max(nowUs, lastUs === null ? 0 : lastUs + 1);
  const ends = [closeUs, lastUs].filter((us) => us !== null);
  if (ends.length > 0) return Math.max(...ends) + 1;
  if (openUs !== null) return openUs + windowUsMax;
  throw new DomainError('invalid_window', 'This market has neither times nor observations, so it has no window.');
};

/** Where to go on behind an answer that was full: the step after its last row's, or the next microsecond. */
export const nextStartUs = (lastReturnedUs: number, stepMs: number): number =>
  stepMs === 0 ? lastReturnedUs + 1 : stepStart(lastReturnedUs, stepMs * 1_000) + stepMs * 1_000;
