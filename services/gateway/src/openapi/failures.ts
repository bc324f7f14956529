import {
  datasetChanges,
  type NotFoundCode,
  DomainError,
  type ErrorCode,
  internalError,
  notFound,
  type PaymentOptions,
  paymentOptions,
} from '@almanac/contracts';
import { z } from 'zod';
import { csrfRefused, HttpError, type HttpCode, pathNotFound, rateLimited } from '../http/error-response.js';
import { problem } from '../http/problem.js';
import { missingToken } from '../sessions/same-origin.js';
import { tooManyStreams } from '../http/event-streams.js';
import { tooLarge } from '../http/read-body.js';
import { ValidationError } from '../validation/fault.js';

/** What the documentation says about a code: when the server sends it, and an example error. */
export interface Failure {
  readonly when: string;
  readonly example: DomainError | HttpError | ValidationError;
  /** The schema of the body, if it has more fields than every error. */
  readonly body?: z.ZodType;
}

const event = 'KXBTC15M-26FEB242330';

const options: PaymentOptions = [
  { type: 'buy_event', event, price: { amount: 500, currency: 'USD' } },
  { type: 'upgrade', tier_id: 'pro', price: { amount: 4_900, currency: 'USD' } },
];

const sentence = (code: ErrorCode, when: string, detail: string): Failure => ({
  when,
  example: new DomainError(code, detail),
});
const notFoundExample = (code: NotFoundCode, when: string, id = ''): Failure => ({ when, example: notFound(code, id) });
const http = (status: number, code: HttpCode, text: { when: string; detail: string }): Failure => ({
  when: text.when,
  example: new HttpError(status, code, { detail: text.detail }),
});

const oneTarget =
  'Send exactly one of: event, ticker, events, tickers, dataset, series with day, or series with from and to.';

