import assert from 'node:assert/strict';
import { type StoredEvent, type StreamName, streams, type UserName } from '@almanac/contracts';
import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import { eventually, type NatsTls, testNats, type TestNats } from '@almanac/testing';
import { z } from 'zod';
import { type AdminBus, connectBus } from '../bus.js';
import { deadLetterStream } from '../names.js';
import { ensureDeadLetters, ensureStream } from '../streams/streams.js';
import { natsAccounts } from '../rights/accounts.js';
import type { BusTls } from '../connection/tls.js';

/** A NATS server for tests with every user of the system, and `admin` with all rights. */
export interface TestBus {
  readonly server: TestNats;
  connect(user: UserName | 'admin'): Promise<AdminBus>;
  stop(): Promise<void>;
}

const password = 'test';

/** Certificates of the server, and of its clients. */
export interface TestBusTls {
  readonly server?: NatsTls;
  readonly client?: BusTls;
}

export const startTestBus = async (partitions = 1, secured: TestBusTls = {}): Promise<TestBus> => {
  const accounts = natsAccounts(() => password, { admin: password }, partitions);
  const server = await testNats({ accounts, ...(secured.server === undefined ? {} : { tls: secured.server }) });
  const open: AdminBus[] = [];
  return {
    server,
    connect: async (user) => {
      const tls = secured.client === undefined ? {} : { tls: secured.client };
      const bus = await connectBus({ url: server.url, user, password, partitions, ...tls });
      open.push(bus);
      return bus;
    },
    stop: async () => {
      await Promise.all(open.map(crash));
      await server.stop();
    },
  };
};

/**
 * Creates a stream and the one of dead letters anew. A deletion fails while nats-server still removes the folder of the
 * deletion before. The stream is gone then, but a new one has its messages again, so its end is checked.
 */
export const emptyStreams = (admin: AdminBus, stream: StreamName): Promise<void> =>
  eventually(async () => {
    for (const name of [stream, deadLetterStream]) await deleteStream(admin, name);
    await ensureStream(admin, stream);
    await ensureDeadLetters(admin);
    for (const name of [stream, deadLetterStream]) {
      const { state } = await admin.jsm.streams.info(name);
      assert.equal(state.last_seq, 0, `${name} has messages of the test before`);
    }
  });

const deleteStream = (admin: AdminBus, name: string): Promise<unknown> =>
  admin.jsm.streams.delete(name).catch((error: unknown) => {
    if (!(error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound)) throw error;
  });

/** Ends the connections of a process at once, as a kill does. */
export const crash = async (bus: AdminBus): Promise<void> => {
  await Promise.all([bus.nc.close(), bus.streams.close()]);
};

export const counterState = z.object({ n: z.int() });
export type CounterState = z.infer<typeof counterState>;

/** A subject of a stream, in the form that the stream accepts. */
export const subjectIn = (stream: StreamName, ...ids: readonly string[]): string =>
  ['evt', streams[stream], ...ids].join('.');

export const counterEvent = (n: number): StoredEvent<CounterState> => ({
  id: `event-${n}`,
  type: 'Counted',
  version: 1,
  time: n,
  account: null,
  data: { n },
  state: { n },
});

/** Appends events with the states `from` to `to`. */
export const appendCounts = async (
  bus: AdminBus,
  subject: string,
  [from, to]: readonly [number, number],
): Promise<void> => {
  const sent: Promise<unknown>[] = [];
  for (let n = from; n <= to; n += 1) {
    sent.push(bus.js.publish(subject, Buffer.from(JSON.stringify(counterEvent(n)))));
    if (sent.length >= 500) await Promise.all(sent.splice(0));
  }
  await Promise.all(sent);
};

/** For a callback that must not be called in this test. */
export const failOnCall = (error: unknown): never => {
  throw error instanceof Error ? error : new Error(String(error));
};
