import { connectFromConfig, ensureDeadLetters, ensureStream, serveModule } from '@almanac/bus';
import { jetStreamStore } from '@almanac/event-store';
import type { Runtime } from '@almanac/runtime';
import { settleReservations } from './account/settle-reservations.reactor.js';
import { sweepReservations } from './account/sweep-reservations.reactor.js';
import { CommerceModule } from './commerce.module.js';
import type { CommerceConfig } from './config.js';

export const startCommerce = async (config: CommerceConfig, runtime: Runtime): Promise<void> => {
  const { log, onStop } = runtime;
  const bus = await connectFromConfig(config, runtime);
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
