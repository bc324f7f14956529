import { connectFromConfig, ensureStream, serveModule } from '@almanac/bus';
import { jetStreamStore } from '@almanac/event-store';
import { connectRedis } from '@almanac/redis';
import type { Runtime } from '@almanac/runtime';
import { beat } from './beat.js';
import type { KeysConfig } from './config.js';
import { KeysModule } from './keys.module.js';
import { usesFrom } from './uses.js';

export const startKeys = async (config: KeysConfig, runtime: Runtime): Promise<void> => {
  const { log, onStop } = runtime;
  const bus = await connectFromConfig(config, runtime);
  await ensureStream(bus, 'EVT_KEYS');
  const redis = connectRedis({ config, runtime, without: 'last uses of keys are not known' });
  onStop('redis', () => redis.disconnect());
  const uses = usesFrom(redis, log);
  const module = KeysModule.with({ store: jetStreamStore(bus), plans: config.PLAN_TERMS, uses });
  const calls = await serveModule(bus, module, log);
  onStop('calls', () => calls.stop());
  const beating = beat(bus, log);
  onStop('beat', () => beating.stop());
};
