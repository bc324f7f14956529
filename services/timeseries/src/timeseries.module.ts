import { type DynamicModule, Module } from '@nestjs/common';
import { PREVIEWS, SNAPSHOTS, STORING, type TimeseriesParts } from './parts.js';
import { TimeseriesController } from './timeseries.controller.js';

@Module({})
export class TimeseriesModule {
  static with(parts: TimeseriesParts): DynamicModule {
    return {
      module: TimeseriesModule,
      controllers: [TimeseriesController],
      providers: [
        { provide: STORING, useValue: parts.storing },
        { provide: SNAPSHOTS, useValue: parts.snapshots },
        { provide: PREVIEWS, useValue: parts.previews },
      ],
    };
  }
}
