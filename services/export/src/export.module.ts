import { type DynamicModule, Module } from '@nestjs/common';
import { ExportController } from './export.controller.js';
import type { DownloadLinks } from './exports/download-links.js';
import type { QuoteParts } from './exports/quote-export.js';
import { CREATE, LINKS } from './parts.js';

@Module({})
export class ExportModule {
  static with(parts: { create: QuoteParts; links: DownloadLinks }): DynamicModule {
    return {
      module: ExportModule,
      controllers: [ExportController],
      providers: [
        { provide: CREATE, useValue: parts.create },
        { provide: LINKS, useValue: parts.links },
      ],
    };
  }
}
