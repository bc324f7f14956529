import type { ErrorRecords } from './error-record.js';

const sendOneTarget =
  'Send exactly one of: `event`, `ticker`, `events`, `tickers`, `dataset`, or `series` with `day` or with `from` and `to`.';
const oneTarget =
  'Send exactly one of: event, ticker, events, tickers, dataset, series with day, or series with from and to.';

export const requestErrors = {
  unauthenticated: {
    status: 401,
    meaning: 'The request has no API key, or the API key is not valid.',
    when: 'the API key is missing or not valid',
    cause: 'The `Authorization` header is missing or misspelled, the key is incomplete, or the key is revoked.',
    remedy:
      'Send the whole key in the header `Authorization: Bearer <API_KEY>`. If you lost the key, create a new one: a secret is shown only once.',
    example: { detail: 'The API key is not valid. Check that the key is complete and that it is not revoked.' },
  },
  invalid_input: {
    status: 400,
    meaning: 'The server understood the request but cannot use a value in it.',
    when: 'the request has a value that the server cannot use',
    cause:
      'Most invalid values return status 422 with a list of fields. This code covers the rest, such as a webhook whose signature does not match its body.',
    remedy: 'Correct the value that `detail` names. The same request fails again.',
    example: {
      detail: 'The signature does not match the body, or it is too old. Check the signing secret of the webhook.',
    },
  },
  invalid_cursor: {
    status: 422,
    meaning: 'The `cursor` parameter does not belong to this list.',
    when: 'the cursor is not from this list',
    cause: 'The cursor was changed, or it comes from another list or from the same list with other filters.',
    remedy:
      'Send `next_cursor` from the previous answer unchanged, with the same filters. To start again, leave `cursor` out. `detail` is a list of fields, as for every status 422.',
    example: { detail: 'not a cursor that this listing gave', more: { input: 'abc' } },
  },
  invalid_window: {
    status: 400,
    meaning: 'The time window of the request is not valid, or the market has no times from which to choose one.',
    when: 'the time window is not valid, or the market has no times',
    cause:
      '`start_ts` is not earlier than `end_ts`, or a bound is outside 0 to 4102444800. A bound in milliseconds is the most frequent cause. A market without open time, close time and observations has no window.',
    remedy: 'Send both bounds in Unix seconds, with `start_ts` earlier than `end_ts`.',
    example: { detail: 'start_ts must be earlier than end_ts.' },
  },
  invalid_period: {
    status: 400,
    meaning: 'The periods of the requested candles are not valid.',
    when: 'the periods of the candles are not valid',
    cause:
      '`period_s` does not divide a day, the request has both `period_s` and `points`, or `points` of all markets of a batch are more than 20,000.',
    remedy: 'Send a divisor of 86400, such as 1, 60, 900 or 3600, or send `points` alone.',
    example: { detail: 'period_s must divide a day (86400 seconds). The nearest is 60.' },
  },
  as_of_in_future: {
    status: 400,
    meaning: '`as_of` is later than now, so the archive cannot know what was known then.',
    when: '`as_of` is in the future',
    cause: 'The time is in the future, or the clock of the client is ahead.',
    remedy: 'Send a time that has passed, in Unix seconds, or leave `as_of` out to read the present.',
    example: { detail: 'as_of is in the future. Send a time that has passed.' },
  },
  as_of_fenced: {
    status: 403,
    meaning: 'The API key reads the archive as of a fixed time, and the request asks for more.',
    when: 'the key reads the archive as of a fixed time, and the request is for more',
    cause:
      'The key was made with `as_of`. The request has a later `as_of`, or it is for an endpoint that cannot answer as of a time.',
    remedy:
      'Leave `as_of` out, or send the time of the key or an earlier one. For later data, use a key without `as_of`.',
    example: { detail: 'This key reads the archive as of 1771993500. Send that time or an earlier one.' },
  },
  missing_target: {
    status: 400,
    meaning: 'The request does not say what to export.',
    when: 'the request has no export target',
    cause:
      'The body has no target, or only a part of one, such as `series` without a day. Null and `""` count as not sent.',
    remedy: sendOneTarget,
    example: { detail: `The request has no export target. ${oneTarget}` },
  },
  ambiguous_target: {
    status: 400,
    meaning: 'The request names more than one thing to export.',
    when: 'the request has more than one export target',
    cause: 'The body has two or more targets, such as `event` and `ticker`. The server does not guess.',
    remedy: sendOneTarget,
    example: { detail: `The request has more than one export target. ${oneTarget}` },
  },
} as const satisfies ErrorRecords;
