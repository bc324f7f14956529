import { z } from 'zod';
import { catalogueFact } from './catalog.js';
import { coinMomentsRpc } from './coin-prices.js';
import { feedIds } from './feed-ids.js';
import { contract, sentAgainByImporter } from '../requests/rpc.js';

/** Ids or names in one call. */
const namesMax = 1_000;
const names = z.array(z.string()).max(namesMax);
const text = z.string().nullable();

/** What imports record in the catalogue, and what they ask it to join what they record with it. */
export const catalogueImportRpc = {
  /** Records facts from a source, in order. The reply has one outcome for each fact. */
  record: contract({
    service: 'catalog',
    method: 'record',
    callers: ['timeseries', 'ingest'],
    kind: 'command',
    repeats: sentAgainByImporter,
    input: z.object({ facts: z.array(catalogueFact).min(1).max(500) }),
    output: z.object({
      outcomes: z.array(
        z.discriminatedUnion('outcome', [
          z.object({ outcome: z.enum(['created', 'changed', 'unchanged']) }),
          z.object({ outcome: z.literal('refused'), reason: z.string() }),
        ]),
      ),
      /** Sequence in EVT_CATALOG of the last event that this call appended. 0 if nothing changed. */
      last_seq: z.int(),
    }),
    errors: ['conflict'],
    timeoutMs: 30_000,
  }),

  /** Resolves when queries show everything up to `seq` of EVT_CATALOG. */
  awaitReadable: contract({
    service: 'catalog',
    method: 'await-readable',
    callers: ['ingest'],
    kind: 'query',
    input: z.object({ seq: z.int() }),
    output: z.object({ seq: z.int() }),
    errors: [],
    timeoutMs: 60_000,
  }),

  /** The markets of feed ids, such as tokens. An id of an unknown market is left out. A market of two ids is listed once. */
  marketsByFeedIds: contract({
    service: 'catalog',
    method: 'markets-by-feed-ids',
    callers: ['ingest'],
    kind: 'query',
    input: z.object({ ids: z.array(z.string().min(1).max(128)).min(1).max(namesMax) }),
    output: z.object({ markets: z.array(z.object({ ticker: z.string(), ids: feedIds })) }),
    errors: [],
    timeoutMs: 10_000,
  }),

  /** Values that markets of these series and events lack, and their event or series has. A part, in the order of tickers. */
  valuesOfParents: contract({
    service: 'catalog',
    method: 'values-of-parents',
    callers: ['ingest'],
    kind: 'query',
    input: z.object({ series: names, events: names, after: z.string().default('') }),
    output: z.object({
      markets: z.array(z.object({ ticker: z.string(), series: text, category: text, category_label: text })),
      next: text,
    }),
    errors: [],
    timeoutMs: 15_000,
  }),

  ...coinMomentsRpc,
};
