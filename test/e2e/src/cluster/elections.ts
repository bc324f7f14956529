import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { NatsAccount } from '@almanac/local-servers';
import type { ConfiguredNatsCluster } from '@almanac/testing';

const answerMsMax = 10_000;
const inbox = '_INBOX.elections';
const password = 'elections';
const apiOf = (stream: string): string => `$JS.API.STREAM.LEADER.STEPDOWN.${stream}`;
const loginOf = (stream: string): string => `elections-${stream}`;

type Accounts = Readonly<Record<string, NatsAccount>>;

/** Adds a user to the NATS account of each stream that may end the time of its leader. No user of the system may. */
export const withElections = (accounts: Accounts): Accounts =>
  Object.fromEntries(
    Object.entries(accounts).map(([stream, account]): [string, NatsAccount] => {
      if (account.jetstream !== true) return [stream, account];
      const user = { user: loginOf(stream), password, publish: [apiOf(stream)], subscribe: [`${inbox}.>`] };
      return [stream, { ...account, users: [...account.users, user] }];
    }),
  );

/** Makes the leader of a stream step down, so that the servers elect one. Throws if it has no leader. */
export const electLeader = async (cluster: ConfiguredNatsCluster, stream: string): Promise<void> => {
  const errors: unknown[] = [];
  for (const name of cluster.names) {
    try {
      return await stepDown(new URL(cluster.urlOf(name)), stream);
    } catch (error) {
      errors.push(error);
    }
  }
  throw new AggregateError(errors, `${stream} elects no leader: ${errors.map(String).join('; ')}`);
};

/** One request in the protocol of NATS, since no library connects with such a login. */
const stepDown = async ({ hostname, port }: URL, stream: string): Promise<void> => {
  const socket = connect(Number(port), hostname);
  const ended = AbortSignal.timeout(answerMsMax);
  try {
    await once(socket, 'connect', { signal: ended });
    const login = JSON.stringify({ verbose: false, user: loginOf(stream), pass: password });
    const reply = `${inbox}.${randomUUID()}`;
    socket.write(`CONNECT ${login}\r\nSUB ${reply} 1\r\nPUB ${apiOf(stream)} ${reply} 0\r\n\r\n`);
    let text = '';
    while (!/^MSG .*\r\n\{.*\}\r\n/ms.test(text)) {
      const [bytes] = (await once(socket, 'data', { signal: ended })) as [Buffer];
      text += bytes.toString();
      if (text.includes('-ERR')) throw new Error(text);
    }
    if (!text.includes('"success":true')) throw new Error(text);
  } finally {
    socket.destroy();
  }
};
