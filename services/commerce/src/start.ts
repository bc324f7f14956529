import { connectBus, ensureDeadLetters, ensureStream, serveModule } from '@almanac/bus';
import { jetStreamStore } from '@almanac/event-store';
import type { Runtime } from '@almanac/runtime';
import { settleReservations } from './account/settle-reservations.reactor.js';
import { sweepReservations } from './account/sweep-reservations.reactor.js';
import { CommerceModule } from './commerce.module.js';
import type { CommerceConfig } from './config.js';

export const startCommerce = async (config: CommerceConfig, { log, health, onStop }: Runtime): Promise<void> => {
  const bus = await connectBus({
    url: config.NATS_URL,
    user: config.NATS_USER,
    ...(config.NATS_PASSWORD === undefined ? {} : { password: config.NATS_PASSWORD }),
    replicas: config.NATS_REPLICAS,
  });
  onStop('bus', () => bus.close());
  health.checks.set('nats', () => (bus.nc.isClosed() ? 'the connection is closed' : bus.nc.rtt().then(() => null)));
  await ensureDeadLetters(bus);
  await ensureStream(bus, 'EVT_COMMERCE');
  const store = jetStreamStore(bus);
  const terms = { plans: config.PLAN_TERMS, credits: config.FREE_CREDITS };
  const settling = await settleReservations(bus, store, log);
  onStop('settling', () => settling.stop());
  const sweeping = await sweepReservations(bus, store, {
    log,
    afterMs: config.SWEEP_AFTER_S * 1_000,
    everyMs: config.SWEEP_EVERY_S * 1_000,
  });
  onStop('sweeping', () => sweeping.stop());
  const calls = await serveModule(bus, CommerceModule.with({ store, terms }), log);
  onStop('calls', () => calls.stop());
};
