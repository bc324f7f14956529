import {
  DomainError,
  nextUtcDayUs,
  notFound,
  type StoredWebhook,
  utcDayOf,
  type webhookEvents,
  webhookRequestsMax,
  webhooksMax,
  type WebhooksState,
  webhooksState,
} from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';
import type { z } from 'zod';

export type WebhooksCommand =
  | { readonly type: 'create'; readonly webhook: StoredWebhook }
  | { readonly type: 'delete'; readonly id: string; readonly request: string }
  | {
      readonly type: 'rotate';
      readonly id: string;
      readonly us: number;
      readonly derivedFrom: string;
      /** Whether the server can sign with the secret before. */
      readonly overlaps: boolean;
      readonly request: string;
    }
  | { readonly type: 'trace'; readonly derivedFrom: string }
  | { readonly type: 'enable'; readonly id: string; readonly us: number; readonly request: string }
  | { readonly type: 'disable'; readonly id: string; readonly us: number; readonly reason: string };

type DataOf<Type extends keyof typeof webhookEvents> = z.output<(typeof webhookEvents)[Type]>['data'];

export type WebhooksEvent = {
  [Type in keyof typeof webhookEvents]: { readonly type: Type; readonly data: DataOf<Type> };
}[keyof typeof webhookEvents];

/** Changes of an account's webhooks per UTC day. Each stores all of them. */
export const changesPerDayMax = 100;

/** For this long after a rotation, deliveries also have a signature of the secret before. */
export const rotationOverlapUs = 24 * 3_600e6;

/** All webhooks of one account. */
export const webhooksDecider = (account: string): Decider<WebhooksState, WebhooksCommand, WebhooksEvent> => ({
  state: webhooksState,
  decide: (command, state) => {
    if (command.type === 'create') return create(command.webhook, state);
    if (command.type === 'trace') return trace(command.derivedFrom, state);
    if ('request' in command && requestOfKey(state, command.request) !== undefined) return null;
    const webhook = webhookOf(state, command.id);
    switch (command.type) {
      case 'delete':
        return { type: 'WebhookDeleted', data: { id: webhook.id, request: command.request } };
      case 'rotate':
        return rotate(webhook, state, command);
      case 'enable':
        return enable(webhook, state, command);
      case 'disable': {
        const { us, reason } = command;
        return webhook.disabled === null ? { type: 'WebhookDisabled', data: { id: webhook.id, us, reason } } : null;
      }
    }
  },
  evolve: (before, event) => evolve(before ?? { account, webhooks: [] }, event),
});

const evolve = (state: WebhooksState, event: WebhooksEvent): WebhooksState => {
  switch (event.type) {
    case 'WebhookCreated':
      return { ...counted(state, event.data.created_us), webhooks: [...state.webhooks, event.data] };
    case 'WebhookDeleted': {
      const { id, request } = event.data;
      const deleted = state.webhooks.find((webhook) => webhook.id === id);
      return withRequest({ ...state, webhooks: state.webhooks.filter((webhook) => webhook.id !== id) }, request, {
        deleted,
      });
    }
    case 'WebhookSecretRotated':
      return evolveRotated(state, event.data);
    case 'WebhookSecretsTraced':
      return {
        ...state,
        webhooks: state.webhooks.map((webhook) => ({
          ...webhook,
          secrets: webhook.secrets.map((secret) => ({ derived_from: event.data.derived_from, ...secret })),
        })),
      };
    case 'WebhookEnabled': {
      const { id, us, request } = event.data;
      return withRequest(
        changed(counted(state, us), id, () => ({ disabled: null, enabled_us: us })),
        request,
      );
    }
    case 'WebhookDisabled': {
      const { id, us, reason } = event.data;
      return changed(state, id, () => ({ disabled: { us, reason } }));
    }
  }
};

const evolveRotated = (
  state: WebhooksState,
  { id, version, us, expires_us, request, ...source }: DataOf<'WebhookSecretRotated'>,
): WebhooksState => {
  const rotated = changed(counted(state, us), id, (webhook) => ({
    secrets: [
      { version, expires_us: null, ...source },
      ...webhook.secrets.slice(0, 1).map((one) => ({ ...one, expires_us })),
    ],
  }));
  return withRequest(rotated, request, { version });
};

type WebhookRequest = NonNullable<WebhooksState['requests']>[number];

