import { z } from 'zod';

const window = z.object({ ticker: z.string(), startTs: z.int(), endTs: z.int() });
export type Window = z.output<typeof window>;

const windows = z.array(window).min(1);
/** A job for the process that reads windows into objects. */
export const windowReaderJob = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('api'), url: z.string(), authorization: z.string(), windows }),
  z.object({ kind: z.literal('parquet'), path: z.string(), windows }),
]);

/** Seconds, and a sum over all rows that differs when rows do. */
export const windowsRead = z.object({ seconds: z.number(), digest: z.number() });
