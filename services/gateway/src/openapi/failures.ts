import {
  type AbsenceCode,
  DomainError,
  type ErrorCode,
  noSuch,
  type PaymentOptions,
  paymentOptions,
} from '@almanac/contracts';
import type { z } from 'zod';
import { csrfRefused, HttpError, type HttpCode, noSuchPath, problem, rateLimited } from '../http/refusal.js';
import { tooManyStreams } from '../http/event-streams.js';
import { tooLarge } from '../http/read-body.js';
import { ValidationError } from '../validation/fault.js';

/** What the documentation tells of a code: when it is answered, and an example of the error behind it. */
export interface Failure {
  readonly when: string;
  readonly example: DomainError | HttpError;
  /** The body, where it has more than every error. */
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
const absence = (code: AbsenceCode, when: string, id = ''): Failure => ({ when, example: noSuch(code, id) });
const http = (status: number, code: HttpCode, told: { when: string; detail: string }): Failure => ({
  when: told.when,
  example: new HttpError(status, code, { detail: told.detail }),
});

const oneTarget = 'Send one of: event; ticker; series with day.';

/** Every code there is. */
export const failures: Readonly<Record<ErrorCode | HttpCode, Failure>> = {
  unauthenticated: sentence('unauthenticated', 'the key is missing or not valid', 'This API key is not valid.'),
  invalid_input: sentence('invalid_input', 'what was sent cannot be used', 'The request cannot be used.'),
  invalid_cursor: sentence('invalid_cursor', 'the cursor is none', 'not a cursor that this listing gave'),
  invalid_window: sentence(
    'invalid_window',
    'the bounds are no window, or the market has no times',
    'start_ts must be before end_ts.',
  ),
  missing_target: sentence('missing_target', 'no target is given', `An export needs a target. ${oneTarget}`),
  ambiguous_target: sentence('ambiguous_target', 'more than one is given', `An export has one target. ${oneTarget}`),
  series_not_found: absence('series_not_found', 'there is no such series', 'KXBTC'),
  event_not_found: absence('event_not_found', 'there is no such event', 'KXBTC15M-26FEB312330'),
  market_not_found: absence('market_not_found', 'there is no such market', 'KXBTC15M-26FEB312330-30'),
  export_not_found: absence('export_not_found', 'the caller has no such export'),
  key_not_found: absence('key_not_found', 'the caller has no such key'),
  no_data_for_day: sentence(
    'no_data_for_day',
    'nothing was observed that day',
    'The archive has no observations of KXBTC15M on 2026-02-23.',
  ),
  export_preparing: sentence(
    'export_preparing',
    'the file is still being prepared',
    'The export is still being prepared. Ask again shortly.',
  ),
  export_restoring: sentence(
    'export_restoring',
    'the file of a ready export is prepared again, since it was lost',
    'The file is being prepared again. Try again shortly.',
  ),
  export_failed: sentence('export_failed', 'the export failed, and `detail` says why', 'The file could not be made.'),
  export_cancelled: sentence('export_cancelled', 'the export was cancelled', 'The export was cancelled.'),
  export_ended: sentence(
    'export_ended',
    'the export is not pending any more',
    'The export is ready. Only a pending one can be cancelled.',
  ),
  idempotency_conflict: sentence(
    'idempotency_conflict',
    'the Idempotency-Key belongs to another request',
    'This Idempotency-Key was used for another request.',
  ),
  payment_required: {
    when: 'a purchase or an upgrade is needed; `options` names them',
    example: new DomainError('payment_required', 'This export is not covered: buy its event or upgrade the plan.', {
      more: { options },
    }),
    body: problem
      .extend({ options: paymentOptions })
      .meta({ id: 'PaymentRequiredError', description: 'A refusal with what would help.' }),
  },
  key_limit_reached: sentence(
    'key_limit_reached',
    'the plan allows no more keys',
    'The plan allows 2 active keys. Revoke one or upgrade the plan.',
  ),
  export_daily_limit: sentence(
    'export_daily_limit',
    'the exports of this UTC day are used up',
    'The plan allows 3 exports a day (UTC).',
  ),
  export_pending_limit: sentence(
    'export_pending_limit',
    'too many exports are in preparation',
    'The plan allows 5 exports in preparation at once.',
  ),
  cart_empty: sentence('cart_empty', 'there is nothing in the cart', 'There is nothing to buy in the cart.'),
  cart_full: sentence(
    'cart_full',
    'the cart holds as many events as one checkout sells',
    'The cart is full with 100 events. Check out, or take something out.',
  ),
  not_an_upgrade: sentence(
    'not_an_upgrade',
    'the plan is higher already',
    'The plan is full_book, which pro is no upgrade of.',
  ),
  account_exists: sentence('account_exists', 'the account exists', 'The account exists, with another plan.'),
  account_not_found: sentence('account_not_found', 'there is no such account', 'This account does not exist.'),
  conflict: sentence(
    'conflict',
    'others changed the same thing at once; nothing was done',
    'Too many changes at once. Try again shortly.',
  ),
  unavailable: sentence(
    'unavailable',
    'a part of the service cannot answer now',
    'The archive is busy. Try again shortly.',
  ),
  internal: sentence('internal', 'something went wrong on our side', 'Something went wrong on our side.'),
  not_found: { when: 'there is nothing at this path', example: noSuchPath() },
  method_not_allowed: http(405, 'method_not_allowed', {
    when: 'the path does not take this method; `Allow` tells which',
    detail: 'This path does not take PUT; it takes GET, HEAD.',
  }),
  payload_too_large: { when: 'the body is too long', example: tooLarge(1_048_576) },
  range_not_satisfiable: http(416, 'range_not_satisfiable', {
    when: 'the file has no bytes in the range',
    detail: 'The file has no bytes in this range.',
  }),
  rate_limited: {
    when: 'too many requests in a minute',
    example: rateLimited(1_200, 7),
  },
  too_many_streams: { when: 'the account holds too many streams of events open', example: tooManyStreams() },
  csrf_refused: {
    when: 'a write with a session comes from elsewhere or lacks its `X-CSRF-Token`',
    example: csrfRefused('the `X-CSRF-Token` that the session came with'),
  },
  bad_request: http(400, 'bad_request', { when: 'it is no HTTP request', detail: 'This is not an HTTP request.' }),
};

/** An example of a 422. */
export const fault = new ValidationError([
  {
    type: 'less_than_equal',
    loc: ['query', 'limit'],
    msg: 'Input should be less than or equal to 200',
    input: '201',
    ctx: { le: 200 },
  },
]);
