import type { Mapping } from '../../mapping/mapping.js';
import { loadBuiltInMappings, parseMapping } from '../../mapping/load-mapping.js';
import { type MemoryArchive, memoryArchive } from '../../import/testing/memory-archive.js';
import { once } from '../../import/testing/import-files.js';
import { runImport } from '../../import/run-import.js';
import type { PlacesOptions } from '../places.js';

/** Quotes with the columns t, at and bid. */
export const quoteMapping = parseMapping(
  [
    'name: mine',
    'match: { columns: [t, at, bid] }',
    'fields:',
    '  ticker: { column: t }',
    '  ts: { column: at, unit: s }',
    '  yes_best_bid: { column: bid }',
  ].join('\n'),
  'mine.yaml',
);

/** Quotes of one market, one a second. */
export const quotes = (ticker: string, rows: number): string =>
  ['t,at,bid', ...Array.from({ length: rows }, (_, at) => `${ticker},${1_786_399_201 + at},0.${10 + (at % 80)}`)].join(
    '\n',
  );

const builtIn = once(loadBuiltInMappings);

export interface PlacesImport {
  readonly folder: string;
  readonly mapping?: Mapping | null;
  readonly into?: MemoryArchive;
  readonly places?: PlacesOptions;
  /** Whether to skip what did not change. */
  readonly again?: boolean;
}

/** Imports places without pauses. The environment has no variable. */
export const importPlaces = async (
  paths: readonly string[],
  { folder, mapping = quoteMapping, into = memoryArchive(), places, again }: PlacesImport,
) => {
  const waits: string[] = [];
  const { reports, aborted } = await runImport(paths, {
    archive: into.archive,
    mappings: mapping ?? (await builtIn()),
    refusedFolder: folder,
    startedAt: new Date(0),
    places: { environment: {}, firstPauseMs: 1, onWaiting: (sentence) => waits.push(sentence), ...places },
    ...(again !== undefined && { unchanged: { archive: 'memory', again } }),
  });
  return { ...into, reports, aborted, waits };
};
