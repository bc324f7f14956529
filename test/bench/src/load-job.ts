import { z } from 'zod';

/** What proves that two sides gave the same answer: the rows in it, all its bytes, or a text that it must hold. */
export const check = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('rows') }),
  z.object({ kind: z.literal('whole') }),
  z.object({ kind: z.literal('text'), text: z.string() }),
]);
export type Check = z.output<typeof check>;

/** Work for the load process: `requests` are sent in turn, as they are, until `count` were answered. */
export const loadJob = z.object({
  port: z.int(),
  requests: z.array(z.string()).min(1),
  count: z.int().min(1),
  clients: z.int().min(1),
  check,
});

export const loadResult = z.object({ seconds: z.number(), digest: z.number() });
