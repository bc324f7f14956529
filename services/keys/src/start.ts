import { connectFromConfig, ensureStream } from '@almanac/bus';
import { serveControllers, streamsController } from '@almanac/bus/server';
import { jetStreamStore } from '@almanac/event-store';
import { connectRedis } from '@almanac/redis';
import type { Runtime } from '@almanac/runtime';
import { confirmMajority, startHeartbeat } from './heartbeat.js';
import type { KeysConfig } from './config.js';
import { KeysController } from './keys.controller.js';
import { BUS, PLANS, STORE, LAST_USES } from './keys-deps.js';
import { lastUsedFromRedis } from './keyring/last-used.js';

export const startKeys = async (config: KeysConfig, runtime: Runtime): Promise<void> => {
  const { log, onStop } = runtime;
  const bus = await connectFromConfig(config, runtime);
  await ensureStream(bus, 'EVT_KEYS');
  const redis = connectRedis({ config, runtime, without: 'the last uses of keys are unknown' });
  onStop('redis', () => redis.disconnect());
  const uses = lastUsedFromRedis(redis, log);
  const providers = new Map<symbol, unknown>([
    [BUS, bus],
    [STORE, jetStreamStore(bus)],
    [PLANS, config.PLAN_TERMS],
    [LAST_USES, uses],
  ]);
  const controllers = [KeysController, streamsController(bus, 'keys')];
  const calls = await serveControllers(bus, { controllers, providers }, log);
  onStop('calls', () => calls.stop());
  const heartbeat = startHeartbeat(bus, log, await confirmMajority(bus));
  onStop('heartbeat', () => heartbeat.stop());
};
