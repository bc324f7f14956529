import { setTimeout as delay } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import type { BusOptions, Running } from '../bus.js';
import { stateOfConnection } from './connection-state.js';
import { probeTls } from './probe-tls.js';

const firstMs = 1_000;
const betweenMs = 5_000;

/** Reports each new reason why TLS fails while the connection is lost. The client tries again without a word. */
export const reportTlsFaults = (
  nc: NatsConnection,
  { url, tls }: Pick<BusOptions, 'url' | 'tls'>,
  onFault: (fault: string) => void,
): Running => {
  const stopping = new AbortController();
  const { connected } = stateOfConnection(nc);
  const probe = async (): Promise<void> => {
    let last: string | null = null;
    for (let wait = firstMs; ; wait = betweenMs) {
      await delay(wait, undefined, { signal: stopping.signal, ref: false });
      if (connected() === undefined) return;
      const fault = await probeTls(url, tls);
      if (fault !== null && fault !== last && connected() !== undefined) onFault(fault);
      last = fault ?? last;
    }
  };
  const watching = (async () => {
    for await (const { type } of nc.status()) if (type === 'disconnect') await probe();
  })();
  watching.catch(() => undefined);
  return { stop: () => Promise.resolve(stopping.abort()) };
};