export const failures: Readonly<Record<ErrorCode | HttpCode, Failure>> = {
  unauthenticated: sentence(
    'unauthenticated',
    'the API key is missing or not valid',
    'The API key is not valid. Check that the key is complete and that it is not revoked.',
  ),
  invalid_input: sentence(
    'invalid_input',
    'the request has a value that the server cannot use',
    'The signature does not match the body, or it is too old. Check the signing secret of the webhook.',
  ),
  invalid_cursor: {
    when: 'the cursor is not from this list',
    example: new DomainError('invalid_cursor', 'not a cursor that this listing gave', {
      more: { input: 'abc' },
    }),
  },
  invalid_window: sentence(
    'invalid_window',
    'the time window is not valid, or the market has no times',
    'start_ts must be earlier than end_ts.',
  ),
  invalid_period: sentence(
    'invalid_period',
    'the periods of the candles are not valid',
    'period_s must divide a day (86400 seconds). The nearest is 60.',
  ),
  as_of_in_future: sentence(
    'as_of_in_future',
    '`as_of` is in the future',
    'as_of is in the future. Send a time that has passed.',
  ),
  as_of_fenced: sentence(
    'as_of_fenced',
    'the key reads the archive as of a fixed time, and the request is for more',
    'This key reads the archive as of 1771993500. Send that time or an earlier one.',
  ),
  missing_target: sentence(
    'missing_target',
    'the request has no export target',
    `The request has no export target. ${oneTarget}`,
  ),
  ambiguous_target: sentence(
    'ambiguous_target',
    'the request has more than one export target',
    `The request has more than one export target. ${oneTarget}`,
  ),
  series_not_found: notFoundExample('series_not_found', 'the series does not exist', 'KXBTC'),
  event_not_found: notFoundExample('event_not_found', 'the event does not exist', 'KXBTC15M-26FEB312330'),
  market_not_found: notFoundExample('market_not_found', 'the market does not exist', 'KXBTC15M-26FEB312330-30'),
  export_not_found: notFoundExample('export_not_found', 'your account has no export with this id'),
  dataset_not_found: notFoundExample('dataset_not_found', 'there is no dataset with this id'),
  key_not_found: notFoundExample('key_not_found', 'your account has no API key with this id'),
  webhook_not_found: notFoundExample('webhook_not_found', 'your account has no webhook with this id'),
  delivery_not_found: sentence(
    'delivery_not_found',
    'the log of the webhook has no delivery with this id',
    'The log of this webhook has no delivery with this id. It has the newest 100 attempts.',
  ),
  no_data_for_day: sentence(
    'no_data_for_day',
    'the archive has no observations of the series on this day',
    'The archive has no observations of KXBTC15M on 2026-02-23 (UTC). Choose another day.',
  ),
  export_preparing: sentence(
    'export_preparing',
    'the file is not ready yet',
    'The file is not ready yet. Poll the export until its status is `ready`, then download the file.',
  ),
  export_restoring: sentence(
    'export_restoring',
    'the file of a ready export is being prepared again',
    'The file is being prepared again. Try again in a few seconds.',
  ),
  export_failed: sentence(
    'export_failed',
    'the export failed, and `detail` says why',
    'The file could not be prepared after several attempts. You were not charged. Create the export again.',
  ),
  export_cancelled: sentence(
    'export_cancelled',
    'the export was cancelled',
    'This export was cancelled, so it has no file. Create a new export.',
  ),
  export_ended: sentence(
    'export_ended',
    'the export is no longer pending',
    'This export is already ready. You can cancel only a pending export.',
  ),
  dataset_changed: {
    when: 'the bytes of the dataset are lost and its data has changed, as `changes` lists',
    example: new DomainError(
      'dataset_changed',
      'The file of this dataset is no longer stored, and it cannot be made again with the same bytes. `changes` lists what changed since.',
      { more: { changes: [{ ticker: `${event}-30`, change: 'data_version', was: 12, now: 13 }], changes_n: 1 } },
    ),
    body: problem
      .extend(datasetChanges)
      .meta({ id: 'DatasetChangedError', description: 'An error that lists what changed since a dataset was made.' }),
  },
  idempotency_conflict: sentence(
    'idempotency_conflict',
    'the Idempotency-Key belongs to a different request',
    'This Idempotency-Key belongs to a different export. Send a new key for a new export.',
  ),
  payment_required: {
    when: 'the export needs a purchase or an upgrade, which `options` lists',
    example: new DomainError(
      'payment_required',
      'Your plan does not cover this export. Buy the event or upgrade your plan. `options` lists what you can buy.',
      {
        more: { options },
      },
    ),
    body: problem
      .extend({ options: paymentOptions })
      .meta({ id: 'PaymentRequiredError', description: 'An error that lists what you can buy.' }),
  },
  key_limit_reached: sentence(
    'key_limit_reached',
    'the account has as many active API keys as its plan allows',
    "Your plan's limit for active API keys is 2. Revoke a key or upgrade your plan.",
  ),
  key_daily_limit: {
    when: 'the account has created too many API keys on this UTC day',
    example: new DomainError(
      'key_daily_limit',
      'An account can create 100 API keys per UTC day. Try again after 00:00 UTC.',
      { more: { retry_after_s: 25_200 } },
    ),
  },
  webhook_limit_reached: sentence(
    'webhook_limit_reached',
    'the account has as many webhooks as it may have',
    'An account can have 20 webhooks. Delete one that you no longer use.',
  ),
  webhook_daily_limit: {
    when: 'the account has changed its webhooks too often on this UTC day',
    example: new DomainError(
      'webhook_daily_limit',
      'An account can change its webhooks 100 times per UTC day. Try again after 00:00 UTC.',
      { more: { retry_after_s: 25_200 } },
    ),
  },
  webhook_disabled: sentence(
    'webhook_disabled',
    'the webhook is disabled',
    'This webhook is disabled, so nothing is sent to it. Enable it first.',
  ),
  export_daily_limit: {
    when: 'the account has used all exports of this UTC day',
    // A fixed waiting time, otherwise the example would change with the time of day.
    example: new DomainError(
      'export_daily_limit',
      "Your plan's limit for exports per UTC day is 3. Try again after 00:00 UTC.",
      { more: { retry_after_s: 25_200 } },
    ),
  },
  export_pending_limit: {
    when: 'the account has too many pending exports',
    example: new DomainError(
      'export_pending_limit',
      "Your plan's limit for pending exports is 1. Wait until an export is ready, or cancel one.",
      { more: { pending_exports: ['3f6c1b9e-5d0a-4c41-9a7e-0d8f2a6b1c55'] } },
    ),
    body: problem
      .extend({
        pending_exports: z
          .array(z.string())
          .meta({
            description:
              'Ids of up to 20 pending exports of the account, newest first. Only with `export_pending_limit`',
          })
          .optional(),
      })
      .meta({ id: 'LimitError', description: 'An error that names the pending exports.' }),
  },
  cart_empty: sentence(
    'cart_empty',
    'the cart has no event to buy',
    'Your cart has no event to buy. Add an event, then check out.',
  ),
  cart_full: sentence(
    'cart_full',
    'the cart holds as many events as one checkout can sell',
    'Your cart is full: it holds 100 events. Check out, or remove an event.',
  ),
  not_an_upgrade: sentence(
    'not_an_upgrade',
    'the requested plan is not higher than the current one',
    'Your plan is full_book, and pro is not an upgrade from it. Choose a higher plan.',
  ),
  account_exists: sentence(
    'account_exists',
    'the account already exists',
    'This account already exists, with the plan free.',
  ),
  account_not_found: sentence(
    'account_not_found',
    'the account does not exist',
    'This account does not exist. Check the account id.',
  ),
  conflict: sentence(
    'conflict',
    'other requests changed the same data at the same time',
    'Other requests changed the same data at the same time, so this change was not saved. Try again in a few seconds.',
  ),
  unavailable: sentence(
    'unavailable',
    'part of the server is temporarily unavailable',
    'The archive is busy. Try again in a few seconds.',
  ),
  internal: { when: 'the server failed to handle the request', example: internalError() },
  not_found: { when: 'the path does not exist', example: pathNotFound() },
  method_not_allowed: http(405, 'method_not_allowed', {
    when: 'the path does not support this method, and `Allow` lists the methods',
    detail: 'This path does not support the method PUT. Use one of: GET, HEAD.',
  }),
  payload_too_large: { when: 'the request body is too large', example: tooLarge(262_144) },
  range_not_satisfiable: http(416, 'range_not_satisfiable', {
    when: 'the requested range is outside the file',
    detail: 'The requested range is outside the file. `Content-Range` gives the size of the file.',
  }),
  rate_limited: {
    when: 'the account sent more requests in a minute than its plan allows',
    example: rateLimited(1_200, 7),
  },
  too_many_streams: { when: 'the account has too many event streams open', example: tooManyStreams() },
  csrf_refused: {
    when: 'a request with a session comes from another origin or lacks its `X-CSRF-Token`',
    example: csrfRefused(missingToken),
  },
  validation_failed: {
    when: 'the request has invalid fields',
    example: new ValidationError([
      {
        type: 'less_than_equal',
        loc: ['query', 'limit'],
        msg: 'Input should be less than or equal to 200',
        input: '201',
        ctx: { le: 200 },
      },
    ]),
  },
  bad_request: http(400, 'bad_request', {
    when: 'the server cannot read the request as HTTP',
    detail: 'The server could not read the data as an HTTP request.',
  }),
};

export const requestIdExample = '0198c7a2-6f0e-7c3b-9a51-2f4be08d7c11';
