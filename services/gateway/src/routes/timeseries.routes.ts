import { type SnapshotForm, snapshotForms, timeseriesRpc } from '@almanac/contracts';
import type { Form } from '../http/wishes.js';
import { forwarding, type Route } from './route.js';

const ticker = timeseriesRpc.snapshots.input.pick({ ticker: true });

const formOf = (id: SnapshotForm): Form<SnapshotForm> => ({
  id,
  mediaType: snapshotForms[id],
  isText: id !== 'parquet',
});

/** What was observed of a market. */
export const timeseriesRoutes: readonly Route[] = [
  forwarding({
    method: 'get',
    path: '/markets/:ticker/preview',
    doc: {
      operationId: 'previewMarket',
      tag: 'Time series',
      summary: 'Preview a market',
      description:
        'How much is stored, the YES path, the first and last rows, and what part is worth studying. The first answer may be `pending: true`: ask again shortly.',
    },
    given: { path: ticker },
    contract: timeseriesRpc.preview,
    input: ({ path }) => path,
    kept: ({ path }) => ({ ticker: path.ticker, byAccount: false }),
  }),
  forwarding({
    method: 'get',
    path: '/markets/:ticker/snapshots',
    doc: {
      operationId: 'listSnapshots',
      tag: 'Time series',
      summary: 'Read snapshots of a market',
      description:
        'Stored observations with `start_ts <= ts < end_ts`, downsampled to the last of each step; none is invented. Without bounds: the last 6 hours of the market; with one bound: the 6 hours on its side; a longer window is cut to its first 6 hours and says so in `clamped`. `next_start_ts` goes on, also from a start alone to the rows behind its 6 hours.\n\nBulk readers ask by `Accept` for CSV, JSON lines or Parquet: the rows alone, and what JSON says beside its rows as headers (`has_more` as `Almanac-Has-More`), with `Link` to go on.',
    },
    given: {
      path: ticker,
      query: timeseriesRpc.snapshots.input.pick({
        start_ts: true,
        end_ts: true,
        limit: true,
        step_ms: true,
        include_book: true,
        preview: true,
      }),
    },
    contract: timeseriesRpc.snapshots,
    forms: [formOf('json'), formOf('csv'), formOf('ndjson'), formOf('parquet')],
    input: ({ path, query }, { form }) => ({ ...path, ...query, format: form }),
    // Books are served for unlocked events, which are an account's own.
    kept: ({ path, query }) => ({ ticker: path.ticker, byAccount: query.include_book }),
  }),
];
