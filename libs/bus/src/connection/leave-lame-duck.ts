import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout } from '@almanac/runtime';
import type { NatsConnection } from '@nats-io/transport-node';
import { stateOfConnection } from './connection-state.js';
import type { Running } from '../bus.js';

/** Most commands are answered sooner. A lame duck keeps its clients for 10 s by default. */
const answersMsMax = 2_000;
const connectMsMax = 10_000;

/**
 * Connects to another server when that of the connection announces that it will end (lame duck mode). Nothing is lost: the
 * requests that have arrived are answered, commands have their answers, and new ones wait for a moment. What may be sent
 * twice is sent again. For several servers.
 */
export const leaveLameDuck = (nc: NatsConnection, onLeave: (server: string) => void): Running => {
  let moving: Promise<void> | undefined;
  const watching = (async () => {
    for await (const status of nc.status()) {
      if (status.type !== 'ldm' || moving !== undefined) continue;
      onLeave(status.server);
      moving = moveToAnotherServer(nc).finally(() => (moving = undefined));
      // It ends early only with the connection.
      moving.catch(() => undefined);
    }
  })();
  watching.catch(() => undefined);
  return { stop: async () => moving?.catch(() => undefined) };
};

/** Stops receiving, waits for the answers of commands that were sent, connects to another server, and receives again. */
export const moveToAnotherServer = async (nc: NatsConnection, answersMs = answersMsMax): Promise<void> => {
  const state = stateOfConnection(nc);
  const release = state.hold();
  const resumes: (() => void)[] = [];
  try {
    for (const pause of state.receivers) resumes.push(await pause());
    await withTimeout(answersMs, Promise.allSettled(state.unrepeatable), () => []);
    // What was published so far has reached the server.
    await nc.flush();
    const reconnected = new Promise<void>((resolve) => {
      const stop = state.onReconnect(() => {
        stop();
        resolve();
      });
    });
    await nc.reconnect();
    await Promise.race([reconnected, delay(connectMsMax, undefined, { ref: false })]);
  } finally {
    // Without a connection, they begin when there is one.
    if (!nc.isClosed() && !nc.isDraining()) for (const resume of resumes) resume();
    release();
  }
};
