import type { Wording } from '@almanac/client';

const screens = {
  browse: 'the screen Browse',
  cart: 'the screen Cart',
  exports: 'the screen Exports',
  keys: 'the screen Keys',
  markets: 'the screen Markets',
  plan: 'the screen Plan and usage',
  search: 'the search above',
  webhooks: 'the screen Webhooks',
};

/** How the console names what the server names in the words of HTTP: by its screens. */
export const consoleWording: Wording = {
  calls: {
    addToCart: screens.cart,
    cancelExport: screens.exports,
    checkOut: screens.cart,
    createExport: screens.exports,
    createKey: screens.keys,
    createWebhook: screens.webhooks,
    downloadExport: screens.exports,
    enableWebhook: screens.webhooks,
    getDataset: 'its citation',
    getEvent: screens.search,
    getExport: screens.exports,
    getMarket: screens.search,
    getPlan: screens.plan,
    getSeries: screens.browse,
    listCategories: screens.browse,
    listExports: screens.exports,
    listKeys: screens.keys,
    listMarkets: screens.markets,
    listSeries: screens.browse,
    listWebhookDeliveries: screens.webhooks,
    listWebhooks: screens.webhooks,
    openPortal: screens.plan,
    previewMarket: screens.search,
    removeFromCart: screens.cart,
    search: screens.search,
    streamExport: screens.exports,
    upgradePlan: screens.plan,
  },
  phrases: [
    ['Wait for the number of seconds in `Retry-After`', 'Wait'],
    [' Read `RateLimit-Remaining` and `RateLimit-Reset` on each answer to stay below the limit.', ''],
    ['Send the whole key in the header `Authorization: Bearer <API_KEY>`.', 'Sign in again with the whole key.'],
    [
      ', then send the request again. To repeat a request safely, send the same `Idempotency-Key`.',
      ', then try again.',
    ],
    ['then send the request again', 'then try again'],
    ['Send the request again', 'Try again'],
    [
      'Correct each item of `detail`. `ctx.nearest` has the nearest known name, and `notices` can have a hint, such as the Unix seconds of a date.',
      'Correct the value, and try again.',
    ],
    ['Correct the value that `detail` names. The same request fails again.', 'Correct the value, and try again.'],
    [' `detail` is a list of fields, as for every status 422.', ''],
    ['Choose one of `options`: buy the event through the cart', 'Buy the event through the cart'],
    ['and send the `id` of', 'and choose one of the ids of'],
  ],
};

/** Texts of errors mark code with backticks. The console shows them as plain sentences. */
export const plain = (text: string): string => text.replaceAll('`', '');
