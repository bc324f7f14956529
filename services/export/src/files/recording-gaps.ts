import {
  asOfMicros,
  type CoverageGap,
  coverageOf,
  type ExportManifest,
  recordingLayer,
  secondsOf,
} from '@almanac/contracts';
import { z } from 'zod';
import { windowOf } from './target.js';
import type { FileQuery } from './file-selection.js';

export type RecordingGaps = Pick<ExportManifest, 'gaps' | 'gaps_n'>;

/** The first by market and time. `gaps_n` counts all. */
const gapsMax = 10_000;

const us = z.int().nullable();
/** What the gaps of a market follow from. */
export const marketCoverage = z.object({
  ticker: z.string(),
  open_us: us,
  close_us: us,
  first_us: us,
  last_us: us,
  spans: z.array(
    z
      .tuple([recordingLayer, z.int(), z.int(), z.int(), z.string().nullable()])
      .transform(([layer, start_us, end_us, tolerance_us, end_reason]) => ({
        layer,
        start_us,
        end_us,
        tolerance_us,
        end_reason,
      })),
  ),
});

type Spans = z.output<typeof marketCoverage>['spans'];

/** The gaps in the recordings of a file's markets. For a day pack or a range, only those that touch its days. */
export const gapsOf = (
  markets: readonly z.output<typeof marketCoverage>[],
  { exportQuery, nowUs }: { readonly exportQuery: FileQuery; readonly nowUs: number },
): RecordingGaps => {
  const isInFile = inWindowOf(exportQuery);
  const gaps: ExportManifest['gaps'] = [];
  let count = 0;
  for (const { ticker, spans, open_us: openUs, close_us: closeUs, first_us: firstUs, last_us: lastUs } of markets) {
    const found = coverageOf(receivedBy(spans, exportQuery), { openUs, closeUs, firstUs, lastUs, nowUs }).gaps.filter(
      isInFile,
    );
    count += found.length;
    for (const { startUs, endUs, reason, missing } of found.slice(0, gapsMax - gaps.length))
      gaps.push({ ticker, start_ts: startUs / 1e6, end_ts: secondsOf(endUs), reason, missing });
  }
  return { gaps, gaps_n: count };
};

/** As of a time, only what had been recorded by then. A gap that ended later has no end. */
const receivedBy = (spans: Spans, { as_of }: FileQuery): Spans => {
  if (as_of === undefined) return spans;
  const asOfUs = asOfMicros(as_of);
  return spans.flatMap((span) => {
    if (span.start_us > asOfUs) return [];
    return span.end_us <= asOfUs ? [span] : [{ ...span, end_us: asOfUs, end_reason: null }];
  });
};

const inWindowOf = (exportQuery: FileQuery): ((gap: CoverageGap) => boolean) => {
  const window = windowOf(exportQuery);
  if (window === null) return () => true;
  return ({ startUs, endUs }) => startUs < window.to_us && (endUs ?? Infinity) > window.from_us;
};
