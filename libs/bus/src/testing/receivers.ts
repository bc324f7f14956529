import type { StreamName } from '@almanac/contracts';
import type { Bus, Running } from '../bus.js';
import { consume } from '../consume/consume.js';
import { consumeBatches } from '../consume/consume-batches.js';
import { follow } from '../consume/follow.js';
import { durables } from '../names.js';
import { type CounterState, counterState } from './test-bus.js';

const stream: StreamName = 'EVT_CATALOG';

/** Every way in which a service receives events. Each notes the numbers that it got. */
export const receivers: Readonly<Record<string, (bus: Bus, got: Set<number>) => Promise<Running>>> = {
  follow: (bus, got) =>
    follow<CounterState>(bus, {
      stream,
      from: 'first',
      state: counterState,
      onEvent: ({ event }) => void got.add(event.state.n),
      onUnreadable: (error) => {
        throw error instanceof Error ? error : new Error(String(error));
      },
    }),
  consume: (bus, got) =>
    consume<CounterState>(bus, {
      stream,
      durable: durables.catalogReadModel,
      state: counterState,
      concurrency: 2,
      handle: ({ event }) => Promise.resolve(void got.add(event.state.n)),
      // A server that is away is expected here.
      onFailure: () => undefined,
    }),
  consumeBatches: (bus, got) =>
    consumeBatches<CounterState>(bus, {
      stream,
      durable: durables.catalogReadModel,
      state: counterState,
      batchMax: 100,
      handle: (messages) => {
        for (const { event } of messages) got.add(event.state.n);
        return Promise.resolve();
      },
      onFailure: () => undefined,
    }),
};
