import { z } from 'zod';
import { asOfEcho } from '../requests/as-of.js';
import { grant, paymentOptions } from '../commerce/commerce.js';
import { money } from '../commerce/plans.js';

const count = z.int().min(0);

/** The statuses of a quote's refusals, equal to those of the real request. */
export const quotedStatuses = { payment_required: 402, export_daily_limit: 429, export_pending_limit: 429 } as const;

const text = z.string().nullable();

/** One day of a range, one event of a list, or the markets of one event in a list. */
const quotedPart = z
  .object({
    day: text.meta({ description: 'UTC day of the part, if the request has days', examples: ['2026-02-25'] }),
    event: text.meta({
      description: 'Event of the part, if the request has no days',
      examples: ['KXBTC15M-26FEB242330'],
    }),
    grant: grant
      .nullable()
      .meta({ description: 'What would pay for the part. Null if nothing does', examples: ['plan'] }),
    cost: money.nullable().meta({
      description:
        'Price of the events of the part that you do not own, 0 if it is covered. An event in several parts is sold once. Null if only a plan covers the part',
    }),
    row_count: count.meta({ description: 'Number of rows of the part', examples: [450] }),
    markets: count.meta({ description: 'Number of markets of the part', examples: [1] }),
    reason: text.meta({ description: 'Why nothing pays for the part, or why it has no rows. Otherwise null' }),
  })
  .meta({ id: 'QuotedPart', description: 'A part of an export.' });
export type QuotedPart = z.infer<typeof quotedPart>;

/** What POST /exports would do: the answer to `dry_run=true`. */
export const exportQuote = z
  .object({
    dry_run: z.literal(true).meta({ description: 'Always true: no export was created', examples: [true] }),
    grant: grant
      .nullable()
      .meta({ description: 'What would pay for the export. Null if it would be refused', examples: ['plan'] }),
    cost: money.nullable().meta({
      description:
        'What you would pay for the events of the export. 0 if the export is covered. Null if only a plan covers it',
    }),
    options: paymentOptions.meta({
      description: 'What you can buy to get the export. Any one option is enough. Empty if the export is covered',
    }),
    would: z
      .object({
        status: z.union([z.literal(402), z.literal(429)]).meta({ description: 'HTTP status', examples: [402] }),
        code: z
          .enum(['payment_required', 'export_daily_limit', 'export_pending_limit'])
          .meta({ description: 'Error code', examples: ['payment_required'] }),
        detail: z.string().meta({ description: 'Explanation for people' }),
        options: paymentOptions,
        retry_after_s: count
          .nullable()
          .meta({ description: 'Seconds to wait before the next attempt. Null if waiting does not help' }),
      })
      .nullable()
      .meta({ description: 'Error that the request would return now. Null if it would succeed' }),
    row_count: count.meta({ description: 'Number of rows in the file', examples: [450] }),
    bytes_estimate: count.meta({
      description: 'Estimated size of the file in bytes. Exact if the file already exists',
      examples: [90103],
    }),
    markets: count.meta({ description: 'Number of markets in the file', examples: [1] }),
    remarks: z.array(z.string()).meta({
      description: 'What the request would do that you may not expect, such as the use of a free credit',
    }),
    parts: z
      .array(quotedPart)
      .meta({ description: 'The days, events or markets of the request, each as an export of its own' }),
    ...asOfEcho,
  })
  .meta({ id: 'ExportQuote', description: 'What pays for an export, what it costs, and how large it is.' });
export type ExportQuote = z.infer<typeof exportQuote>;
