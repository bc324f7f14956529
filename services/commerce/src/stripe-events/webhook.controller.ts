import { Rpc, type RpcContext } from '@almanac/bus';
import { commerceRpc } from '@almanac/contracts';
import { Controller, Inject } from '@nestjs/common';
import { SHOP, type Shop } from '../parts.js';
import { receiveWebhook } from './receive.js';

/** What Stripe tells us. */
@Controller()
export class WebhookController {
  constructor(@Inject(SHOP) private readonly shop: Shop) {}

  @Rpc(commerceRpc.stripeWebhook)
  async stripeWebhook({ signature }: { signature: string }, { body }: RpcContext): Promise<{ received: true }> {
    await receiveWebhook(this.shop, { body, signature });
    return { received: true };
  }
}
