import { type Bus, lastEvent } from '@almanac/bus';
import { marketState, type MarketState } from '@almanac/contracts';
import type { StateCache, VersionedState } from '@almanac/event-store';
import { entryCache } from '@almanac/runtime';

/** Each has a history of some hundred bytes, and rarely of some ten thousand. */
const historiesMax = 20_000;

/**
 * Markets with their histories, which only reads about the past need. A history is read when it is requested first, and again
 * when the market has changed. So it needs no further consumer of the catalogue's events.
 */
export const pastMarkets = (
  bus: Bus,
  current: Pick<StateCache<MarketState>, 'get'>,
): Pick<StateCache<MarketState>, 'get'> => {
  const known = entryCache<string, VersionedState<MarketState>>(historiesMax);
  return {
    get: async (subject) => {
      const now = await current.get(subject);
      if (now === undefined) return undefined;
      const cached = known.get(subject);
      if (cached !== undefined && cached.seq >= now.seq) return cached;
      const { message } = await lastEvent(bus, { stream: 'EVT_CATALOG', subject, state: marketState });
      if (message === undefined) return undefined;
      const market = { state: message.event.state, seq: message.seq };
      known.set(subject, market);
      return market;
    },
  };
};
