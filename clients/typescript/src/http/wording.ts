import { type OperationId, operations } from '../generated/operations.js';

/** How a client names the calls and the parts of a request, which the server names in the words of HTTP. */
export interface Wording {
  /** What stands for an operation, such as `markets.get(ticker)`. */
  readonly calls: Readonly<Partial<Record<OperationId, string>>>;
  /** What stands for a field of a request, such as an option of a command. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Other texts, and what stands for them. */
  readonly phrases: readonly (readonly [server: string, client: string])[];
}

const named = /(`?)\b(GET|POST|DELETE) (\/api\/v1\/[\w{}/:-]*[\w}])\1/g;

/** A detail can name the path of one object, and an advice that of any. */
const operationAt = (method: string, path: string): OperationId | undefined =>
  (Object.keys(operations) as OperationId[]).find((id) => {
    const { method: own, path: template } = operations[id];
    if (own !== method) return false;
    const pattern = template.replaceAll(/\{\w+\}/g, '[^/]+');
    return template === path || new RegExp(`^${pattern}$`).test(path);
  });

/** A text of the server in the words of a client. What has no other words stays. */
export const inWordsOf = (text: string, { calls, phrases }: Wording): string => {
  const own = phrases.reduce((changed, [server, client]) => changed.replaceAll(server, client), text);
  const called = own.replaceAll(named, (whole: string, _tick: string, method: string, path: string) => {
    const operation = operationAt(method, path);
    const call = operation === undefined ? undefined : calls[operation];
    return call === undefined ? whole : `\`${call}\``;
  });
  // Two operations can be one call.
  return called.replaceAll(/(`[^`]+`) or \1/g, '$1');
};

/** The end of a detail that says what to do, for a reader who has no remedy beside it. */
const nextStep =
  / (?:Search with GET \/api\/v1\/search|GET \/api\/v1\/\w+ lists its \w+|Send exactly one of: .*|Choose another day|Choose other days|Choose a higher plan|Add an event, then check out|Buy [^.]* or upgrade your plan\. `options` lists what you can buy)\.$/;

/** The detail of an error beside its remedy, which says the next step. */
export const withoutNextStep = (detail: string): string => detail.replace(nextStep, '');

/** What is wrong with a field, as a sentence. */
export const fieldSentence = (loc: readonly (string | number)[], msg: string, wording: Wording): string => {
  const [name = '', ...inner] = loc.length > 1 ? loc.slice(1) : loc;
  const field = [wording.fields?.[name] ?? name, ...inner].join('.');
  const text = inWordsOf(msg.replace(/^Value error, /, ''), wording);
  return `${field}: ${text}${/[.!?]$/.test(text) ? '' : '.'}`;
};

/** The words of this client. */
export const ownWording: Wording = {
  calls: {
    addToCart: 'cart.add(event)',
    cancelExport: 'exports.cancel(export_id)',
    checkOut: 'cart.checkout()',
    createExport: 'exports.create(body)',
    createKey: 'keys.create(body)',
    createWebhook: 'webhooks.create(body)',
    deleteWebhook: 'webhooks.delete(webhook_id)',
    downloadExport: 'exports.download(export_id, path)',
    enableWebhook: 'webhooks.enable(webhook_id)',
    getBook: 'markets.book(ticker)',
    getCart: 'cart.get()',
    getDataset: 'datasets.get(dataset_id)',
    getEvent: 'events.get(event_id)',
    getExport: 'exports.get(export_id)',
    getMarket: 'markets.get(ticker)',
    getOperatorHistory: 'operator.history()',
    getOperatorStatus: 'operator.status()',
    getPlan: 'plan.get()',
    getQuality: 'quality(params)',
    getSeries: 'series.get(series_id)',
    getWebhook: 'webhooks.get(webhook_id)',
    listCandles: 'markets.candles(ticker)',
    listCandlesOfMarkets: 'markets.candlesOf(body)',
    listCategories: 'categories.list()',
    listEventSnapshots: 'events.snapshots(event_id)',
    listExportFormats: 'exports.formats()',
    listExports: 'exports.list()',
    listKeys: 'keys.list()',
    listMarkets: 'markets.list(params)',
    listSeries: 'series.list(params)',
    listSnapshots: 'markets.snapshots(ticker)',
    listTrades: 'markets.trades(ticker)',
    listWebhookDeliveries: 'webhooks.deliveries(webhook_id)',
    listWebhooks: 'webhooks.list()',
    openPortal: 'billing.portal()',
    previewMarket: 'markets.preview(ticker)',
    readMarketsAt: 'markets.at(body)',
    redeliverWebhook: 'webhooks.redeliver(webhook_id, delivery_id)',
    removeFromCart: 'cart.remove(event_id)',
    revokeKey: 'keys.revoke(key_id)',
    rotateWebhookSecret: 'webhooks.rotate(webhook_id)',
    search: 'search(words)',
    streamExport: 'exports.wait(export_id)',
    testWebhook: 'webhooks.test(webhook_id)',
    upgradePlan: 'billing.upgrade(tier_id)',
  },
  phrases: [
    ['Wait for the number of seconds in `Retry-After`', 'Wait for the seconds in `error.retryAfter`'],
    [' Read `RateLimit-Remaining` and `RateLimit-Reset` on each answer to stay below the limit.', ''],
    [
      'Send the whole key in the header `Authorization: Bearer <API_KEY>`.',
      'Pass the whole key as `apiKey`, or set the environment variable ALMANAC_API_KEY.',
    ],
    ['send the same `Idempotency-Key`', 'pass the same `idempotencyKey`'],
    ['Correct each item of `detail`.', 'Correct each of `error.fields`.'],
    ['and `notices` can have', 'and `error.notices` can have'],
    ['Choose one of `options`', 'Choose one of `error.body.options`'],
    ['`pending_exports` has', '`error.body.pending_exports` has'],
    [' `detail` is a list of fields, as for every status 422.', ''],
  ],
};
