import { parseConfig, runProcess } from '@almanac/runtime';
import { config } from './config.js';
import { startWebhooks } from './start.js';

await runProcess({ name: 'webhooks', config: () => parseConfig(config), start: startWebhooks });
