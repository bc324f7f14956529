import type { Transport } from '../http/transport.js';
import { nextOf, type Pages, pagesOf } from '../pages.js';
import type { AnswerOf, ApiKey, BodyOf, CallOptions, QueryOf } from '../types.js';

export type Cart = AnswerOf<'getCart'>;
export type Checkout = AnswerOf<'checkOut'>;
export type Upgrade = AnswerOf<'upgradePlan'>;
export type Portal = AnswerOf<'openPortal'>;
export type Plan = AnswerOf<'getPlan'>;
export type KeysPage = AnswerOf<'listKeys'>;
export type CreatedKey = AnswerOf<'createKey'>;
export type Dataset = AnswerOf<'getDataset'>;

export const cartOf = (transport: Transport) => ({
  /** The events in the cart, with their prices. */
  get: (options?: CallOptions): Promise<Cart> => transport.json({ operation: 'getCart' }, options, 'items'),
  /** Adds an event. An event that is in the cart or unlocked already changes nothing. */
  add: (event: string, options?: CallOptions): Promise<Cart> =>
    transport.json({ operation: 'addToCart', body: { event } }, options, 'items'),
  /** Removes an event. An event that is not in the cart changes nothing. */
  remove: (event_id: string, options?: CallOptions): Promise<Cart> =>
    transport.json({ operation: 'removeFromCart', path: { event_id } }, options, 'items'),
  /** Buys what is in the cart. */
  checkout: (options?: CallOptions): Promise<Checkout> =>
    transport.json({ operation: 'checkOut' }, options, 'unlocked'),
});

export const billingOf = (transport: Transport) => ({
  /** Begins a plan, or returns the address where it is paid. */
  upgrade: (tier_id: BodyOf<'upgradePlan'>['tier_id'], options?: CallOptions): Promise<Upgrade> =>
    transport.json({ operation: 'upgradePlan', body: { tier_id } }, options),
  /** The address of the payment provider's portal. */
  portal: (options?: CallOptions): Promise<Portal> => transport.json({ operation: 'openPortal' }, options),
});

export const planOf = (transport: Transport) => ({
  /** The plan of the account, how much of its limits is used, and all plans with their prices. */
  get: (options?: CallOptions): Promise<Plan> => transport.json({ operation: 'getPlan' }, options),
});

export const keysOf = (transport: Transport) => ({
  /** The API keys of the account, newest first, without their secrets. */
  list: (params: QueryOf<'listKeys'> = {}, options?: CallOptions): Pages<ApiKey, KeysPage> =>
    pagesOf<ApiKey, KeysPage, string>(async (cursor = params.cursor) => {
      const request = { operation: 'listKeys', query: { ...params, cursor } } as const;
      const answer = await transport.json<KeysPage>(request, options, 'keys');
      return { answer, items: answer.keys, next: nextOf(answer.has_more, answer.next_cursor) };
    }),
  /** The secret is in this answer only. With `as_of`, the key reads the archive as of that time or earlier. */
  create: (body: Partial<BodyOf<'createKey'>> = {}, options?: CallOptions): Promise<CreatedKey> =>
    transport.json({ operation: 'createKey', body }, options),
  /** Revokes a key. It stops working within a second. */
  revoke: (key_id: string, options?: CallOptions): Promise<ApiKey> =>
    transport.json({ operation: 'revokeKey', path: { key_id } }, options),
});

export const datasetsOf = (transport: Transport) => ({
  /** What a dataset contains, how to cite it, and its SHA-256. `exports.create({ dataset })` makes its file again. */
  get: (dataset_id: string, params: QueryOf<'getDataset'> = {}, options?: CallOptions): Promise<Dataset> =>
    transport.json({ operation: 'getDataset', path: { dataset_id }, query: params }, options),
  /** The metadata of a dataset in a standard: Croissant for loaders and catalogues, or what DataCite registers. */
  metadata: (
    dataset_id: string,
    standard: 'croissant' | 'datacite',
    options?: CallOptions,
  ): Promise<Record<string, unknown>> =>
    transport.json({ operation: 'getDataset', path: { dataset_id }, query: { format: standard } }, options),
});
