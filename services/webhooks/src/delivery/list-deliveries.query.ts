import type { RpcContext } from '@almanac/bus/server';
import {
  decodeCursor,
  encodeCursor,
  type InputOf,
  listingOf,
  type OutputOf,
  type webhooksRpc,
} from '@almanac/contracts';
import { z } from 'zod';
import type { WebhooksDeps } from '../webhooks-deps.js';
import { findWebhook } from '../webhooks/account-webhooks.js';
import { presentAttempt, readLog } from './log.js';

/** The position of a cursor: the sequence of the last attempt on the page. */
const position = z.int().positive();

export const listDeliveries = async (
  deps: WebhooksDeps,
  { webhook_id: id, limit, cursor }: InputOf<typeof webhooksRpc.deliveries>,
  { caller }: RpcContext,
): Promise<OutputOf<typeof webhooksRpc.deliveries>> => {
  const listing = listingOf('webhook deliveries', { id });
  const before = decodeCursor(cursor, { listing, position });
  await findWebhook(deps, caller, id);
  const older = (await readLog(deps.bus, id)).filter(({ seq }) => before === null || seq < before);
  const page = older.slice(0, limit);
  const hasMore = older.length > page.length;
  return {
    count: page.length,
    deliveries: page.map(({ attempt }) => presentAttempt(attempt)),
    has_more: hasMore,
    next_cursor: hasMore ? encodeCursor(listing, page.at(-1)?.seq) : null,
  };
};
