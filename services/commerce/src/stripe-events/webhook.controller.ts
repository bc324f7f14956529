import { Rpc, type RpcContext } from '@almanac/bus/server';
import { commerceRpc } from '@almanac/contracts';
import { Controller, Inject } from '@nestjs/common';
import { COMMERCE_CONTEXT, type CommerceContext } from '../commerce-deps.js';
import { receiveWebhook } from './receive-webhook.command.js';

@Controller()
export class WebhookController {
  constructor(@Inject(COMMERCE_CONTEXT) private readonly commerce: CommerceContext) {}

  @Rpc(commerceRpc.stripeWebhook)
  async stripeWebhook({ signature }: { signature: string }, { body }: RpcContext): Promise<{ received: true }> {
    await receiveWebhook(this.commerce, { body, signature });
    return { received: true };
  }
}
