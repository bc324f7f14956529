import { partitionCount, partitionOf, partitionsOf, subjects } from '@almanac/bus';
import type { MarketStateFile } from './market-state-file.js';
import { type MarketStates, marketStates, type MarketStatesDeps } from './market-states.js';

/**
 * The states of all markets. Each partition of the stream has its own order, so each has its own file, which is complete
 * by itself.
 */
export const partitionedStates = ({
  diskOf,
  ...deps
}: Omit<MarketStatesDeps, 'disk' | 'partition'> & {
  readonly diskOf: (partition: number) => MarketStateFile | undefined;
}): MarketStates => {
  const { bus } = deps;
  const count = partitionCount(bus, 'EVT_CATALOG');
  const parts = partitionsOf(bus, 'EVT_CATALOG').map((partition) =>
    marketStates({ ...deps, partition, disk: diskOf(partition) }),
  );
  const [only] = parts;
  if (count === 1 && only !== undefined) return only;
  return {
    get: (ticker) => parts[partitionOf(bus, 'EVT_CATALOG', subjects.market(ticker))]?.get(ticker),
    apply: (message) => parts[message.seq % count]?.apply(message),
    read: () => {
      for (const part of parts) part.read();
    },
    state: () => parts.map((part) => part.state()).find((state) => state !== null) ?? null,
    stop: async () => void (await Promise.all(parts.map((part) => part.stop()))),
  };
};
