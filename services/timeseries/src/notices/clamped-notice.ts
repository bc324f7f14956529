import { isoOf, microsOf, type Notice } from '@almanac/contracts';

export interface ClampedWindow extends Pick<Notice, 'loc' | 'nearest'> {
  /** In Unix seconds. */
  readonly startTs: number | null;
  readonly endTs: number | null;
  /** How to read the rows outside of it. */
  readonly advice: string;
}

const at = (seconds: number | null): string => (seconds === null ? 'unknown' : isoOf(microsOf(seconds)));

/** The notice on an answer whose window was cut. */
export const clampedNotice = ({ startTs, endTs, advice, loc, nearest }: ClampedWindow): Notice => ({
  code: 'window_clamped',
  detail: `The window was cut: it covers ${at(startTs)} to ${at(endTs)}. ${advice}`,
  loc,
  nearest,
});
