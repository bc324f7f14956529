import { type DynamicModule, Module } from '@nestjs/common';
import { CatalogController } from './catalog.controller.js';
import { type CatalogParts, PARTS } from './parts.js';

@Module({})
export class CatalogModule {
  static with(parts: CatalogParts): DynamicModule {
    return {
      module: CatalogModule,
      controllers: [CatalogController],
      providers: [{ provide: PARTS, useValue: parts }],
    };
  }
}
