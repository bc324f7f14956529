import { z } from 'zod';

const level = z
  .tuple([z.number(), z.number()])
  .meta({ description: 'Price and size: `[price, size]`', examples: [[0.86, 300]] });
const bookOf = (side: string) =>
  z
    .array(level)
    .nullable()
    .meta({
      description: `Bids on the ${side} side, best first, each as \`[price, size]\`. The price is a fraction of 1, the size is in contracts. Null if no order book was captured`,
      examples: [[[0.86, 300]]],
    });
/** Both sides of an order book. */
export const books = { orderbook_yes: bookOf('yes'), orderbook_no: bookOf('no') };

/** The forms of snapshots and their media types. The first is the default. */
export const snapshotForms = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  arrow: 'application/vnd.apache.arrow.stream',
} as const;
export const snapshotForm = z.enum(['json', 'csv', 'ndjson', 'parquet', 'arrow']);
export type SnapshotForm = z.infer<typeof snapshotForm>;

/** The forms with typed columns, which are not text and are compressed inside. */
export type BinaryForm = 'parquet' | 'arrow';
export const isBinaryForm = (form: SnapshotForm): form is BinaryForm => form === 'parquet' || form === 'arrow';

/** How one read is answered: the gateway derives `format` from the URL or from `Accept`. */
export const tableForm = snapshotForm.default('json');
