import { collectGarbageLessOften, parseConfig, runProcess } from '@almanac/runtime';
import { gatewayConfig } from './config.js';
import { startGateway } from './start.js';

collectGarbageLessOften();
await runProcess({ name: 'gateway', config: () => parseConfig(gatewayConfig), start: startGateway });
