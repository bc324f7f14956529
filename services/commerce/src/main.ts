import { parseConfig, runProcess } from '@almanac/runtime';
import { config } from './config.js';
import { startCommerce } from './start.js';

await runProcess({ name: 'commerce', config: () => parseConfig(config), start: startCommerce });
