import { tuneGarbageCollection, parseConfig, runProcess } from '@almanac/runtime';
import { gatewayConfig } from './config.js';
import { startGateway } from './start.js';

tuneGarbageCollection();
await runProcess({ name: 'gateway', config: () => parseConfig(gatewayConfig), start: startGateway });
