import type { ErrorCode } from '@almanac/contracts';
import type { HttpCode } from '../http/error-response.js';

/** The text on an error's page besides its status and example. Backticks mark code. */
export interface ErrorProse {
  readonly meaning: string;
  readonly cause: string;
  readonly remedy: string;
}

const wait = 'Wait for the number of seconds in `Retry-After`, then send the request again.';
const sendOneTarget =
  'Send exactly one of: `event`, `ticker`, `events`, `tickers`, `dataset`, or `series` with `day` or with `from` and `to`.';

/** Written by hand: one entry for every code. */
export const errorProse: Readonly<Record<ErrorCode | HttpCode, ErrorProse>> = {
  unauthenticated: {
    meaning: 'The request has no API key, or the API key is not valid.',
    cause: 'The `Authorization` header is missing or misspelled, the key is incomplete, or the key is revoked.',
    remedy:
      'Send the whole key in the header `Authorization: Bearer <API_KEY>`. If you lost the key, create a new one: a secret is shown only once.',
  },
  invalid_input: {
    meaning: 'The server understood the request but cannot use a value in it.',
    cause:
      'Most invalid values return status 422 with a list of fields. This code covers the rest, such as a webhook whose signature does not match its body.',
    remedy: 'Correct the value that `detail` names. The same request fails again.',
  },
  invalid_cursor: {
    meaning: 'The `cursor` parameter does not belong to this list.',
    cause: 'The cursor was changed, or it comes from another list or from the same list with other filters.',
    remedy:
      'Send `next_cursor` from the previous answer unchanged, with the same filters. To start again, leave `cursor` out. `detail` is a list of fields, as for every status 422.',
  },
  invalid_window: {
    meaning: 'The time window of the request is not valid, or the market has no times from which to choose one.',
    cause:
      '`start_ts` is not earlier than `end_ts`, or a bound is outside 0 to 4102444800. A bound in milliseconds is the most frequent cause. A market without open time, close time and observations has no window.',
    remedy: 'Send both bounds in Unix seconds, with `start_ts` earlier than `end_ts`.',
  },
  invalid_period: {
    meaning: 'The periods of the requested candles are not valid.',
    cause:
      '`period_s` does not divide a day, the request has both `period_s` and `points`, or `points` of all markets of a batch are more than 20,000.',
    remedy: 'Send a divisor of 86400, such as 1, 60, 900 or 3600, or send `points` alone.',
  },
  as_of_in_future: {
    meaning: '`as_of` is later than now, so the archive cannot know what was known then.',
    cause: 'The time is in the future, or the clock of the client is ahead.',
    remedy: 'Send a time that has passed, in whole Unix seconds, or leave `as_of` out to read the present.',
  },
  as_of_fenced: {
    meaning: 'The API key reads the archive as of a fixed time, and the request asks for more.',
    cause:
      'The key was made with `as_of`. The request has a later `as_of`, or it is for an endpoint that cannot answer as of a time.',
    remedy:
      'Leave `as_of` out, or send the time of the key or an earlier one. For later data, use a key without `as_of`.',
  },
  missing_target: {
    meaning: 'The request does not say what to export.',
    cause:
      'The body has no target, or only a part of one, such as `series` without a day. Null and `""` count as not sent.',
    remedy: sendOneTarget,
  },
  ambiguous_target: {
    meaning: 'The request names more than one thing to export.',
    cause: 'The body has two or more targets, such as `event` and `ticker`. The server does not guess.',
    remedy: sendOneTarget,
  },
  series_not_found: {
    meaning: 'The archive has no series with this id.',
    cause: 'The id is misspelled or has the wrong case, or the series is not in the archive.',
    remedy: 'Find the id with `GET /api/v1/series` or `GET /api/v1/search`. Ids are case-sensitive.',
  },
  event_not_found: {
    meaning: 'The archive has no event with this ticker.',
    cause: 'The ticker is misspelled or has the wrong case, or it is the ticker of a market.',
    remedy: 'Find the event with `GET /api/v1/search`, or read `event_ticker` of one of its markets.',
  },
  market_not_found: {
    meaning: 'The archive has no market with this ticker.',
    cause: 'The ticker is misspelled or has the wrong case, or it is the ticker of an event.',
    remedy: 'Find the market with `GET /api/v1/markets` or `GET /api/v1/search`. Tickers are case-sensitive.',
  },
  export_not_found: {
    meaning: 'Your account has no export with this id.',
    cause: 'The id is not complete, or the export belongs to another account. Both cases return the same answer.',
    remedy: 'List your exports with `GET /api/v1/exports`, and check that you use a key of the right account.',
  },
  dataset_not_found: {
    meaning: 'There is no dataset with this id.',
    cause: 'The id is not complete, or no file with this hash was ever ready.',
    remedy:
      'Copy the whole `ds-…` id from the citation. The `dataset_id` of your own file is in `GET /api/v1/exports/{export_id}`.',
  },
  key_not_found: {
    meaning: 'Your account has no API key with this id.',
    cause:
      'The id is not complete, it is a whole key instead of an id, or the key belongs to another account. All cases return the same answer.',
    remedy: 'List your keys with `GET /api/v1/keys`, and send the `id` of a key.',
  },
  webhook_not_found: {
    meaning: 'Your account has no webhook with this id.',
    cause:
      'The id is not complete, the webhook was deleted, or it belongs to another account. All cases return the same answer.',
    remedy: 'List your webhooks with `GET /api/v1/webhooks`, and send the `id` of a webhook.',
  },
  delivery_not_found: {
    meaning: 'The webhook has no delivery with this id in its log.',
    cause:
      'The id is not complete, or newer attempts have replaced it: the log has the newest 100 attempts of 30 days.',
    remedy:
      'List the attempts with `GET /api/v1/webhooks/{webhook_id}/deliveries`. If the delivery is older, read the export or the market itself.',
  },
  no_data_for_day: {
    meaning: 'The archive has no observations of this series on this day.',
    cause: 'No market of the series was recorded between 00:00 and 24:00 UTC of the day. Future days have no data.',
    remedy: 'Choose another day. Days are UTC days. You were not charged.',
  },
  export_preparing: {
    meaning: 'The file of the export is not ready yet.',
    cause: 'You requested the file while the export is `pending`.',
    remedy:
      'Poll `GET /api/v1/exports/{export_id}` until `status` is `ready`, or wait with `GET /api/v1/exports/{export_id}/events`. Then download the file.',
  },
  export_restoring: {
    meaning: 'The export is ready, but its file must be prepared again.',
    cause: 'The file is missing from the file storage. The server noticed it and has started to prepare it again.',
    remedy: `${wait} You are not charged again.`,
  },
  export_failed: {
    meaning: 'The export failed and has no file.',
    cause: '`detail` gives the reason. It is the `error` of the export.',
    remedy: 'Create the export again. A failed export gives back the credit and the quota that it used.',
  },
  export_cancelled: {
    meaning: 'The export was cancelled and has no file.',
    cause: 'Someone with a key of your account cancelled the export while it was pending.',
    remedy: 'Create a new export.',
  },
  export_ended: {
    meaning: 'The export cannot be cancelled because it is no longer pending.',
    cause: 'The export became `ready` or `failed` before the request to cancel it arrived.',
    remedy: 'Read the export with `GET /api/v1/exports/{export_id}`. Download its file if it is ready.',
  },
  dataset_changed: {
    meaning: 'The file of the dataset cannot be had with the same bytes any more.',
    cause:
      'The stored file is gone, or the markets of a day changed, and the data of a market or the columns of files changed since. `changes` names every difference.',
    remedy: 'Export the target itself to get the current data. It is another dataset. You were not charged.',
  },
  idempotency_conflict: {
    meaning: 'The `Idempotency-Key` was already used for a different request.',
    cause: 'A request in the last 24 hours used the same key with another body.',
    remedy: 'Send a new key with each new request. Reuse a key only to repeat the same request.',
  },
  payment_required: {
    meaning: 'Your plan does not cover this export, or a payment was declined.',
    cause:
      'The plan has no export credit left, does not include the requested streams, or does not include exports of this kind.',
    remedy:
      'Choose one of `options`: buy the event through the cart, or upgrade your plan. If a payment was declined, use another card.',
  },
  key_limit_reached: {
    meaning: 'Your account has as many active API keys as its plan allows.',
    cause: 'Each active key counts. Revoked keys do not count.',
    remedy: 'Revoke a key that you no longer use, or upgrade your plan.',
  },
  key_daily_limit: {
    meaning: 'Your account has created 100 API keys on this UTC day.',
    cause: 'Each new key counts, also if it was revoked since.',
    remedy:
      'Wait for the number of seconds in `Retry-After`, which is the time until 00:00 UTC. Reuse a key for all runs of a program instead of creating one for each run.',
  },
  webhook_limit_reached: {
    meaning: 'Your account has as many webhooks as an account may have.',
    cause: 'Each webhook counts, also a disabled one.',
    remedy: 'Delete a webhook that you no longer use, or send more types of events to one address.',
  },
  webhook_daily_limit: {
    meaning: 'Your account has changed its webhooks 100 times on this UTC day.',
    cause: 'Each creation, rotation and enabling counts. Deletions do not count.',
    remedy:
      'Wait for the number of seconds in `Retry-After`, which is the time until 00:00 UTC. Create a webhook once, not for each run of a program.',
  },
  webhook_disabled: {
    meaning: 'The webhook is disabled, so nothing is sent to it.',
    cause:
      'Its address failed for 24 hours, answered 410, or too many deliveries waited. `disabled_reason` says which.',
    remedy: 'Repair the receiver, then enable the webhook with `POST /api/v1/webhooks/{webhook_id}/enable`.',
  },
  export_daily_limit: {
    meaning: 'Your account has used all exports of this UTC day.',
    cause: 'Each export that your plan covers counts. Exports of events that you bought do not count.',
    remedy: 'Wait for the number of seconds in `Retry-After`, which is the time until 00:00 UTC, or upgrade your plan.',
  },
  export_pending_limit: {
    meaning: 'Your account has as many pending exports as its plan allows.',
    cause: 'The plan limits how many exports can be `pending` at the same time.',
    remedy:
      'Wait until an export is ready, or cancel a pending export. Then send the request again. `pending_exports` has the ids of your pending exports, also of one whose answer you did not receive.',
  },
  cart_empty: {
    meaning: 'The cart has no event to buy.',
    cause: 'The cart is empty, or you have already bought all of its events.',
    remedy: 'Add an event with `POST /api/v1/cart/event-exports`, then check out.',
  },
  cart_full: {
    meaning: 'The cart cannot hold another event.',
    cause: 'One checkout sells at most 100 events.',
    remedy: 'Check out, or remove an event with `DELETE /api/v1/cart/event-exports/{event_id}`.',
  },
  not_an_upgrade: {
    meaning: 'The requested plan is not higher than your current plan.',
    cause: 'An upgrade goes from `free` to `pro` to `full_book`.',
    remedy:
      'Choose a higher plan. To change to a lower plan, open the billing portal with `POST /api/v1/billing/portal`.',
  },
  account_exists: {
    meaning: 'The account already exists.',
    cause:
      'An operator opened an account whose id or email address is already in use. The HTTP API does not send this code.',
    remedy: 'Use the existing account, or open the new account with another email address.',
  },
  account_not_found: {
    meaning: 'The account does not exist.',
    cause: 'An operator used an account id or email address that the system does not have.',
    remedy: 'Check the id or the email address. If your API key returns this error, report it to the operator.',
  },
  conflict: {
    meaning: 'Another request changed the same data at the same time, so this request was not applied.',
    cause: 'Several requests of one account ran at the same time, or an earlier payment is still in progress.',
    remedy: `${wait} To repeat a request safely, send the same \`Idempotency-Key\`.`,
  },
  unavailable: {
    meaning: 'Part of the server cannot answer at the moment.',
    cause:
      'The server is starting, is overloaded, or cannot reach one of its stores. Where the answer has begun already, the server ends the connection before the end of the answer instead, and your HTTP client reports an error.',
    remedy: `${wait} To repeat a request safely, send the same \`Idempotency-Key\`.`,
  },
  internal: {
    meaning: 'The server failed to handle the request.',
    cause: 'An unexpected error in the server. The cause is in the logs of the server, not in the answer.',
    remedy: 'Send the request again. If it fails again, report the `request_id` to the operator of the server.',
  },
  not_found: {
    meaning: 'No endpoint has this path.',
    cause: 'The path is misspelled, has the wrong case, or has a malformed `%` sequence.',
    remedy: 'Send the path that `detail` suggests, or find it in the reference at `/docs`. Paths are case-sensitive.',
  },
  validation_failed: {
    meaning: 'The request has values or fields that the endpoint does not accept.',
    cause:
      '`detail` lists every problem with its location in `loc`. A request with `Prefer: handling=strict` also fails if it has unknown parameters, fields or filter values. A request that spends money or quota fails if its body has an unknown field.',
    remedy:
      'Correct each item of `detail`. `ctx.nearest` has the nearest known name, and `notices` can have a hint, such as the Unix seconds of a date.',
  },
  method_not_allowed: {
    meaning: 'The path exists but does not support this HTTP method.',
    cause: 'The request uses another method than the endpoint, such as PUT instead of POST.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  payload_too_large: {
    meaning: 'The request body is too large.',
    cause: '`detail` gives the limit in bytes.',
    remedy: 'Send a smaller body.',
  },
  range_not_satisfiable: {
    meaning: 'The requested byte range is outside the file.',
    cause: 'The `Range` header starts at or after the end of the file.',
    remedy:
      'Read the size of the file in `Content-Range`, and send a range inside it. Without `Range` you get the whole file.',
  },
  bad_request: {
    meaning: 'The server cannot read the request as HTTP.',
    cause:
      'The request is malformed or has no `Host` header. With status 408 the request arrived too slowly, and with status 431 its URL or headers are too long.',
    remedy: 'Check the HTTP client and any proxy between it and the server.',
  },
  rate_limited: {
    meaning:
      'Your account sent more requests in a minute than its plan allows, or your address sent many invalid API keys.',
    cause:
      'All keys of an account share one limit. An address that sends many different invalid keys in a minute has its own limit.',
    remedy:
      'Wait for the number of seconds in `Retry-After`. Read `RateLimit-Remaining` and `RateLimit-Reset` on each answer to stay below the limit.',
  },
  too_many_streams: {
    meaning: 'Your account has too many event streams open.',
    cause: 'Each open `GET /api/v1/exports/{export_id}/events` counts until its connection ends.',
    remedy: 'Close a stream that you no longer read, or poll the export instead.',
  },
  csrf_refused: {
    meaning: 'The server refused a request with a session cookie.',
    cause:
      'The request comes from a page of another origin, or it changes data and does not send the CSRF token of the session.',
    remedy:
      'Send the `csrf_token` from `POST /auth/session` in the header `X-CSRF-Token`, from a page of the same origin. Requests with an API key do not need a token.',
  },
};
