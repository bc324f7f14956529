import { booksRows } from './books.rows.js';
import { bulkRows } from './bulk.rows.js';
import { catalogueRows } from './catalogue.rows.js';
import { catalogueTablesRows } from './catalogue-tables.rows.js';
import { clientRows } from './clients.rows.js';
import { coldQueryRows } from './cold-queries.rows.js';
import { consoleRows } from './console.rows.js';
import { duckdbRows } from './duckdb.rows.js';
import { exportRows } from './exports.rows.js';
import { growthRows } from './growth.rows.js';
import { importRows } from './import.rows.js';
import { memoryRows } from './memory.rows.js';
import { processRows } from './processes.rows.js';
import { researchRows } from './research.rows.js';
import type { BenchEntry } from './row.js';
import type { BenchSize } from './size.js';
import { snapshotsRows } from './snapshots.rows.js';
import { startRows } from './starts.rows.js';
import { webhookRows } from './webhooks.rows.js';

/**
 * All rows and profiles. The order matters: imports and exports add to the catalogue, memory is read late, and growth
 * restarts all services.
 */
export const entriesOf = (size: BenchSize): readonly BenchEntry[] => [
  ...snapshotsRows,
  ...duckdbRows,
  ...catalogueRows(size),
  ...catalogueTablesRows(size),
  ...coldQueryRows,
  ...booksRows(size),
  ...processRows,
  ...startRows,
  ...webhookRows,
  ...exportRows(size),
  ...bulkRows(size),
  ...researchRows(size),
  ...clientRows(size),
  ...consoleRows(size),
  ...importRows(size),
  ...memoryRows,
  ...growthRows(size),
];
