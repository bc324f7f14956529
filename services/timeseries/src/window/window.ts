import { DomainError, microsOf } from '@almanac/contracts';

/** The longest window of one answer, and the short one of `preview=true`, in microseconds. */
export const windowUsMax = 6 * 3_600_000_000;
export const previewWindowUsMax = 15 * 60_000_000;

const boundMax = 4_102_444_800;
const boundUsMax = boundMax * 1_000_000;
/** No time in seconds is above it for a thousand years; one in milliseconds is. */
const looksLikeMilliseconds = 1e11;

/** What the API was asked for: seconds, and the step of the downsampling. */
export interface Bounds {
  readonly startTs?: number | null | undefined;
  readonly endTs?: number | null | undefined;
  readonly stepMs: number;
  readonly preview: boolean;
}

/** Bounds that no market is needed to check, in integer microseconds; made by `checkedBounds` alone. */
export interface CheckedBounds {
  readonly startUs: number | null;
  readonly endUs: number | null;
  readonly stepMs: number;
  readonly lengthUsMax: number;
}

/** What is known of a market's times, in integer microseconds. */
export interface MarketTimes {
  readonly openUs: number | null;
  readonly closeUs: number | null;
  readonly lastUs: number | null;
  readonly live: boolean;
  readonly nowUs: number;
}

/**
 * `startUs <= ts < endUs`. `goesOn` when what is stored behind its end was asked for as well. `dependsOnNow` when the
 * same question has another window a moment later.
 */
export interface Window {
  readonly startUs: number;
  readonly endUs: number;
  readonly clamped: boolean;
  readonly goesOn: boolean;
  readonly dependsOnNow: boolean;
}

/** The bounds as asked, checked before anything is looked up. Throws `invalid_window` with the sentence for the user. */
export const checkedBounds = ({ startTs, endTs, stepMs, preview }: Bounds): CheckedBounds => {
  const startUs = boundOf('start_ts', startTs);
  const endUs = boundOf('end_ts', endTs);
  if (startUs !== null && endUs !== null && startUs >= endUs) {
    throw new DomainError('invalid_window', 'start_ts must be earlier than end_ts.');
  }
  if (startUs === boundUsMax) throw new DomainError('invalid_window', `start_ts must be less than ${boundMax}.`);
  if (endUs === 0) throw new DomainError('invalid_window', 'end_ts must be greater than 0.');
  return { startUs, endUs, stepMs, lengthUsMax: preview ? previewWindowUsMax : windowUsMax };
};

/**
 * The window that a question covers, inside of the times that may be asked for: its bounds, sent back, are a question
 * again. Throws `invalid_window` where neither the question nor the market has a time.
 */
export const windowOf = ({ startUs, endUs, stepMs, lengthUsMax }: CheckedBounds, times: MarketTimes): Window => {
  if (startUs !== null && endUs !== null) return givenWindow({ startUs, endUs }, stepMs, lengthUsMax);
  if (startUs !== null) return windowFrom(startUs, { stepMs, lengthUsMax, lastUs: times.lastUs });
  const end = endUs ?? Math.min(Math.max(defaultEndUs(times), 1), boundUsMax);
  const dependsOnNow = endUs === null && times.live;
  return { startUs: Math.max(end - lengthUsMax, 0), endUs: end, clamped: false, goesOn: false, dependsOnNow };
};

const boundOf = (name: string, seconds: number | null | undefined): number | null => {
  if (seconds === null || seconds === undefined) return null;
  if (seconds >= 0 && seconds <= boundMax) return microsOf(seconds);
  const hint =
    seconds > looksLikeMilliseconds ? ' The value looks like milliseconds. Send Unix seconds.' : ' Send Unix seconds.';
  throw new DomainError('invalid_window', `${name} must be between 0 and ${boundMax}.${hint}`);
};

const givenWindow = (given: { startUs: number; endUs: number }, stepMs: number, lengthMax: number): Window => {
  const { startUs, endUs } = given;
  const clamped = endUs - startUs > lengthMax;
  return {
    startUs,
    endUs: clamped ? stepStart(startUs + lengthMax, stepMs * 1_000) : endUs,
    clamped,
    goesOn: clamped,
    dependsOnNow: false,
  };
};

interface Onward extends Pick<CheckedBounds, 'stepMs' | 'lengthUsMax'> {
  readonly lastUs: number | null;
}

/** A start alone asks for all that follows, an answer at a time: a window that rows are behind is cut as a longer one is. */
const windowFrom = (startUs: number, { stepMs, lengthUsMax, lastUs }: Onward): Window => {
  const endUs = Math.min(startUs + lengthUsMax, boundUsMax);
  const goesOn = lastUs !== null && lastUs >= endUs && endUs < boundUsMax;
  const cutUs = goesOn ? stepStart(endUs, stepMs * 1_000) : endUs;
  return { startUs, endUs: cutUs, clamped: false, goesOn, dependsOnNow: false };
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
  throw new DomainError(
    'invalid_window',
    'This market has no open time, close time or observations, so it has no window. Choose another market.',
  );
};

/** Where to go on behind an answer that was full: the step after its last row's, or the next microsecond. */
export const nextStartUs = (lastReturnedUs: number, stepMs: number): number =>
  stepMs === 0 ? lastReturnedUs + 1 : stepStart(lastReturnedUs, stepMs * 1_000) + stepMs * 1_000;
