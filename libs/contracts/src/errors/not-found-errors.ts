import type { ErrorRecords } from './error-record.js';

export const notFoundErrors = {
  series_not_found: {
    status: 404,
    meaning: 'The archive has no series with this id.',
    when: 'the series does not exist',
    cause: 'The id is misspelled or has the wrong case, or the series is not in the archive.',
    remedy: 'Find the id with `GET /api/v1/series` or `GET /api/v1/search`. Ids are case-sensitive.',
    example: { detail: 'The archive has no series KXBTC. Search with GET /api/v1/search.' },
  },
  event_not_found: {
    status: 404,
    meaning: 'The archive has no event with this ticker.',
    when: 'the event does not exist',
    cause: 'The ticker is misspelled or has the wrong case, or it is the ticker of a market.',
    remedy: 'Find the event with `GET /api/v1/search`, or read `event_ticker` of one of its markets.',
    example: { detail: 'The archive has no event KXBTC15M-26FEB312330. Search with GET /api/v1/search.' },
  },
  market_not_found: {
    status: 404,
    meaning: 'The archive has no market with this ticker.',
    when: 'the market does not exist',
    cause: 'The ticker is misspelled or has the wrong case, or it is the ticker of an event.',
    remedy: 'Find the market with `GET /api/v1/markets` or `GET /api/v1/search`. Tickers are case-sensitive.',
    example: { detail: 'The archive has no market KXBTC15M-26FEB312330-30. Search with GET /api/v1/search.' },
  },
  export_not_found: {
    status: 404,
    meaning: 'Your account has no export with this id.',
    when: 'your account has no export with this id',
    cause: 'The id is not complete, or the export belongs to another account. Both cases return the same answer.',
    remedy: 'List your exports with `GET /api/v1/exports`, and check that you use a key of the right account.',
    example: { detail: 'This account has no export with this id. GET /api/v1/exports lists its exports.' },
  },
  dataset_not_found: {
    status: 404,
    meaning: 'There is no dataset with this id.',
    when: 'there is no dataset with this id',
    cause: 'The id is not complete, or no file with this hash was ever ready.',
    remedy:
      'Copy the whole `ds-…` id from the citation. The `dataset_id` of your own file is in `GET /api/v1/exports/{export_id}`.',
    example: { detail: 'There is no dataset with this id. A ready export has its id in `dataset_id`.' },
  },
  key_not_found: {
    status: 404,
    meaning: 'Your account has no API key with this id.',
    when: 'your account has no API key with this id',
    cause:
      'The id is not complete, it is a whole key instead of an id, or the key belongs to another account. All cases return the same answer.',
    remedy: 'List your keys with `GET /api/v1/keys`, and send the `id` of a key.',
    example: { detail: 'This account has no key with this id. GET /api/v1/keys lists its keys.' },
  },
  webhook_not_found: {
    status: 404,
    meaning: 'Your account has no webhook with this id.',
    when: 'your account has no webhook with this id',
    cause:
      'The id is not complete, the webhook was deleted, or it belongs to another account. All cases return the same answer.',
    remedy: 'List your webhooks with `GET /api/v1/webhooks`, and send the `id` of a webhook.',
    example: { detail: 'This account has no webhook with this id. GET /api/v1/webhooks lists its webhooks.' },
  },
  delivery_not_found: {
    status: 404,
    meaning: 'The webhook has no delivery with this id in its log.',
    when: 'the log of the webhook has no delivery with this id',
    cause:
      'The id is not complete, or newer attempts have replaced it: the log has the newest 100 attempts of 30 days.',
    remedy:
      'List the attempts with `GET /api/v1/webhooks/{webhook_id}/deliveries`. If the delivery is older, read the export or the market itself.',
    example: { detail: 'The log of this webhook has no delivery with this id. It has the newest 100 attempts.' },
  },
  no_data_for_day: {
    status: 404,
    meaning: 'The archive has no observations of this series on this day, or no rows of the requested streams.',
    when: 'the archive has no observations of the series on this day, or no rows of the requested streams',
    cause:
      'No market of the series was recorded between 00:00 and 24:00 UTC of the day. Future days have no data. The outcomes of markets that were not recorded are in an export of `settlement` alone, and the candles of their venue in one with `candles`.',
    remedy: 'Choose another day. Days are UTC days. You were not charged.',
    example: { detail: 'The archive has no observations of KXBTC15M on 2026-02-23 (UTC). Choose another day.' },
  },
} as const satisfies ErrorRecords;
