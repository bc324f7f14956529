import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import { DomainError, type StoredWebhook, type WebhooksState, webhooksState } from '@almanac/contracts';
import { execute, loadOrConfirm } from '@almanac/event-store';
import { accountOfKey, unixMicros } from '@almanac/runtime';
import type { WebhooksDeps } from '../webhooks-deps.js';
import { type WebhooksCommand, webhookOf, webhooksDecider } from './webhooks.decider.js';

type Store = Pick<WebhooksDeps, 'store'>;

/** Undefined if the account never had a webhook. */
export const loadWebhooks = async ({ store }: Store, account: string): Promise<WebhooksState | undefined> =>
  (await store.load(subjects.webhooks(account), webhooksState))?.state;

/** Throws `webhook_not_found`. */
export const findWebhook = async ({ store }: Store, account: string, id: string): Promise<StoredWebhook> => {
  const has = ({ webhooks }: WebhooksState): boolean => webhooks.some((webhook) => webhook.id === id);
  const loaded = await loadOrConfirm(store, { subject: subjects.webhooks(account), state: webhooksState, has });
  return webhookOf(loaded?.state, id);
};

export const changeWebhooks = async (
  { store }: Store,
  command: WebhooksCommand,
  { caller: account, remainingMs }: { readonly caller: string; readonly remainingMs: number },
  us = unixMicros(),
): Promise<WebhooksState> => {
  const outcome = await execute(store, webhooksDecider(account), {
    subject: subjects.webhooks(account),
    command,
    id: randomUUID(),
    account,
    time: us,
    timeoutMs: remainingMs,
  });
  if (outcome === undefined) throw new Error('a command left no webhooks');
  return outcome.state;
};

/** The id of a webhook starts with that of its account. */
export const loadWebhook = async (deps: Store, id: string): Promise<StoredWebhook | undefined> =>
  (await loadWebhooks(deps, accountOfKey(id)))?.webhooks.find((webhook) => webhook.id === id);

const disableTimeoutMs = 10_000;

/** Disables a webhook whose deliveries fail. Its owner may have deleted it. */
export const disableWebhook = async (
  deps: Store,
  { id, reason, us }: { readonly id: string; readonly reason: string; readonly us: number },
): Promise<void> => {
  const context = { caller: accountOfKey(id), remainingMs: disableTimeoutMs };
  try {
    await changeWebhooks(deps, { type: 'disable', id, us, reason }, context, us);
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'webhook_not_found')) throw error;
  }
};
