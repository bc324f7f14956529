import type { RpcContext } from '@almanac/bus/server';
import { DomainError, type InputOf, type OutputOf, type StoredWebhook, type webhooksRpc } from '@almanac/contracts';
import { idempotentId, newKeyId, unixMicros } from '@almanac/runtime';
import { RefusedAddressError } from './addresses.js';
import type { WebhooksDeps } from '../webhooks-deps.js';
import { changeWebhooks, loadWebhooks } from './account-webhooks.js';
import { presentWebhook } from './present.js';
import { webhookOf } from './webhooks.decider.js';

type Create = InputOf<typeof webhooksRpc.create>;

export const createWebhook = async (
  deps: WebhooksDeps,
  { idempotency_key: key, requested_us: requestedUs, ...body }: Create,
  context: RpcContext,
): Promise<OutputOf<typeof webhooksRpc.create>> => {
  await refuseUnreachable(deps, body);
  const account = context.caller;
  const nowUs = requestedUs ?? unixMicros();
  const id = key
    ? await idempotentId(
        { account, kind: 'webhook', idempotencyKey: key },
        { existing: (await loadWebhooks(deps, account))?.webhooks ?? [], nowUs },
      )
    : newKeyId(account);
  const webhook: StoredWebhook = {
    ...body,
    id,
    created_us: nowUs,
    enabled_us: nowUs,
    secrets: [{ version: 1, expires_us: null, derived_from: deps.secrets.derivedFrom }],
    disabled: null,
  };
  const stored = webhookOf(await changeWebhooks(deps, { type: 'create', webhook }, context), id);
  // Another time means that an earlier request created the webhook, and returned the secret. The gateway sends its own time, so
  // that a request that is sent again is no other.
  if (stored.created_us !== nowUs) return { ...presentWebhook(stored), secret: null, secret_already_shown: true };
  return { ...presentWebhook(stored), secret: deps.secrets.current(stored) };
};

const refuseUnreachable = async (
  { addresses }: WebhooksDeps,
  { url, events, tickers, series }: Omit<Create, 'idempotency_key' | 'requested_us'>,
): Promise<void> => {
  try {
    await addresses.check(url);
  } catch (error) {
    if (!(error instanceof RefusedAddressError)) throw error;
    throw new DomainError('invalid_input', `The url cannot get deliveries. ${error.message}`, { cause: error });
  }
  if (events.some((type) => type.startsWith('market.')) && tickers.length + series.length === 0)
    throw new DomainError('invalid_input', 'Events of markets need tickers or series.');
};
