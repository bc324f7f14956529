import { parseConfig, runProcess } from '@almanac/runtime';
import { config } from './config.js';
import { startExport } from './start.js';

await runProcess({ name: 'export', config: () => parseConfig(config), start: startExport });
