import { connectFromConfig, ensureStream, serveModule } from '@almanac/bus';
import { jetStreamStore } from '@almanac/event-store';
import { connectRedis } from '@almanac/redis';
import type { Runtime } from '@almanac/runtime';
import { beat } from './beat.js';
import type { KeysConfig } from './config.js';
import { KeysController } from './keys.controller.js';
import { PLANS, STORE, USES } from './parts.js';
import { usesFrom } from './uses.js';

export const startKeys = async (config: KeysConfig, runtime: Runtime): Promise<void> => {
  const { log, onStop } = runtime;
  const bus = await connectFromConfig(config, runtime);
  await ensureStream(bus, 'EVT_KEYS');
  const redis = connectRedis({ config, runtime, without: 'last uses of keys are not known' });
  onStop('redis', () => redis.disconnect());
  const uses = usesFrom(redis, log);
  const providers = new Map<symbol, unknown>([
    [STORE, jetStreamStore(bus)],
    [PLANS, config.PLAN_TERMS],
    [USES, uses],
  ]);
  const calls = await serveModule(bus, { controllers: [KeysController], providers }, log);
  onStop('calls', () => calls.stop());
  const beating = beat(bus, log);
  onStop('beat', () => beating.stop());
};
