import type { PlanId, PlanTerms } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import { type DynamicModule, Module } from '@nestjs/common';
import { KeysController } from './keys.controller.js';
import { PLANS, STORE } from './parts.js';

@Module({})
export class KeysModule {
  static with(parts: { store: EventStore; plans: Readonly<Record<PlanId, PlanTerms>> }): DynamicModule {
    return {
      module: KeysModule,
      controllers: [KeysController],
      providers: [
        { provide: STORE, useValue: parts.store },
        { provide: PLANS, useValue: parts.plans },
      ],
    };
  }
}
