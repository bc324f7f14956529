import {
  asOfMicros,
  type CheckoutLine,
  commerceEvents,
  exportEvents,
  keyEvents,
  type StoredEvent,
  webhookEvents,
} from '@almanac/contracts';
import { pluralize } from '@almanac/runtime';
import type { z } from 'zod';
import { clean, listed, moment, price } from './format.js';

/** Data of earlier events that a later one needs. */
interface HistoryContext {
  /** By checkout id. */
  readonly checkouts: Map<string, readonly CheckoutLine[]>;
}

type Describe = (event: StoredEvent, history: HistoryContext) => string | undefined;

/** Undefined for an event in a form that this version does not know. */
const as =
  <Event extends z.ZodType>(
    shape: Event,
    describers: (event: z.output<Event>, history: HistoryContext) => string,
  ): Describe =>
  (event, history) => {
    const known = shape.safeParse(event);
    return known.success ? describers(known.data, history) : undefined;
  };

const partOf = ({ part }: { part?: number | undefined }): string => (part === undefined ? '' : `, part ${part + 1}`);

const coverings = { unlock: 'its unlock', plan: 'the plan', free_credit: 'a free credit' } as const;

const commerce = {
  AccountOpened: as(
    commerceEvents.AccountOpened,
    ({ data }) => `opened the account with the plan ${data.plan} and ${pluralize(data.credits, 'free export credit')}`,
  ),
  PlanChanged: as(commerceEvents.PlanChanged, ({ data }) => `changed the plan to ${data.plan}`),
  GrantReserved: as(commerceEvents.GrantReserved, ({ data }) => {
    const event = data.credit_event === null ? '' : ` for ${clean(data.credit_event)}`;
    const several = data.parts === undefined ? '' : ` for ${pluralize(data.parts.open.length, 'export')}`;
    return `reserved ${coverings[data.grant]}${event}${several} (export ${data.export_id})`;
  }),
  GrantConfirmed: as(
    commerceEvents.GrantConfirmed,
    ({ data }) => `used the reserved grant (export ${data.export_id}${partOf(data)})`,
  ),
  GrantReleased: as(
    commerceEvents.GrantReleased,
    ({ data }) => `released the reserved grant: ${clean(data.reason)} (export ${data.export_id}${partOf(data)})`,
  ),
  CartLineAdded: as(commerceEvents.CartLineAdded, ({ data }) => `added ${clean(data.event)} to the cart`),
  CartLinesRemoved: as(commerceEvents.CartLinesRemoved, ({ data }) => `removed ${listed(data.events)} from the cart`),
  CheckoutBegun: as(
    commerceEvents.CheckoutBegun,
    ({ data }) => `opened a checkout for ${pluralize(data.events.length, 'event')} (checkout ${data.id})`,
  ),
  CheckoutClosed: as(commerceEvents.CheckoutClosed, ({ data, state }) => {
    const cart = `${pluralize(state.cart.length, 'line')} left in the cart`;
    return `closed the checkout, ${cart} (checkout ${data.id})`;
  }),
  UpgradeBegun: as(
    commerceEvents.UpgradeBegun,
    ({ data }) => `started to upgrade to ${data.plan} (upgrade ${data.id})`,
  ),
  CustomerNamed: as(
    commerceEvents.CustomerNamed,
    ({ data }) => `became a customer of the payment provider (${data.customer_id})`,
  ),
  SubscriptionChanged: as(commerceEvents.SubscriptionChanged, ({ data: { subscription, plan } }) =>
    subscription === null
      ? `the subscription ended, and the plan changed to ${plan}`
      : `the subscription is ${clean(subscription.status)} with the plan ${plan} (${subscription.id})`,
  ),
  PersonErased: as(commerceEvents.PersonErased, ({ data }) => {
    const record = data.record ? 'erased the personal data' : 'found no personal data to erase';
    return data.customer_id === null ? record : `${record}, and deleted the customer (${data.customer_id})`;
  }),
  EventUnlocked: as(commerceEvents.EventUnlocked, ({ data: { event, by, checkout_id, export_id } }, { checkouts }) => {
    if (by === 'free_credit') return `unlocked ${clean(event)} with a free credit (export ${export_id})`;
    const line = checkouts.get(checkout_id ?? '')?.find((one) => one.event === event);
    return `bought ${clean(event)}${line === undefined ? '' : ` for ${price(line.price)}`} (checkout ${checkout_id})`;
  }),
  UnlockRevoked: as(
    commerceEvents.UnlockRevoked,
    ({ state }) => `lost access to ${clean(state.event)} (checkout ${state.checkout_id})`,
  ),
  CheckpointStored: as(
    commerceEvents.CheckpointStored,
    ({ state }) => `stored that commerce starts to read at event ${state.from}`,
  ),
} satisfies Partial<Record<keyof typeof commerceEvents, Describe>>;

