import { type catalogRpc, gridTimesMax, microsOf, type ReadTime } from '@almanac/contracts';
import type { z } from 'zod';
import {
  checkedBounds,
  type CheckedBounds,
  type MarketTimes,
  type Window,
  windowOf,
  windowUsMax,
} from '../window/window.js';

export interface GridRequest {
  readonly start_ts?: number | null | undefined;
  readonly end_ts?: number | null | undefined;
  readonly step_ms: number;
}

/** Times from `firstUs` on, a step apart. `startUs` and `endUs` are the window, which contains them. */
export interface Grid {
  readonly startUs: number;
  readonly endUs: number;
  readonly stepUs: number;
  readonly firstUs: number;
  readonly times: number;
  /** The window of the request has later grid times. */
  readonly goesOn: boolean;
  readonly dependsOnNow: boolean;
}

export type EventDetail = z.output<typeof catalogRpc.eventDetail.output>;
type EventTimes = Pick<EventDetail['event'], 'open_ts' | 'close_ts' | 'status'>;

/**
 * The grid of a request: multiples of the step since the epoch, at most `gridTimesMax`. Without bounds, the window is the
 * event from its open to its close, or to now: the last 6 hours of it, or fewer if they have more grid times. With only
 * one bound, it also stays within the event. Throws `invalid_window`.
 */
export const gridOf = (request: GridRequest, event: EventTimes, { nowUs, asOfUs }: ReadTime): Grid => {
  const { start_ts: startTs, end_ts: endTs, step_ms: stepMs } = request;
  const stepUs = stepMs * 1_000;
  const bounds = checkedBounds({ startTs, endTs, stepMs, preview: false });
  const longest = gridTimesMax * stepUs;
  const lengthUsMax =
    endTs === undefined || endTs === null || bounds.startUs === null ? Math.min(longest, windowUsMax) : longest;
  const isLive = event.status === 'live';
  const closeUs = microsOrNull(event.close_ts);
  const times: MarketTimes = {
    openUs: microsOrNull(event.open_ts),
    closeUs,
    lastUs: isLive ? nowUs - 1 : closeUs,
    live: isLive,
    moves: asOfUs === null,
    nowUs,
  };
  const window = withinEvent(windowOf({ ...bounds, lengthUsMax }, times), bounds, times);
  const firstUs = Math.ceil(window.startUs / stepUs) * stepUs;
  const timesN = Math.max(0, Math.min(gridTimesMax, Math.ceil((window.endUs - firstUs) / stepUs)));
  // A window with only a start goes on as soon as later times have passed.
  const growsLater = isLive && asOfUs === null && bounds.endUs === null && !window.goesOn;
  return { ...window, stepUs, firstUs, times: timesN, dependsOnNow: window.dependsOnNow || growsLater };
};

/** Before the open and after the close, an event has no values. Bounds that were given stay. */
const withinEvent = (window: Window, given: CheckedBounds, { openUs, lastUs }: MarketTimes): Window => {
  const { startUs, endUs } = window;
  const opens = given.startUs === null && openUs !== null && openUs < endUs ? Math.max(startUs, openUs) : startUs;
  const ends = given.endUs === null && lastUs !== null && lastUs >= startUs ? Math.min(endUs, lastUs + 1) : endUs;
  return { ...window, startUs: opens, endUs: ends };
};

const microsOrNull = (seconds: number | null | undefined): number | null =>
  seconds === null || seconds === undefined ? null : microsOf(seconds);

/** The times as JSON numbers. */
export const gridTimes = ({ firstUs, stepUs, times }: Grid): number[] =>
  Array.from({ length: times }, (_, place) => (firstUs + place * stepUs) / 1e6);
