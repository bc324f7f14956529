import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type Snapshot, snapshotsResponse } from '@almanac/contracts';
import type { z } from 'zod';
import type { ApiClient } from '../api.js';

export const gunzipped = (path: string): Buffer => gunzipSync(readFileSync(path));

export type Levels = readonly (readonly [price: number, size: number])[];
export interface ExpectedBook {
  /** Integer microseconds. */
  readonly us: number;
  /** Bids of each side, best first. */
  readonly yes: Levels;
  readonly no: Levels;
}

export const millionth = (value: number): number => Math.round(value * 1e6) / 1e6;

export const shownBook = ({ ts, orderbook_yes: yes, orderbook_no: no }: Snapshot) => {
  assert.ok(ts !== null);
  return { us: Math.round(ts * 1e6), yes, no };
};

const sizeAt = (side: Levels | null | undefined): number | null => side?.[0]?.[1] ?? null;

/** All rows of a market with their books, page by page. */
export const allBooks = async (api: ApiClient, ticker: string, { us }: ExpectedBook): Promise<Snapshot[]> => {
  const found: Snapshot[] = [];
  for (let from: number | null = us / 1e6; from !== null;) {
    const window: string = `start_ts=${from}&step_ms=0&limit=5000&include_book=true&sizes=true`;
    const path = `/markets/${encodeURIComponent(ticker)}/snapshots?${window}`;
    const page: z.output<typeof snapshotsResponse> = await api.json(snapshotsResponse, path);
    for (const row of page.snapshots) {
      const sizes = [row.yes_best_bid_size, row.yes_best_ask_size];
      assert.deepEqual(sizes, [sizeAt(row.orderbook_yes), sizeAt(row.orderbook_no)], 'of the first levels');
    }
    found.push(...page.snapshots);
    from = page.next_start_ts ?? null;
  }
  return found;
};
