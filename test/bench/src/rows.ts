import { asOfRows } from './as-of.rows.js';
import { booksRows } from './books.rows.js';
import { bulkRows } from './bulk.rows.js';
import { catalogueGrowthRows } from './catalogue-growth.rows.js';
import { catalogueRows } from './catalogue.rows.js';
import { consoleRows } from './console.rows.js';
import { clientRows } from './clients.rows.js';
import { pythonRows } from './python.rows.js';
import { exportRows } from './exports.rows.js';
import { duckdbRows } from './duckdb.rows.js';
import { coldQueryRows } from './cold-queries.rows.js';
import { fairnessRows } from './fairness.rows.js';
import { growthRows } from './growth.rows.js';
import { importRows } from './import.rows.js';
import { memoryRows } from './memory.rows.js';
import { researchRows } from './research.rows.js';
import type { BenchRow } from './row.js';
import { scalingRows } from './scaling.rows.js';
import type { BenchSize } from './size.js';
import { startRows } from './starts.rows.js';
import { smallRows } from './small.rows.js';
import { settledRows } from './settled.rows.js';
import { sizesRows } from './sizes.rows.js';
import { slabsRows } from './slabs.rows.js';
import { snapshotsRows } from './snapshots.rows.js';
import { tradeRows } from './trades.rows.js';
import { webhookRows } from './webhooks.rows.js';

/** The order matters: imports and exports add to the catalogue, memory is read late, and growth restarts all services. */
export const rowsOf = (size: BenchSize): readonly BenchRow[] => [
  ...snapshotsRows,
  ...duckdbRows,
  ...slabsRows,
  ...settledRows(size),
  ...sizesRows,
  ...asOfRows,
  ...catalogueRows(size),
  ...smallRows,
  ...coldQueryRows,
  ...importRows,
  ...tradeRows(size),
  ...booksRows(size),
  ...scalingRows,
  ...startRows,
  ...webhookRows,
  ...fairnessRows,
  ...exportRows(size),
  ...bulkRows(size),
  ...researchRows(size),
  ...clientRows(size),
  ...pythonRows(size),
  ...consoleRows(size),
  ...memoryRows,
  ...catalogueGrowthRows(size),
  ...growthRows(size),
];
