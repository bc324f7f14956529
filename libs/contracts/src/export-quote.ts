import { z } from 'zod';
import { grant, paymentOptions } from './commerce.js';
import { money } from './plans.js';

const count = z.int().min(0);

/** The statuses that a quote names: those that the request itself would be refused with. */
export const quotedStatuses = { payment_required: 402, export_daily_limit: 429, export_pending_limit: 429 } as const;

/** What POST /exports would do: the answer of `dry_run=true`. */
export const exportQuote = z
  .object({
    dry_run: z.literal(true).meta({ description: 'Nothing was reserved, and nothing is prepared', examples: [true] }),
    grant: grant
      .nullable()
      .meta({ description: 'What would cover it; null where it would be refused', examples: ['plan'] }),
    cost: money.nullable().meta({
      description: 'What is still to be paid for it, by the event; null where it is sold with a plan alone',
    }),
    options: paymentOptions.meta({ description: 'What would cover it, any one of these; empty where it is covered' }),
    would: z
      .object({
        status: z.union([z.literal(402), z.literal(429)]).meta({ description: 'The HTTP status', examples: [402] }),
        code: z
          .enum(['payment_required', 'export_daily_limit', 'export_pending_limit'])
          .meta({ description: 'The code of the error', examples: ['payment_required'] }),
        detail: z.string().meta({ description: 'A sentence for a person' }),
        options: paymentOptions,
        retry_after_s: count
          .nullable()
          .meta({ description: 'Seconds until it is worth asking again; null where waiting does not help' }),
      })
      .nullable()
      .meta({ description: 'How it would be refused now; null where it would be granted' }),
    row_count: count.meta({ description: 'Rows of the file, counted', examples: [450] }),
    bytes_estimate: count.meta({
      description: 'About the size of the file in bytes, from its first rows; exact where the file exists already',
      examples: [90103],
    }),
    markets: count.meta({ description: 'Markets in the file', examples: [1] }),
  })
  .meta({ id: 'ExportQuote', description: 'What an export would be granted or cost, and how large it would be.' });
export type ExportQuote = z.infer<typeof exportQuote>;
