import type { NatsConnection } from '@nats-io/transport-node';

/** What a process knows about one of its connections. */
export interface ConnectionState {
  /** Undefined while there is a connection. Otherwise it resolves when there is one, or never will be. */
  readonly connected: () => Promise<void> | undefined;
  /** The same, and undefined only while the connection does not move to another server. */
  readonly available: () => Promise<void> | undefined;
  /** Calls the listener after each reconnection, until the returned function is called. */
  readonly onReconnect: (listener: () => void) => () => void;
  /** Lets new commands wait until the returned function is called. */
  readonly hold: () => () => void;
  /** Requests that must not be sent twice and have no answer yet. */
  readonly unrepeatable: Set<Promise<unknown>>;
  /** What stops receiving requests before a move. Each returns what begins again. */
  readonly receivers: Set<() => Promise<() => void>>;
}

const states = new WeakMap<NatsConnection, ConnectionState>();

/**
 * The client keeps what is published while it is disconnected, but loses it when its next attempt to connect fails. So
 * callers have to know whether there is a connection.
 */
export const stateOfConnection = (nc: NatsConnection): ConnectionState => {
  const known = states.get(nc);
  if (known !== undefined) return known;
  const state = watchConnection(nc);
  states.set(nc, state);
  return state;
};

const watchConnection = (nc: NatsConnection): ConnectionState => {
  const listeners = new Set<() => void>();
  const connection = gate();
  const moves = gate();
  void (async () => {
    for await (const { type } of nc.status()) {
      if (type === 'disconnect') connection.close();
      if (type !== 'reconnect') continue;
      connection.open();
      for (const listener of listeners) listener();
    }
    // Nobody waits for a connection that is closed: sending fails.
    connection.open();
  })();
  return {
    connected: connection.opened,
    available: () => connection.opened() ?? moves.opened(),
    onReconnect: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    hold: () => {
      moves.close();
      return moves.open;
    },
    unrepeatable: new Set(),
    receivers: new Set(),
  };
};

const gate = () => {
  let closed: PromiseWithResolvers<void> | undefined;
  return {
    opened: (): Promise<void> | undefined => closed?.promise,
    close: (): void => void (closed ??= Promise.withResolvers()),
    open: (): void => {
      closed?.resolve();
      closed = undefined;
    },
  };
};
