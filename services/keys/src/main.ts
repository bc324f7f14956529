import { parseConfig, runProcess } from '@almanac/runtime';
import { config } from './config.js';
import { startKeys } from './start.js';

await runProcess({ name: 'keys', config: () => parseConfig(config), start: startKeys });
