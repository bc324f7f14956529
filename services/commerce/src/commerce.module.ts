import type { EventStore } from '@almanac/event-store';
import { type DynamicModule, Module } from '@nestjs/common';
import { CommerceController } from './commerce.controller.js';
import { STORE, TERMS, type Terms } from './parts.js';

@Module({})
export class CommerceModule {
  static with(parts: { store: EventStore; terms: Terms }): DynamicModule {
    return {
      module: CommerceModule,
      controllers: [CommerceController],
      providers: [
        { provide: STORE, useValue: parts.store },
        { provide: TERMS, useValue: parts.terms },
      ],
    };
  }
}
