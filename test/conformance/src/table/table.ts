import { readFileSync } from 'node:fs';
import { readsWithoutParameters } from '../published.js';
import { accountTable } from './account.js';
import { buyingTable } from './buying.js';
import { catalogTable } from './catalog.js';
import type { Endpoint } from './endpoint.js';
import { exportsTable } from './exports.js';
import { operatorTable } from './operator.js';
import { qualityTable } from './quality.js';
import { researchTable } from './research.js';
import { timeseriesTable } from './timeseries.js';
import { webhooksTable } from './webhooks.js';

const ownRows: readonly Endpoint[] = [
  ...catalogTable,
  ...timeseriesTable,
  ...researchTable,
  ...qualityTable,
  ...exportsTable,
  ...buyingTable,
  ...accountTable,
  ...webhooksTable,
  ...operatorTable,
];

const document: unknown = JSON.parse(readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'));
const isOwn = (path: string): boolean => ownRows.some((row) => row.method === 'GET' && row.path === path);

/** Every endpoint that the gateway routes. A row of a read without parameters would only repeat the published path. */
export const table: readonly Endpoint[] = [
  ...ownRows,
  ...readsWithoutParameters(document)
    .filter((path) => !isOwn(path))
    .map((path) => ({ method: 'GET', path, good: path, deadlineMs: 5_000 }) as const),
];
