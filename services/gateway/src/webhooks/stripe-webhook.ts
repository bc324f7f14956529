import type { RpcClient } from '@almanac/bus';
import { commerceRpc } from '@almanac/contracts';
import type { RequestHandler } from 'express';
import type { WithBody } from '../http/read-body.js';
import { sendJson } from '../http/reply.js';
import { requestIdOf } from '../http/request-id.js';

export const stripeWebhookPath = '/webhooks/stripe';

/** Stripe's events are a few kilobytes. A message on the bus may be a megabyte. */
const bytesMax = 512 * 1_024;
const signatureLengthMax = 4_096;

/**
 * Forwards a webhook with its original bytes, which its signature covers. It needs no key: the service with the
 * secret checks the signature.
 */
export const stripeWebhook =
  (rpc: RpcClient, withBody: WithBody): RequestHandler =>
  async (request, response) => {
    const header = request.headers['stripe-signature'];
    // Stripe creates no longer signature.
    const signature = typeof header === 'string' && header.length <= signatureLengthMax ? header : '';
    const context = { requestId: requestIdOf(response) };
    const forward = async (body: Uint8Array): Promise<void> =>
      sendJson(response, await rpc.call(commerceRpc.stripeWebhook, { input: { signature }, context, body }));
    // Without a signature the service refuses every body, so none is read.
    if (signature === '') await forward(new Uint8Array());
    else await withBody(request, { limit: bytesMax, account: 'stripe' }, forward);
  };
