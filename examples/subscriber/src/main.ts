import { parseConfig, runProcess } from '@almanac/runtime';
import { config } from './config.js';
import { startSubscriber } from './subscriber.js';

await runProcess({ name: 'subscriber', config: () => parseConfig(config), start: startSubscriber });
