import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Bus } from '../bus.js';
import { stateOfConnection } from './connection-state.js';
import { repeatWhileSilent } from './repeat-while-silent.js';

const longTimeoutMs = 60_000;
/** A busy server gets few requests twice. The election of a leader takes 4 to 9 s. */
const silentMsMax = 4_000;

/**
 * Clients for requests during the start of a process. Many processes often start together with the server, which reads millions of
 * messages first and answers late. A request to a leader that is lost is never answered, so each is sent again: it has the same effect
 * once and twice, since it names its consumer.
 */
export const longTimeoutClients = async ({ streams }: Bus) => {
  const repeated = repeatedRequests(streams);
  return {
    js: jetstream(repeated, { timeout: longTimeoutMs }),
    jsm: await jetstreamManager(repeated, { checkAPI: false, timeout: longTimeoutMs }),
  };
};

const repeatedRequests = (streams: NatsConnection): NatsConnection => {
  const request: NatsConnection['request'] = (...given) =>
    repeatWhileSilent(() => streams.request(...given), {
      onReconnect: stateOfConnection(streams).onReconnect,
      forMs: longTimeoutMs,
      silentMsMax,
    });
  return Object.create(streams, { request: { value: request } }) as NatsConnection;
};
