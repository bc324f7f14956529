import { type Bus, type Running, subjects } from '@almanac/bus';
import type { Logger } from '@almanac/runtime';

/** Gateways trust a verdict in memory for three missed beats, 750 ms. */
export const beatMs = 250;

/**
 * Tells every gateway, four times a second, how far EVT_KEYS has got at its leader. A gateway that has seen as much
 * may answer from memory; one that hears nothing, since its NATS node or this service is gone, must ask.
 */
export const beat = (bus: Bus, log: Logger): Running => {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let failing = false;
  const once = async (): Promise<void> => {
    try {
      const { state } = await bus.jsm.streams.info('EVT_KEYS');
      bus.nc.publish(subjects.keysBeat, JSON.stringify({ seq: state.last_seq }));
      failing = false;
    } catch (error) {
      if (!failing && !stopped) log.warn({ err: error }, 'no beat: the state of EVT_KEYS cannot be read');
      failing = true;
    }
    if (!stopped) timer = setTimeout(() => void once(), beatMs);
  };
  const first = once();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await first;
    },
  };
};
