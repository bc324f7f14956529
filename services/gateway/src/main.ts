import { tuneGarbageCollection, parseConfig, runProcess } from '@almanac/runtime';
import { config } from './config.js';
import { startGateway } from './start.js';

tuneGarbageCollection();
await runProcess({ name: 'gateway', config: () => parseConfig(config), start: startGateway });
