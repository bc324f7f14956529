import { z } from 'zod';
import { exportQuote } from './export-quote.js';
import { exportCreateRequest, exportListResponse, exportManifest, exportResponse } from './exports.js';
import { micros } from './numbers.js';
import { cursor, limitOf } from './paging.js';
import { contract } from './rpc.js';

/** From `renew_us` on, at half of its life, another link is asked for. */
const link = z.object({
  url: z.string(),
  expires_us: micros,
  renew_us: micros,
  /** What the file was made of; null in a link for the gateway, and of a file of before there was one. */
  manifest: exportManifest.nullable(),
});

const targetErrors = [
  'missing_target',
  'ambiguous_target',
  'event_not_found',
  'market_not_found',
  'series_not_found',
  'no_data_for_day',
] as const;

export const exportRpc = {
  create: contract({
    service: 'export',
    method: 'create',
    kind: 'command',
    input: exportCreateRequest.extend({ idempotency_key: z.string().nullish() }),
    output: exportResponse,
    errors: [
      ...targetErrors,
      'idempotency_conflict',
      'payment_required',
      'export_daily_limit',
      'export_pending_limit',
      'conflict',
    ],
    timeoutMs: 10_000,
  }),
  /** What `create` would do; reserves, records and prepares nothing. */
  quote: contract({
    service: 'export',
    method: 'quote',
    kind: 'query',
    input: exportCreateRequest,
    output: exportQuote,
    errors: targetErrors,
    timeoutMs: 20_000,
  }),
  /** Ends a pending export of the caller, which gives back what it took; one that was cancelled before stays so. */
  cancel: contract({
    service: 'export',
    method: 'cancel',
    kind: 'command',
    input: z.object({ export_id: exportResponse.shape.id }),
    output: exportResponse,
    errors: ['export_not_found', 'export_ended', 'conflict'],
    timeoutMs: 5_000,
  }),
  /** The caller's exports, newest first; it shows whatever anybody was answered before it was asked. */
  list: contract({
    service: 'export',
    method: 'list',
    kind: 'query',
    input: z.object({
      limit: limitOf(100, 50),
      cursor,
      status: z
        .string()
        .nullish()
        .meta({
          description:
            'Return only exports with this status: `pending`, `ready`, `failed` or `cancelled`. Any other value matches nothing',
          examples: ['ready'],
        }),
    }),
    output: exportListResponse,
    errors: ['invalid_cursor'],
    timeoutMs: 5_000,
  }),
  /**
   * A signed link to a ready export of the caller: `public` for a client, else for the gateway to pipe. `missing` says
   * that the last one led to nothing; a file that is not there any more is prepared again.
   */
  link: contract({
    service: 'export',
    method: 'link',
    kind: 'query',
    input: z.object({
      export_id: exportResponse.shape.id,
      public: z.boolean(),
      missing: z.boolean().default(false),
    }),
    output: link,
    errors: ['export_not_found', 'export_preparing', 'export_restoring', 'export_failed', 'export_cancelled'],
    timeoutMs: 5_000,
  }),
};
