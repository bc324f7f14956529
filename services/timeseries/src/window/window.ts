import { boundOf, DomainError, timeBoundMax } from '@almanac/contracts';

/** The longest window of one answer, and of one with `preview=true`, in microseconds. */
export const windowUsMax = 6 * 3_600_000_000;
export const previewWindowUsMax = 15 * 60_000_000;

const boundUsMax = timeBoundMax * 1_000_000;
/** No stored time is later. */
export const latestUs = boundUsMax;

/** The query parameters: times in seconds, and the step of the downsampling. */
export interface Bounds {
  readonly startTs?: number | null | undefined;
  readonly endTs?: number | null | undefined;
  readonly stepMs: number;
  readonly preview: boolean;
}

/** Bounds in integer microseconds that need no market to check. Only `checkedBounds` creates them. */
export interface CheckedBounds {
  readonly startUs: number | null;
  readonly endUs: number | null;
  readonly stepMs: number;
  readonly lengthUsMax: number;
}

export interface MarketTimes {
  readonly openUs: number | null;
  readonly closeUs: number | null;
  readonly lastUs: number | null;
  readonly live: boolean;
  /** Whether `nowUs` is the present. It is not in an answer about the past. */
  readonly moves: boolean;
  readonly nowUs: number;
}

/** `goesOn`: the request covers rows after `endUs` (exclusive). `dependsOnNow`: the window moves with the clock. */
export interface Window {
  readonly startUs: number;
  readonly endUs: number;
  readonly clamped: boolean;
  readonly goesOn: boolean;
  readonly dependsOnNow: boolean;
}

/** Checks the bounds before anything is loaded. Throws `invalid_window` with a sentence for the user. */
export const checkedBounds = ({ startTs, endTs, stepMs, preview }: Bounds): CheckedBounds => {
  const startUs = boundOf('start_ts', startTs);
  const endUs = boundOf('end_ts', endTs);
  if (startUs !== null && endUs !== null && startUs >= endUs) {
    throw new DomainError('invalid_window', 'start_ts must be earlier than end_ts.');
  }
  if (startUs === boundUsMax) throw new DomainError('invalid_window', `start_ts must be less than ${timeBoundMax}.`);
  if (endUs === 0) throw new DomainError('invalid_window', 'end_ts must be greater than 0.');
  return { startUs, endUs, stepMs, lengthUsMax: preview ? previewWindowUsMax : windowUsMax };
};

/** The window of a request. Its bounds are valid in another request. Throws `invalid_window` without any time. */
export const windowOf = ({ startUs, endUs, stepMs, lengthUsMax }: CheckedBounds, times: MarketTimes): Window => {
  if (startUs !== null && endUs !== null) return givenWindow({ startUs, endUs }, stepMs, lengthUsMax);
  if (startUs !== null) return windowFrom(startUs, { stepMs, lengthUsMax, lastUs: times.lastUs });
  const end = endUs ?? Math.min(Math.max(defaultEndUs(times), 1), boundUsMax);
  const dependsOnNow = endUs === null && times.live && times.moves;
  return { startUs: Math.max(end - lengthUsMax, 0), endUs: end, clamped: false, goesOn: false, dependsOnNow };
};

/**
 * The window of a bulk read: all between the given bounds, of any length. Without a bound it begins or ends with the
 * market's data. Throws `invalid_window` without any time.
 */
export const wholeWindowOf = (
  { startUs, endUs }: Pick<CheckedBounds, 'startUs' | 'endUs'>,
  times: MarketTimes,
  firstUs: number | null,
): Window => {
  const dependsOnNow = endUs === null && times.live && times.moves;
  const goesOn = { clamped: false, goesOn: false, dependsOnNow };
  if (startUs !== null) {
    const end = endUs ?? Math.min(Math.max(endOfData(times) ?? 0, startUs + 1), boundUsMax);
    return { startUs, endUs: end, ...goesOn };
  }
  const end = endUs ?? Math.min(Math.max(defaultEndUs(times), 1), boundUsMax);
  const begins = [times.openUs, firstUs].filter((us) => us !== null);
  const begin = begins.length === 0 ? 0 : Math.max(0, Math.min(...begins));
  return { startUs: Math.min(begin, end - 1), endUs: end, ...goesOn };
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

/** A start alone covers all later rows, one answer at a time. If rows follow, the window is cut. */
const windowFrom = (startUs: number, { stepMs, lengthUsMax, lastUs }: Onward): Window => {
  const endUs = Math.min(startUs + lengthUsMax, boundUsMax);
  const goesOn = lastUs !== null && lastUs >= endUs && endUs < boundUsMax;
  const cutUs = goesOn ? stepStart(endUs, stepMs * 1_000) : endUs;
  return { startUs, endUs: cutUs, clamped: goesOn, goesOn, dependsOnNow: false };
};

/** A cut window ends at a whole step. A cut inside a step would return its last row twice. */
const stepStart = (us: number, stepUs: number): number => (stepUs === 0 ? us : Math.floor(us / stepUs) * stepUs);

/** Just after the later of close and last observation, or now while the market is live. Null without these times. */
const endOfData = ({ closeUs, lastUs, live, nowUs }: MarketTimes): number | null => {
  if (live) return Math.max(nowUs, lastUs === null ? 0 : lastUs + 1);
  const ends = [closeUs, lastUs].filter((us) => us !== null);
  return ends.length > 0 ? Math.max(...ends) + 1 : null;
};

const defaultEndUs = (times: MarketTimes): number => {
  const end = endOfData(times);
  if (end !== null) return end;
  if (times.openUs !== null) return times.openUs + windowUsMax;
  throw new DomainError(
    'invalid_window',
    'This market has no open time, close time or observations, so it has no window. Choose another market.',
  );
};

/** Where the next page starts after a full one: at the step after the last row's step, or at the next microsecond. */
export const nextStartUs = (lastReturnedUs: number, stepMs: number): number =>
  stepMs === 0 ? lastReturnedUs + 1 : stepStart(lastReturnedUs, stepMs * 1_000) + stepMs * 1_000;
