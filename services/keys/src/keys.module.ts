import type { PlanId, PlanTerms } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import { type DynamicModule, Module } from '@nestjs/common';
import { KeysController } from './keys.controller.js';
import { PLANS, STORE, USES } from './parts.js';
import type { Uses } from './uses.js';

export interface KeysParts {
  readonly store: EventStore;
  readonly plans: Readonly<Record<PlanId, PlanTerms>>;
  readonly uses: Uses;
}

@Module({})
export class KeysModule {
  static with(parts: KeysParts): DynamicModule {
    return {
      module: KeysModule,
      controllers: [KeysController],
      providers: [
        { provide: STORE, useValue: parts.store },
        { provide: PLANS, useValue: parts.plans },
        { provide: USES, useValue: parts.uses },
      ],
    };
  }
}
