import type { ErrorRecords } from './error-record.js';

const waitAndRepeat =
  'Wait for the number of seconds in `Retry-After`, then send the request again. To repeat a request safely, send the same `Idempotency-Key`.';

export const serverErrors = {
  conflict: {
    status: 503,
    meaning: 'Another request changed the same data at the same time, so this request was not applied.',
    when: 'other requests changed the same data at the same time',
    cause: 'Several requests of one account ran at the same time, or an earlier payment is still in progress.',
    remedy: waitAndRepeat,
    example: {
      detail:
        'Other requests changed the same data at the same time, so this change was not saved. Try again in a few seconds.',
    },
  },
  unavailable: {
    status: 503,
    meaning: 'Part of the server cannot answer at the moment.',
    when: 'part of the server is temporarily unavailable',
    cause:
      'The server is starting, is overloaded, or cannot reach one of its stores. Where the answer has begun already, the server ends the connection before the end of the answer instead, and your HTTP client reports an error.',
    remedy: waitAndRepeat,
    example: { detail: 'The archive is busy. Try again in a few seconds.' },
  },
  internal: {
    status: 500,
    meaning: 'The server failed to handle the request.',
    when: 'the server failed to handle the request',
    cause: 'An unexpected error in the server. The cause is in the logs of the server, not in the answer.',
    remedy: 'Send the request again. If it fails again, report the `request_id` to the operator of the server.',
    example: {
      detail:
        'The server failed to handle this request. Try again. If it fails again, report the request id to the operator.',
    },
  },
} as const satisfies ErrorRecords;