const checkouts = {
  CheckoutStarted: as(commerceEvents.CheckoutStarted, ({ data, state }, history) => {
    history.checkouts.set(state.id, data.lines);
    const total = data.lines.reduce((sum, line) => sum + line.price, 0);
    const what = listed(data.lines.map(({ event }) => event));
    return `fixed the price of ${what} at ${price(total)} (checkout ${state.id})`;
  }),
  CheckoutJoined: as(
    commerceEvents.CheckoutJoined,
    ({ data, state }) => `joined the open checkout ${data.checkout} (checkout ${state.id})`,
  ),
  CheckoutOpened: as(
    commerceEvents.CheckoutOpened,
    ({ data, state }) =>
      `received a payment page that is valid until ${moment(data.expires_us)} (checkout ${state.id})`,
  ),
  CheckoutPaid: as(commerceEvents.CheckoutPaid, ({ data, state }) => {
    const payment = data.payment === null ? '' : `, ${data.payment}`;
    return `paid (checkout ${state.id}${payment})`;
  }),
  CheckoutFulfilled: as(commerceEvents.CheckoutFulfilled, ({ data, state }, history) => {
    history.checkouts.delete(state.id);
    const refundText = data.owed.length === 0 ? '' : `, and is owed a refund for ${listed(data.owed)}`;
    return `unlocked ${pluralize(data.unlocked.length, 'event')}${refundText} (checkout ${state.id})`;
  }),
  CheckoutExpired: as(commerceEvents.CheckoutExpired, ({ state }, history) => {
    history.checkouts.delete(state.id);
    return `did not pay (checkout ${state.id})`;
  }),
  CheckoutRefunded: as(
    commerceEvents.CheckoutRefunded,
    ({ data, state }) => `was refunded for ${listed(data.events)} (checkout ${state.id})`,
  ),
} satisfies Partial<Record<keyof typeof commerceEvents, Describe>>;

const upgrades = {
  UpgradeStarted: as(
    commerceEvents.UpgradeStarted,
    ({ data, state }) => `ordered the plan ${data.plan} for ${price(data.price)} a month (upgrade ${state.id})`,
  ),
  UpgradeOpened: as(
    commerceEvents.UpgradeOpened,
    ({ data, state }) => `received a payment page that is valid until ${moment(data.expires_us)} (upgrade ${state.id})`,
  ),
  UpgradeCompleted: as(
    commerceEvents.UpgradeCompleted,
    ({ state }) => `completed the upgrade to ${state.plan} (upgrade ${state.id})`,
  ),
  UpgradeExpired: as(commerceEvents.UpgradeExpired, ({ state }) => `did not pay (upgrade ${state.id})`),
} satisfies Partial<Record<keyof typeof commerceEvents, Describe>>;

const keys = {
  KeyCreated: as(keyEvents.KeyCreated, ({ data }) => {
    const asOf = data.as_of ?? null;
    const fence = asOf === null ? '' : `, which reads the archive as of ${moment(asOfMicros(asOf))}`;
    return `created the key "${clean(data.name)}" (${data.id})${fence}`;
  }),
  KeyRevoked: as(keyEvents.KeyRevoked, ({ data, state }) => {
    const name = state.keys.find(({ id }) => id === data.id)?.name;
    return `revoked the key${name === undefined ? '' : ` "${clean(name)}"`} (${data.id})`;
  }),
  SessionEnded: as(keyEvents.SessionEnded, ({ data }) => `ended a browser session of the key ${data.key_id}`),
} satisfies Record<keyof typeof keyEvents, Describe>;

const webhooks = {
  WebhookCreated: as(
    webhookEvents.WebhookCreated,
    ({ data }) => `created the webhook ${data.id} to ${clean(data.url)} for ${data.events.join(', ')}`,
  ),
  WebhookDeleted: as(webhookEvents.WebhookDeleted, ({ data }) => `deleted the webhook ${data.id}`),
  WebhookSecretRotated: as(
    webhookEvents.WebhookSecretRotated,
    ({ data }) =>
      `received a new secret of the webhook ${data.id}; the one before is used until ${moment(data.expires_us)}`,
  ),
  WebhookSecretsTraced: as(
    webhookEvents.WebhookSecretsTraced,
    ({ data }) => `has secrets of webhooks that are derived from the server's secret ${clean(data.derived_from)}`,
  ),
  WebhookDisabled: as(
    webhookEvents.WebhookDisabled,
    ({ data }) => `has the webhook ${data.id} disabled: ${clean(data.reason)}`,
  ),
  WebhookEnabled: as(webhookEvents.WebhookEnabled, ({ data }) => `enabled the webhook ${data.id}`),
} satisfies Record<keyof typeof webhookEvents, Describe>;

const exported = {
  ExportRequested: as(exportEvents.ExportRequested, ({ data: { query, grant }, state }) => {
    const { event, ticker, series, day, streams, format } = query;
    const target = day === null ? (ticker ?? event ?? series ?? '') : `${series} on ${day}`;
    const what = `${clean(target)} as ${format} with ${streams.join(', ')}`;
    return `requested ${what}, covered by ${coverings[grant]} (export ${state.id})`;
  }),
  ExportReady: as(
    exportEvents.ExportReady,
    ({ data, state }) =>
      `received a file with ${pluralize(data.row_count, 'row')}, ${pluralize(data.bytes, 'byte')} (export ${state.id})`,
  ),
  ExportFailed: as(
    exportEvents.ExportFailed,
    ({ data, state }) => `received no file: ${clean(data.error)} (export ${state.id})`,
  ),
  ExportCancelled: as(exportEvents.ExportCancelled, ({ state }) => `cancelled the export (export ${state.id})`),
  ExportAbandoned: as(
    exportEvents.ExportAbandoned,
    ({ state }) => `abandoned an export that was never recorded (export ${state.id})`,
  ),
} satisfies Record<keyof typeof exportEvents, Describe>;

/** The text of every event. A missing one does not compile. */
const describers: ReadonlyMap<string, Describe> = new Map(
  Object.entries<Describe>({
    ...keys,
    ...webhooks,
    ...exported,
    ...({ ...commerce, ...checkouts, ...upgrades } satisfies Record<keyof typeof commerceEvents, Describe>),
  }),
);

/** Describes the events of one account in order, in plain words. An unknown event is described by its type. */
export const describeEvents = (): ((event: StoredEvent) => string) => {
  const history: HistoryContext = { checkouts: new Map() };
  return (event) => describers.get(event.type)?.(event, history) ?? event.type;
};
