import { connectBus, ensureStream, serveModule } from '@almanac/bus';
import { jetStreamStore } from '@almanac/event-store';
import type { Runtime } from '@almanac/runtime';
import { beat } from './beat.js';
import type { KeysConfig } from './config.js';
import { KeysModule } from './keys.module.js';

export const startKeys = async (config: KeysConfig, { log, health, onStop }: Runtime): Promise<void> => {
  const bus = await connectBus({
    url: config.NATS_URL,
    user: config.NATS_USER,
    ...(config.NATS_PASSWORD === undefined ? {} : { password: config.NATS_PASSWORD }),
    replicas: config.NATS_REPLICAS,
  });
  onStop('bus', () => bus.close());
  health.checks.set('nats', () => (bus.nc.isClosed() ? 'the connection is closed' : bus.nc.rtt().then(() => null)));
  await ensureStream(bus, 'EVT_KEYS');
  const module = KeysModule.with({ store: jetStreamStore(bus), plans: config.PLAN_TERMS });
  const calls = await serveModule(bus, module, log);
  onStop('calls', () => calls.stop());
  const beating = beat(bus, log);
  onStop('beat', () => beating.stop());
};
