import type { ErrorRecords } from './error-record.js';

export const exportErrors = {
  export_preparing: {
    status: 409,
    meaning: 'The file of the export is not ready yet.',
    when: 'the file is not ready yet',
    cause: 'You requested the file while the export is `pending`.',
    remedy:
      'Poll `GET /api/v1/exports/{export_id}` until `status` is `ready`, or wait with `GET /api/v1/exports/{export_id}/events`. Then download the file.',
    example: {
      detail: 'The file is not ready yet. Poll the export until its status is `ready`, then download the file.',
    },
  },
  export_restoring: {
    status: 503,
    meaning: 'The export is ready, but its file must be prepared again.',
    when: 'the file of a ready export is being prepared again',
    cause: 'The file is missing from the file storage. The server noticed it and has started to prepare it again.',
    remedy: 'Wait for the number of seconds in `Retry-After`, then send the request again. You are not charged again.',
    example: { detail: 'The file is being prepared again. Try again in a few seconds.' },
  },
  export_failed: {
    status: 409,
    meaning: 'The export failed and has no file.',
    when: 'the export failed, and `detail` says why',
    cause: '`detail` gives the reason. It is the `error` of the export.',
    remedy: 'Create the export again. A failed export gives back the credit and the quota that it used.',
    example: {
      detail: 'The file could not be prepared after several attempts. You were not charged. Create the export again.',
    },
  },
  export_cancelled: {
    status: 409,
    meaning: 'The export was cancelled and has no file.',
    when: 'the export was cancelled',
    cause: 'Someone with a key of your account cancelled the export while it was pending.',
    remedy: 'Create a new export.',
    example: { detail: 'This export was cancelled, so it has no file. Create a new export.' },
  },
  export_ended: {
    status: 409,
    meaning: 'The export cannot be cancelled because it is no longer pending.',
    when: 'the export is no longer pending',
    cause: 'The export became `ready` or `failed` before the request to cancel it arrived.',
    remedy: 'Read the export with `GET /api/v1/exports/{export_id}`. Download its file if it is ready.',
    example: { detail: 'This export is already ready. You can cancel only a pending export.' },
  },
  dataset_changed: {
    status: 409,
    meaning: 'The file of the dataset cannot be had with the same bytes any more.',
    when: 'the bytes of the dataset are lost and its data has changed, as `changes` lists',
    cause:
      'The stored file is gone, or the markets of a day changed, and the data of a market or the columns of files changed since. `changes` names every difference.',
    remedy: 'Export the target itself to get the current data. It is another dataset. You were not charged.',
    example: {
      detail:
        'The file of this dataset is no longer stored, and it cannot be made again with the same bytes. `changes` lists what changed since.',
      more: {
        changes: [{ ticker: 'KXBTC15M-26FEB242330-30', change: 'data_version', was: 12, now: 13 }],
        changes_n: 1,
      },
    },
  },
  idempotency_conflict: {
    status: 409,
    meaning: 'The `Idempotency-Key` was already used for a different request.',
    when: 'the Idempotency-Key belongs to a different request',
    cause: 'A request in the last 24 hours used the same key with another body.',
    remedy: 'Send a new key with each new request. Reuse a key only to repeat the same request.',
    example: { detail: 'This Idempotency-Key belongs to a different export. Send a new key for a new export.' },
  },
} as const satisfies ErrorRecords;
