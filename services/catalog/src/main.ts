import { parseConfig, runProcess } from '@almanac/runtime';
import { config } from './config.js';
import { startCatalog } from './start.js';

await runProcess({ name: 'catalog', config: () => parseConfig(config), start: startCatalog });
