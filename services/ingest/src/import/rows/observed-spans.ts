import type { RecordedSpan } from '@almanac/contracts';
import type { Cadence } from '../../mapping/mapping.js';
import { copyText } from '../../values/copy-text.js';

/** Reasons for the end of a span of a recording at intervals. */
export const spanEnds = { missing: 'rows are missing', ended: 'the recording ended' } as const;

/** Observations from which a cadence is taken. */
const sampleMax = 2_000;

interface Run {
  startUs: number;
  endUs: number;
}

/** Finds the times in which a recording at regular intervals is complete. */
export interface ObservedSpans {
  see(ticker: string, us: number): void;
  /** Ends all spans. A later observation begins a new one, which follows the old one if it is within the tolerance. */
  endAll(): void;
  /** Removes and returns the spans that have ended. */
  take(): readonly RecordedSpan[];
  readonly ended: () => number;
}

/**
 * A market's observations at most `everyUs` times `tolerance` apart are a span. A cadence that is not stated is the
 * median of the first distances between observations of a market.
 */
export const observedSpans = (
  { everyUs: statedUs, tolerance }: Cadence,
  layer: RecordedSpan['layer'] = 'top',
): ObservedSpans => {
  const runs = new Map<string, Run>();
  let ended: RecordedSpan[] = [];
  let toleranceUs = statedUs === null ? null : Math.round(statedUs * tolerance);
  let sample: (readonly [ticker: string, us: number])[] = [];

  const end = (ticker: string, { startUs: start_us, endUs: end_us }: Run, end_reason: string): void => {
    ended.push({
      ticker,
      layer,
      start_us,
      end_us,
      tolerance_us: toleranceUs ?? 0,
      sample_us: null,
      end_reason,
      basis: null,
      clock: null,
    });
  };
  const extend = (ticker: string, us: number, limitUs: number): void => {
    const run = runs.get(ticker);
    if (run === undefined) return void runs.set(copyText(ticker), { startUs: us, endUs: us });
    if (us >= run.startUs - limitUs && us <= run.endUs + limitUs) {
      run.startUs = Math.min(run.startUs, us);
      run.endUs = Math.max(run.endUs, us);
      return;
    }
    end(ticker, run, spanEnds.missing);
    runs.set(ticker, { startUs: us, endUs: us });
  };
  const learn = (): void => {
    if (sample.length === 0) return;
    toleranceUs = Math.round(medianDistance(sample) * tolerance);
    for (const [ticker, us] of sample) extend(ticker, us, toleranceUs);
    sample = [];
  };

  return {
    see: (ticker, us) => {
      if (toleranceUs !== null) return extend(ticker, us, toleranceUs);
      sample.push([copyText(ticker), us]);
      if (sample.length >= sampleMax) learn();
    },
    endAll: () => {
      learn();
      for (const [ticker, run] of runs) end(ticker, run, spanEnds.ended);
      runs.clear();
    },
    take: () => {
      const taken = ended;
      ended = [];
      return taken;
    },
    ended: () => ended.length,
  };
};

/** 0 if no market has two observations. */
const medianDistance = (sample: readonly (readonly [ticker: string, us: number])[]): number => {
  const lastUs = new Map<string, number>();
  const distances: number[] = [];
  for (const [ticker, us] of sample) {
    const distance = us - (lastUs.get(ticker) ?? us);
    if (distance > 0) distances.push(distance);
    lastUs.set(ticker, us);
  }
  return distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0;
};
