import assert from 'node:assert/strict';
import { exportResponse, marketsResponse } from '@almanac/contracts';
import { type ApiClient, post } from '../api.js';
import type { Reads } from './read-load.js';

/** Reads of each kind of a generated archive. */
export const readsOf = async (apis: readonly ApiClient[]): Promise<Reads> => {
  const api = apis[0] ?? assert.fail();
  const { markets } = await api.json(marketsResponse, '/markets?status=finalized&limit=200');
  const ids: string[] = [];
  for (const { ticker } of markets.slice(0, 5))
    ids.push((await api.json(exportResponse, '/exports', post({ ticker, format: 'csv' }, ticker))).id);
  const market = (n: number): string => encodeURIComponent((markets[n % markets.length] ?? assert.fail()).ticker);
  return {
    formats: () => '/exports/formats',
    'detail, hot': () => `/markets/${market(0)}`,
    'detail, any': (n) => `/markets/${market(n)}`,
    'list, any': (n) => `/markets?limit=${1 + (n % 199)}`,
    categories: () => '/categories',
    search: () => '/search?q=bitcoin',
    'snapshots, hot': () => `/markets/${market(0)}/snapshots?limit=100`,
    'snapshots, cold': (n) => `/markets/${market(n)}/snapshots?limit=${1 + (n % 199)}`,
    preview: (n) => `/markets/${market(n)}/preview`,
    plan: () => '/plan',
    keys: () => '/keys',
    exports: () => '/exports?limit=5',
    export: (n) => `/exports/${ids[n % ids.length] ?? ''}`,
  };
};

/** Throws unless each client gets an answer to each kind. */
export const areAnswered = async (apis: readonly ApiClient[], reads: Reads): Promise<void> => {
  for (const api of apis)
    for (const pathOf of Object.values(reads)) {
      const { status, bytes } = await api.send(pathOf(0));
      assert.equal(status, 200, `${pathOf(0)}: ${bytes.toString('utf8').slice(0, 300)}`);
    }
};
