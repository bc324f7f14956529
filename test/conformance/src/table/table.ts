import { accountTable } from './account.js';
import { buyingTable } from './buying.js';
import { catalogTable } from './catalog.js';
import type { Endpoint } from './endpoint.js';
import { exportsTable } from './exports.js';
import { operatorTable } from './operator.js';
import { researchTable } from './research.js';
import { timeseriesTable } from './timeseries.js';
import { webhooksTable } from './webhooks.js';

/** Every endpoint that the gateway routes. */
export const table: readonly Endpoint[] = [
  ...catalogTable,
  ...timeseriesTable,
  ...researchTable,
  ...exportsTable,
  ...buyingTable,
  ...accountTable,
  ...webhooksTable,
  ...operatorTable,
];