const withRequest = (
  state: WebhooksState,
  key: string | undefined,
  answer: Omit<WebhookRequest, 'key'> = {},
): WebhooksState =>
  key === undefined
    ? state
    : { ...state, requests: [...(state.requests ?? []), { key, ...answer }].slice(-webhookRequestsMax) };

/** The change that a request made, undefined if it made none, or many changes ago. */
export const requestOfKey = (state: WebhooksState | undefined, key: string): WebhookRequest | undefined =>
  state?.requests?.find((request) => request.key === key);

const changed = (
  state: WebhooksState,
  id: string,
  change: (webhook: StoredWebhook) => Partial<StoredWebhook>,
): WebhooksState => ({
  ...state,
  webhooks: state.webhooks.map((webhook) => (webhook.id === id ? { ...webhook, ...change(webhook) } : webhook)),
});

const create = (webhook: StoredWebhook, state: WebhooksState | undefined): WebhooksEvent | null => {
  const existing = state?.webhooks.find(({ id }) => id === webhook.id);
  if (existing !== undefined) {
    if (requestOf(existing) === requestOf(webhook)) return null;
    throw new DomainError(
      'idempotency_conflict',
      'This Idempotency-Key belongs to a request with a different body. Send a new key for a new request.',
    );
  }
  if ((state?.webhooks.length ?? 0) >= webhooksMax) {
    throw new DomainError(
      'webhook_limit_reached',
      `An account can have ${webhooksMax} webhooks. Delete one that you no longer use.`,
    );
  }
  refuseOverDailyLimit(state, webhook.created_us);
  return { type: 'WebhookCreated', data: webhook };
};

const requestOf = ({ url, description, events, tickers, series }: StoredWebhook): string =>
  JSON.stringify([url, description, events, tickers, series]);

const rotate = (
  webhook: StoredWebhook,
  state: WebhooksState | undefined,
  { us, derivedFrom, overlaps, request }: Extract<WebhooksCommand, { type: 'rotate' }>,
): WebhooksEvent => {
  refuseOverDailyLimit(state, us);
  const version = newestSecret(webhook) + 1;
  const expires_us = overlaps ? us + rotationOverlapUs : us;
  return {
    type: 'WebhookSecretRotated',
    data: { id: webhook.id, version, us, expires_us, derived_from: derivedFrom, request },
  };
};

const enable = (
  { id, disabled }: StoredWebhook,
  state: WebhooksState | undefined,
  { us, request }: Extract<WebhooksCommand, { type: 'enable' }>,
): WebhooksEvent | null => {
  if (disabled === null) return null;
  refuseOverDailyLimit(state, us);
  return { type: 'WebhookEnabled', data: { id, us, request } };
};

const trace = (derivedFrom: string, state: WebhooksState | undefined): WebhooksEvent | null =>
  state?.webhooks.some(isUntraced) === true
    ? { type: 'WebhookSecretsTraced', data: { derived_from: derivedFrom } }
    : null;

/** Whether a release that did not record it derived a secret of the webhook. */
export const isUntraced = ({ secrets }: StoredWebhook): boolean =>
  secrets.some(({ derived_from }) => derived_from === undefined);

export const webhookOf = (state: WebhooksState | undefined, id: string): StoredWebhook => {
  const webhook = state?.webhooks.find((candidate) => candidate.id === id);
  if (webhook === undefined) throw notFound('webhook_not_found', id);
  return webhook;
};

/** The version of the newest secret. */
export const newestSecret = ({ secrets }: StoredWebhook): number => secrets[0]?.version ?? 0;

const countOn = (state: WebhooksState | undefined, day: string): number =>
  state?.changed?.day === day ? state.changed.count : 0;

const counted = (state: WebhooksState, us: number): WebhooksState => {
  const day = utcDayOf(us);
  return { ...state, changed: { ...state.changed, day, count: countOn(state, day) + 1 } };
};

const refuseOverDailyLimit = (state: WebhooksState | undefined, us: number): void => {
  if (countOn(state, utcDayOf(us)) < changesPerDayMax) return;
  throw new DomainError(
    'webhook_daily_limit',
    `An account can change its webhooks ${changesPerDayMax} times per UTC day. Try again after 00:00 UTC.`,
    { more: { retry_after_s: Math.ceil((nextUtcDayUs(us) - us) / 1e6) } },
  );
};
