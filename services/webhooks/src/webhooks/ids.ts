import { createHash } from 'node:crypto';
import type { StoredWebhook } from '@almanac/contracts';
import { idempotencyKeyTtlUs, keyIdWith, resolveIdempotencyKey } from '@almanac/runtime';

/** The id of a webhook created with an Idempotency-Key. It is the same for every repetition within 24 hours. */
export const repeatableWebhookId = async (
  account: string,
  idempotencyKey: string,
  { webhooks, nowUs }: { webhooks: readonly StoredWebhook[]; nowUs: number },
): Promise<string> => {
  const idOf = (text: string): string =>
    keyIdWith(account, createHash('sha256').update(`almanac webhook ${account} ${text}`).digest());
  const { id } = await resolveIdempotencyKey(
    { first: idOf(idempotencyKey), after: (before) => idOf(`after ${before}`) },
    (made) => Promise.resolve(webhooks.find((webhook) => webhook.id === made)),
    ({ created_us }) => nowUs - created_us < idempotencyKeyTtlUs,
  );
  return id;
};
