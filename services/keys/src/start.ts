import { connectFromConfig, ensureHeartbeatStreams, ensureStream, keyMarks } from '@almanac/bus';
import { serveService } from '@almanac/bus/server';
import { jetStreamStore } from '@almanac/event-store';
import { connectRedis } from '@almanac/redis';
import type { Runtime } from '@almanac/runtime';
import { startHeartbeat } from './heartbeat.js';
import type { KeysConfig } from './config.js';
import type { KeysDeps } from './keys-deps.js';
import { lastUsedFromRedis } from './keyring/last-used.js';
import { keysController } from './keys.controller.js';
import { recentChanges } from './recent-changes.js';

export const startKeys = async (config: KeysConfig, runtime: Runtime): Promise<void> => {
  const { log, onStop } = runtime;
  const bus = await connectFromConfig(config, runtime);
  await ensureStream(bus, 'EVT_KEYS');
  const redis = connectRedis({ config, runtime, without: 'the last uses of keys are unknown' });
  onStop('redis', () => redis.disconnect());
  const store = jetStreamStore(bus);
  const isCluster = bus.replicas > 1;
  if (isCluster) await ensureHeartbeatStreams(bus);
  const marks = isCluster ? keyMarks(bus) : undefined;
  const changes = recentChanges();
  const deps: KeysDeps = { bus, store, marks, changes, plans: config.PLAN_TERMS, uses: lastUsedFromRedis(redis, log) };
  const calls = await serveService(bus, 'keys', keysController(deps), log);
  onStop('calls', () => calls.stop());
  const heartbeat = startHeartbeat({ bus, log, marks, changes });
  onStop('heartbeat', () => heartbeat.stop());
};
