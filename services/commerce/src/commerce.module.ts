import { type DynamicModule, Module } from '@nestjs/common';
import { CommerceController } from './commerce.controller.js';
import { type CommerceParts, HISTORY, SHOP } from './parts.js';
import { WebhookController } from './stripe-events/webhook.controller.js';

@Module({})
export class CommerceModule {
  static with(parts: CommerceParts): DynamicModule {
    return {
      module: CommerceModule,
      controllers: [CommerceController, WebhookController],
      providers: [
        { provide: SHOP, useValue: parts.shop },
        { provide: HISTORY, useValue: parts.history },
      ],
    };
  }
}
