import { tuneGarbageCollection, parseConfig, runProcess } from '@almanac/runtime';
import { config } from './config.js';
import { startTimeseries } from './start.js';

tuneGarbageCollection();
await runProcess({ name: 'timeseries', config: () => parseConfig(config), start: startTimeseries });
