import { z } from 'zod';

/** Proves that both sides gave the same answer: by its rows, by all its bytes, or by a text that it contains. */
export const check = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('rows') }),
  z.object({ kind: z.literal('whole') }),
  z.object({ kind: z.literal('text'), text: z.string() }),
]);
export type Check = z.output<typeof check>;

const requests = z.array(z.string()).min(1);

/** Sends `requests` in turn until `count` were answered. */
const rateJob = z.object({
  kind: z.literal('rate'),
  port: z.int(),
  requests,
  count: z.int().min(1),
  clients: z.int().min(1),
  check,
});
export type RateJob = z.output<typeof rateJob>;

/** Sends one request at a time, alternating between the reference and ours. */
const timesJob = z.object({
  kind: z.literal('times'),
  ours: z.object({ port: z.int(), requests, check }),
  reference: z.object({ port: z.int(), request: z.string(), check }),
});
export type TimesJob = z.output<typeof timesJob>;

/** A job for the load process. */
export const loadJob = z.discriminatedUnion('kind', [rateJob, timesJob]);

export const rateResult = z.object({ seconds: z.number(), digest: z.number() });
/** In milliseconds, in the order of the requests. */
export const timesResult = z.object({ ours: z.array(z.number()), reference: z.array(z.number()) });
