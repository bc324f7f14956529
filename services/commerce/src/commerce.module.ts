import { type DynamicModule, Module } from '@nestjs/common';
import { CommerceController } from './commerce.controller.js';
import { type CommerceParts, PERSONS, SHOP } from './parts.js';
import { OperatorController } from './personal/operator.controller.js';
import { WebhookController } from './stripe-events/webhook.controller.js';

@Module({})
export class CommerceModule {
  static with(parts: CommerceParts): DynamicModule {
    return {
      module: CommerceModule,
      controllers: [CommerceController, OperatorController, WebhookController],
      providers: [
        { provide: SHOP, useValue: parts.shop },
        { provide: PERSONS, useValue: parts.persons },
      ],
    };
  }
}
