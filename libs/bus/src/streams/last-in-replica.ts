import type { StoredMsg } from '@nats-io/jetstream';
import type { Msg } from '@nats-io/transport-node';
import type { Bus } from '../bus.js';
import { stateOfConnection } from '../connection/connection-state.js';
import { repeatWhileSilent } from '../connection/repeat-while-silent.js';

/** A replica that is there answers in milliseconds. The next request may reach another one. */
export const replicaSilentMs = 100;
const answerMsMax = 5_000;

/** Status of the answer after the last message, and of the only answer if there is no message. */
const [endOfMessages, noMessage] = [204, 404];

class ReplicaBehindError extends Error {
  override readonly name = 'ReplicaBehindError';
}

export interface LastInReplica {
  /** Of the server, as are the others. */
  readonly server: string;
  readonly subject: string;
  readonly seq: number;
}

/**
 * The last message of a subject in a replica that has everything up to a sequence. Only a request for several subjects says how far
 * its replica was: the messages and this sequence are of one moment. A replica that is behind is asked again, or another one.
 */
export const lastInReplica = (bus: Pick<Bus, 'streams'>, read: LastInReplica): Promise<StoredMessage | null> =>
  repeatWhileSilent(() => readOnce(bus, read), {
    onReconnect: stateOfConnection(bus.streams).onReconnect,
    isTransient: (error) => error instanceof ReplicaBehindError,
    silentMs: replicaSilentMs,
  });

type StoredMessage = Pick<StoredMsg, 'subject' | 'seq' | 'data' | 'time' | 'header' | 'json'>;

const readOnce = async (
  { streams }: Pick<Bus, 'streams'>,
  { server, subject, seq }: LastInReplica,
): Promise<StoredMessage | null> => {
  const answers = await streams.requestMany(
    `$JS.API.DIRECT.GET.${server}`,
    JSON.stringify({ multi_last: [subject] }),
    // The status at the end has no bytes.
    { strategy: 'sentinel', maxWait: answerMsMax },
  );
  let found: StoredMessage | undefined;
  for await (const answer of answers) {
    const code = answer.headers?.code ?? 0;
    if (code === noMessage) return null;
    if (code === 0) found = storedMessage(answer);
    else if (code !== endOfMessages) throw new Error(`${server}: ${code} ${answer.headers?.description ?? ''}`);
    else if (found === undefined) return null;
    else if (numberIn(answer, 'Nats-UpTo-Sequence') >= seq) return found;
    else throw new ReplicaBehindError(`a replica of ${server} does not have ${seq} yet`);
  }
  throw new Error(`no complete answer of a replica of ${server}`);
};

/** NaN without the header, so that nothing is proven. */
const numberIn = ({ headers }: Msg, name: string): number => Number.parseInt(headers?.get(name) ?? '', 10);

const storedMessage = (answer: Msg): StoredMessage => {
  const { data, headers: header } = answer;
  if (header === undefined) throw new Error('a message of a replica has no headers');
  return {
    subject: header.get('Nats-Subject'),
    seq: numberIn(answer, 'Nats-Sequence'),
    time: new Date(header.get('Nats-Time-Stamp')),
    data,
    header,
    json: (reviver) => answer.json(reviver),
  };
};
