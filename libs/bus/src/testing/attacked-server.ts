import { setTimeout as delay } from 'node:timers/promises';
import { testNats } from '@almanac/testing';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import type { NatsAccount } from '../rights/accounts.js';
import { type AdminBus, connectBus } from '../bus.js';
import { subjects } from '../names.js';
import { expectedTopology } from '../rights/rights.js';
import { ensureDeadLetters, ensurePersonal, ensureStream } from '../streams/streams.js';
import { ensureWebhookStream } from '../consume/webhook-stream.js';
import { webhookPrefix } from '../webhook-subjects.js';
import type { Attack } from './forged-replies.js';
import { appendCounts, crash, subjectIn } from './test-bus.js';
import { allStreams } from './access-by-user.js';

/** The password of every user. */
export const password = 'test';

/** A server with every stream, each with messages, and the logins of `admin`. */
export interface AttackedServer {
  readonly admin: AdminBus;
  connect(user: string): Promise<AdminBus>;
  /** Subjects of a stream that hold a forged message of this attacker. */
  forged(stream: string, attacker: string): Promise<string[]>;
  stop(): Promise<void>;
}

/** Starts a server with every stream. Each holds a message that is no event of others. */
export const startAttackedServer = async (accounts: Record<string, NatsAccount>): Promise<AttackedServer> => {
  const server = await testNats({ accounts });
  const open: AdminBus[] = [];
  const connect = async (user: string): Promise<AdminBus> => {
    const bus = await connectBus({ url: server.url, user, password });
    open.push(bus);
    return bus;
  };
  const admin = await connect('admin');
  for (const stream of allStreams) {
    await ensureStream(admin, stream);
    await appendCounts(admin, subjectIn(stream, 'seed'), [1, 3]);
  }
  await ensureDeadLetters(admin);
  await ensurePersonal(admin);
  await ensureWebhookStream(admin);
  await admin.js.publish(`${webhookPrefix}.seed`, 'seed');
  await admin.js.publish(subjects.dead('seed'), 'seed');
  await admin.js.publish(subjects.person('seed'), 'seed');
  for (const { stream, durable } of expectedTopology.consumers) {
    await admin.jsm.consumers.add(stream, { durable_name: durable, ack_policy: 'explicit' });
  }
  const forged = async (stream: string, attacker: string): Promise<string[]> => {
    const { state } = await admin.jsm.streams.info(stream, { subjects_filter: '>' });
    const isForged = new RegExp(`victim[.-]${attacker}[.-]`);
    return Object.keys(state.subjects ?? {}).filter((subject) => isForged.test(subject));
  };
  const stop = async (): Promise<void> => {
    await Promise.all(open.map(crash));
    await server.stop();
  };
  return { admin, connect, forged, stop };
};

/** Sends every request and waits until the server has handled and answered them. */
export const sendAttacks = async (nc: NatsConnection, attacks: readonly Attack[]): Promise<void> => {
  for (const { subject, body, reply } of attacks) {
    nc.publish(subject, body, { reply });
    // nats-server 2.11 and later also report the way of such a message to the subject. Newer ones refuse it as a whole.
    const traced = headers();
    traced.set('Nats-Trace-Dest', reply);
    nc.publish(subject, body, { reply, headers: traced });
  }
  await nc.flush();
  await delay(50);
  await nc.flush();
};

/** New events, which push consumers, republishing streams and sources would pass on. */
export const feed = async ({ admin }: { admin: AdminBus }): Promise<void> => {
  for (const stream of allStreams) await appendCounts(admin, subjectIn(stream, 'seed'), [4, 5]);
  await delay(100);
  await admin.streams.flush();
};
