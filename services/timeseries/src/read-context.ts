import { createHash } from 'node:crypto';
import { asOfMeta, type ReplyMeta, type SnapshotForm } from '@almanac/contracts';
import { freshUntil, type MarketContext } from './market-context.js';
import type { MarketGaps } from './gaps/market-gaps.js';
import type { MarketDeps } from './as-of/load-markets.js';
import type { ArchiveRows } from './rows/archive-rows.js';
import type { TableBytes } from './tables/read-table.js';

/** What reads of one or several markets need. */
export interface ReadDeps extends MarketDeps {
  readonly rows: ArchiveRows;
  readonly gaps: MarketGaps;
}

/** One number for the data versions of several markets: it changes whenever one of them does. */
export const versionOf = (markets: readonly MarketContext[]): number => {
  const versions = markets.map(({ state, version }) => `${state.ticker}\n${version}`);
  return parseInt(createHash('sha256').update(versions.join('\n')).digest('hex').slice(0, 12), 16);
};

/** The answer about several markets is fresh until the first of them closes. */
export const freshUntilFirst = (markets: readonly MarketContext[]): Pick<ReplyMeta, 'freshUntilUs' | 'asOf'> => {
  const asOfUs = markets[0]?.asOfUs ?? null;
  if (asOfUs !== null) return asOfMeta(asOfUs);
  const times = markets.flatMap((market) => freshUntil(market).freshUntilUs ?? []);
  return times.length === 0 ? {} : { freshUntilUs: Math.min(...times) };
};

/** The bytes of an answer: as JSON, the head and the rows. In the other forms, only the rows. */
export const bodyOf = (form: SnapshotForm, head: object, [name, { bytes }]: readonly [string, TableBytes]): Buffer =>
  form === 'json' ? withRows(head, [[name, bytes]]) : bytes;

/** A JSON object with arrays of rows, whose bytes are not parsed. */
export const withRows = (head: object, arrays: readonly (readonly [string, Uint8Array])[]): Buffer => {
  const chunks: Uint8Array[] = [Buffer.from(JSON.stringify(head).slice(0, -1))];
  for (const [name, json] of arrays) chunks.push(Buffer.from(`,"${name}":`), json);
  chunks.push(closing);
  return Buffer.concat(chunks);
};

const closing = Buffer.from('}');
