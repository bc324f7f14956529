import { asOf } from '../requests/as-of.js';
import { z } from 'zod';
import { citation } from './citation.js';
import { datasetForm, datasetResponse } from './datasets.js';
import { exportGroup } from './export-group.js';
import { exportQuote } from './export-quote.js';
import { exportCreateRequest, exportListResponse, exportManifest, exportResponse } from './exports.js';
import { micros } from '../requests/numbers.js';
import { cursor, limitOf } from '../requests/paging.js';
import { contract } from '../requests/rpc.js';

/** From `renew_us`, half of its lifetime, the gateway requests a new link. */
const link = z.object({
  url: z.string(),
  expires_us: micros,
  renew_us: micros,
  /** The content of the file. Null in a link for the gateway, and for files from before manifests existed. */
  manifest: exportManifest.nullable(),
  /** How to cite the file. Null like `manifest`, and from processes of older releases. */
  citation: citation.nullable().default(null),
});

const targetErrors = [
  'missing_target',
  'ambiguous_target',
  'event_not_found',
  'market_not_found',
  'series_not_found',
  'no_data_for_day',
  'invalid_input',
  'dataset_not_found',
  'dataset_changed',
  'as_of_in_future',
] as const;

export const exportRpc = {
  create: contract({
    service: 'export',
    method: 'create',
    kind: 'command',
    repeats: 'with key',
    input: exportCreateRequest.extend({ idempotency_key: z.string().nullish() }),
    output: z.union([exportResponse, exportGroup]),
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
  /** What `create` would do. Reserves, records and prepares nothing. */
  quote: contract({
    service: 'export',
    method: 'quote',
    kind: 'query',
    input: exportCreateRequest,
    output: exportQuote,
    errors: targetErrors,
    timeoutMs: 20_000,
  }),
  /** Cancels a pending export of the caller and releases its grant. Cancelling it again changes nothing. */
  cancel: contract({
    service: 'export',
    method: 'cancel',
    kind: 'command',
    repeats: 'always',
    input: z.object({ export_id: exportResponse.shape.id }),
    output: exportResponse,
    errors: ['export_not_found', 'export_ended', 'conflict'],
    timeoutMs: 5_000,
  }),
  /** The caller's exports, newest first. It includes every export that was answered before this request. */
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
          'x-extensible-enum': ['pending', 'ready', 'failed', 'cancelled'],
        }),
      group: z
        .string()
        .nullish()
        .meta({
          description: 'Return only exports of the request with this group id',
          examples: ['48dda3c2-1b8a-4b4e-9e0a-563b09253609'],
        }),
      as_of: asOf.meta({
        description:
          'Return only exports as of this time or earlier, in Unix seconds. An export without `as_of` is of no such time. It may not be in the future',
        examples: [1771993500],
      }),
    }),
    output: exportListResponse,
    errors: ['invalid_cursor', 'as_of_in_future'],
    timeoutMs: 5_000,
  }),
  /**
   * A signed link to a ready export of the caller: `public` for a client, otherwise for the gateway to stream.
   * `missing` reports that the last link found no file; a lost file is prepared again.
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
    errors: [
      'export_not_found',
      'export_preparing',
      'export_restoring',
      'export_failed',
      'export_cancelled',
      'dataset_changed',
    ],
    timeoutMs: 5_000,
  }),
  /** A file that was ready once, for everybody who has its id. */
  dataset: contract({
    service: 'export',
    method: 'dataset',
    kind: 'query',
    input: z.object({
      dataset_id: datasetResponse.shape.dataset_id,
      as_of: asOf.meta({
        description:
          'Find only a dataset as of this time or earlier, in Unix seconds. A dataset without `as_of` is of no such time. It may not be in the future',
        examples: [1771993500],
      }),
      /** The gateway derives it from the URL or from `Accept`. */
      format: datasetForm.default('json'),
    }),
    output: datasetResponse,
    errors: ['dataset_not_found', 'as_of_in_future'],
    timeoutMs: 5_000,
  }),
};
