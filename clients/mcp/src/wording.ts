import type { Wording } from '@almanac/client';

/** How an agent names what the server names in the words of HTTP: by its tools. It cannot buy, and has no headers. */
export const toolWording: Wording = {
  calls: {
    addToCart: 'the cart of the web console',
    checkOut: 'the cart of the web console',
    createExport: 'create_export',
    createKey: 'the web console',
    downloadExport: 'get_export',
    getDataset: 'the citation',
    getEvent: 'get_event',
    getExport: 'get_export',
    getMarket: 'get_market',
    getQuality: 'coverage',
    listCategories: 'search',
    listExports: 'get_export',
    listKeys: 'the web console',
    listMarkets: 'search',
    listSeries: 'search',
    openPortal: 'the web console',
    previewMarket: 'coverage',
    search: 'search',
    streamExport: 'get_export with wait_s',
    upgradePlan: 'the web console',
  },
  phrases: [
    ['Wait for the number of seconds in `Retry-After`', 'Wait for the seconds in `retry_after_s`'],
    [' Read `RateLimit-Remaining` and `RateLimit-Reset` on each answer to stay below the limit.', ''],
    [
      ', then send the request again. To repeat a request safely, send the same `Idempotency-Key`.',
      ', then call the tool again.',
    ],
    [
      'Send the whole key in the header `Authorization: Bearer <API_KEY>`.',
      'Ask the user to set ALMANAC_API_KEY, or over HTTP the Authorization header, to the whole key.',
    ],
    ['then send the request again', 'then call the tool again'],
    ['Send the request again', 'Call the tool again'],
    [
      'Correct each item of `detail`. `ctx.nearest` has the nearest known name, and `notices` can have a hint, such as the Unix seconds of a date.',
      'Correct the arguments, and call the tool again.',
    ],
    [
      'Send exactly one of: `event`, `ticker`, `events`, `tickers`, `dataset`, or `series` with `day` or with `from` and `to`.',
      'Give exactly one of event, tickers, and series with from and to.',
    ],
    [
      'Leave `as_of` out, or send the time of the key or an earlier one. For later data, use a key without `as_of`.',
      'Nothing later than the time of the key can be read.',
    ],
    [' `detail` is a list of fields, as for every status 422.', ''],
    ['Raise deadlineMs.', 'Call the tool again later.'],
    ['Raise timeoutMs if the network is slow.', 'Call the tool again later.'],
    ['baseUrl', 'ALMANAC_BASE_URL'],
  ],
};
