import { inWordsOf, type Wording } from '@almanac/client/node';

const named = (field: string): [string, string] => [field, `--${field}`];

/** How the shell names what the server names in the words of HTTP. */
export const shellWording: Wording = {
  calls: {
    addToCart: 'almanac-data cart add EVENT',
    cancelExport: 'almanac-data exports cancel ID',
    checkOut: 'almanac-data cart checkout',
    createExport: 'almanac-data export',
    createKey: 'almanac-data keys create',
    createWebhook: 'almanac-data webhooks create URL',
    deleteWebhook: 'almanac-data webhooks delete ID',
    downloadExport: 'almanac-data exports download ID',
    enableWebhook: 'almanac-data webhooks enable ID',
    getBook: 'almanac-data book TICKER',
    getCart: 'almanac-data cart',
    getDataset: 'almanac-data dataset ID',
    getEvent: 'almanac-data event EVENT',
    getExport: 'almanac-data exports get ID',
    getMarket: 'almanac-data market TICKER',
    getPlan: 'almanac-data plan',
    getQuality: 'almanac-data quality',
    getSeries: 'almanac-data series get ID',
    getWebhook: 'almanac-data webhooks get ID',
    listCandles: 'almanac-data candles TICKER',
    listCandlesOfMarkets: 'almanac-data candles TICKER',
    listCategories: 'almanac-data categories',
    listEventSnapshots: 'almanac-data event snapshots EVENT',
    listExportFormats: 'almanac-data exports formats',
    listExports: 'almanac-data exports',
    listKeys: 'almanac-data keys',
    listMarkets: 'almanac-data markets',
    listSeries: 'almanac-data series',
    listSnapshots: 'almanac-data snapshots TICKER',
    listTrades: 'almanac-data trades TICKER',
    listWebhookDeliveries: 'almanac-data webhooks deliveries ID',
    listWebhooks: 'almanac-data webhooks',
    openPortal: 'almanac-data plan portal',
    redeliverWebhook: 'almanac-data webhooks redeliver ID DELIVERY',
    removeFromCart: 'almanac-data cart remove EVENT',
    revokeKey: 'almanac-data keys revoke ID',
    rotateWebhookSecret: 'almanac-data webhooks rotate ID',
    search: 'almanac-data search WORDS',
    streamExport: 'almanac-data exports wait ID',
    testWebhook: 'almanac-data webhooks test ID',
    upgradePlan: 'almanac-data plan upgrade PLAN',
  },
  fields: {
    ...Object.fromEntries(
      ['series', 'event', 'status', 'category', 'days', 'limit', 'points', 'fill', 'depth'].map(named),
    ),
    ...Object.fromEntries(
      ['ticker', 'day', 'from', 'to', 'dataset', 'format', 'streams', 'events', 'tickers'].map(named),
    ),
    from_ts: '--from',
    start_ts: '--from',
    to_ts: '--to',
    end_ts: '--to',
    step_ms: '--step',
    period_s: '--period',
    at_ts: '--at',
    as_of: '--as-of',
    changed_since_ts: '--changed-since',
  },
  phrases: [
    ['Wait for the number of seconds in `Retry-After`', 'Wait'],
    [' Read `RateLimit-Remaining` and `RateLimit-Reset` on each answer to stay below the limit.', ''],
    [
      'Send the whole key in the header `Authorization: Bearer <API_KEY>`.',
      'Sign in with the whole key: almanac-data login. Or set ALMANAC_API_KEY.',
    ],
    [
      ', then send the request again. To repeat a request safely, send the same `Idempotency-Key`.',
      ', then try again.',
    ],
    ['send the same `Idempotency-Key`', 'give the same --idempotency-key'],
    ['then send the request again', 'then run the command again'],
    ['Send the request again', 'Run the command again'],
    [
      'Correct each item of `detail`. `ctx.nearest` has the nearest known name, and `notices` can have a hint, such as the Unix seconds of a date.',
      'Correct the value, and run the command again.',
    ],
    [
      'Choose one of `options`: buy the event through the cart, or upgrade your plan.',
      'Buy the event with almanac-data cart add EVENT and almanac-data cart checkout, or upgrade with almanac-data plan upgrade PLAN.',
    ],
    [
      'Send exactly one of: `event`, `ticker`, `events`, `tickers`, `dataset`, or `series` with `day` or with `from` and `to`.',
      'Give exactly one of --event, --ticker, --dataset, and --series with --day or with --from and --to.',
    ],
    [
      'Send both bounds in Unix seconds, with `start_ts` earlier than `end_ts`.',
      'Give times such as 2026-02-25T04:30:00Z, with --from earlier than --to.',
    ],
    [
      'Send a divisor of 86400, such as 1, 60, 900 or 3600, or send `points` alone.',
      'Give a --period that divides a day, such as 60s, 15m or 1h, or --points alone.',
    ],
    ['Leave `as_of` out, or send the time of the key', 'Leave --as-of out, or give the time of the key'],
    ['a key without `as_of`', 'a key without a time'],
    ['or leave `as_of` out', 'or leave --as-of out'],
    [
      ' `pending_exports` has the ids of your pending exports, also of one whose answer you did not receive.',
      ' almanac-data exports --status pending lists them.',
    ],
    [' `detail` is a list of fields, as for every status 422.', ''],
    [
      'Correct the value that `detail` names. The same request fails again.',
      'Correct the value, and run the command again.',
    ],
    ['and send the `id` of', 'and give the id of'],
    [
      'split can be day only for a series with day, or with from and to.',
      '--each-day needs --series with --from and --to.',
    ],
    ['start_ts must be earlier than end_ts', '--from must be earlier than --to'],
    // The client names its own options. Those of the command line have other names.
    ['overwrite: true', '--overwrite'],
    ['use_free_credit: true', '--use-free-credit'],
    ['deadlineMs', '--deadline'],
    ['baseUrl', '--url'],
    ['Raise timeoutMs if the network is slow.', 'Try again later.'],
    ['Use a client without as_of for this call.', 'Leave out --as-of.'],
    [
      'Sync with a client and a key without as_of, or create exports with as_of one by one.',
      'Sync without --as-of and with a key without a time, or run almanac-data export --as-of TIME for each event.',
    ],
  ],
};

/** Backticks run a command in a shell, so no text to copy has them. */
export const inShellWords = (text: string): string => inWordsOf(text, shellWording).replaceAll('`', '');
