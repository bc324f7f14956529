import { streams, type UserName } from '@almanac/contracts';
import { deadLetterStream, personalBucket, personalStream, subjects, webhookStream } from '../names.js';
import { permissionsOf } from '../rights/permissions.js';
import { expectedTopology } from '../rights/rights.js';
import { webhookPrefix } from '../webhook-subjects.js';
import { accessByUser } from './access-by-user.js';

/** A request with a reply subject that is not the sender's. */
export interface Attack {
  readonly subject: string;
  readonly body: string;
  readonly reply: string;
}

/** A subject that the stream stores, with the attacker and the way of the attack as its last parts. */
export const victimOf = (stream: string, attacker: string, way: string): string => {
  const last = `victim.${attacker}.${way}`;
  if (stream === deadLetterStream) return `dead.${last.replaceAll('.', '-')}`;
  if (stream === personalStream) return `$KV.${personalBucket}.${last}`;
  if (stream === webhookStream) return `${webhookPrefix}.${last}`;
  const token = Object.entries(streams).find(([known]) => known === stream)?.[1];
  if (token === undefined) throw new Error(`no subject is known of ${stream}`);
  return `evt.${token}.${last}`;
};

/** Whether the user may write into the stream by its own rights. */
export const mayWrite = (user: UserName, stream: string): boolean => {
  const { appends, reads, follows, consumes } = accessByUser[user];
  if (stream === deadLetterStream) return reads.length + follows.length + consumes.length > 0;
  if (stream === personalStream) return user === 'commerce';
  if (stream === webhookStream) return user === 'webhooks';
  return appends.some(([own]) => own === stream);
};

/** Every request that the user may send, with the subjects of all streams and an RPC call as reply subjects. */
export const attacksOf = (user: UserName, attacker: string = user): Attack[] =>
  attacksWith(permissionsOf(user).publish, attacker);

/** The same for any subjects that a login may publish. Several attackers may attack one server. */
export const attacksWith = (publish: readonly string[], attacker: string): Attack[] => {
  const requests = publish.map((pattern) => pattern.replaceAll('*', forgedBy(attacker)).replace(/>$/, 'seed'));
  return [...expectedTopology.streams, 'rpc'].flatMap((stream) =>
    requests.flatMap((subject) => attacksBy(attacker, subject, stream)),
  );
};

/** A name of consumers. */
const forgedBy = (attacker: string): string => `forged-${attacker}`;

const attacksBy = (attacker: string, request: string, stream: string): Attack[] => {
  const replyOf = (way: string): string =>
    stream === 'rpc' ? subjects.rpc({ service: 'keys', method: 'create' }) : victimOf(stream, attacker, way);
  return bodiesOf(request, { attacker, replyOf }).map(({ way, body, subject = request }) => ({
    subject,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    reply: replyOf(way),
  }));
};

interface Attacking {
  readonly attacker: string;
  readonly replyOf: (way: string) => string;
}

interface Request {
  readonly way: string;
  readonly body: string | object;
  readonly subject?: string;
}

/** The bodies that the server answers for a request, or that make it send somewhere else. */
const bodiesOf = (request: string, attacking: Attacking): Request[] => {
  const { replyOf } = attacking;
  const tokens = request.split('.');
  const named = (name: string): boolean => request.startsWith(`$JS.API.${name}`);
  const others: readonly string[] = [deadLetterStream, webhookStream];
  const stream = tokens.find((token) => token.startsWith('EVT_') || others.includes(token)) ?? '';
  if (named('STREAM.INFO')) return [{ way: 'info', body: '' }];
  if (named('STREAM.MSG.GET'))
    return [
      { way: 'get', body: { seq: 1 } },
      { way: 'get', body: '' },
    ];
  if (named('DIRECT.GET') && stream === deadLetterStream) return [{ way: 'get', body: '' }];
  if (named('DIRECT.GET')) {
    const token = Object.entries(streams).find(([known]) => known === stream)?.[1] ?? '';
    return [
      { way: 'get', body: '', subject: `$JS.API.DIRECT.GET.${stream}.evt.${token}.seed` },
      { way: 'get', body: '' },
    ];
  }
  if (named('CONSUMER.CREATE') || named('CONSUMER.DURABLE.CREATE')) return consumersOf(request, stream, attacking);
  if (named('CONSUMER.MSG.NEXT')) {
    return [
      { way: 'next', body: { batch: 2, no_wait: true } },
      { way: 'next', body: '' },
      { way: 'next', body: { batch: 1, expires: 20_000_000, idle_heartbeat: 5_000_000 } },
    ];
  }
  if (named('STREAM.CREATE') || named('STREAM.UPDATE')) return settingsOf(stream, replyOf);
  if (named('STREAM.SNAPSHOT')) {
    return [
      { way: 'copy', body: { deliver_subject: replyOf('copy'), no_consumers: true, chunk_size: 1_024 } },
      { way: 'copied', body: { deliver_subject: 'nowhere', no_consumers: true } },
    ];
  }
  if (named('STREAM.RESTORE')) {
    const name = tokens.at(-1);
    return [
      { way: 'restore', body: { config: { name, subjects: [replyOf('restored')] }, state: {} } },
      { way: 'restore', body: '{}' },
    ];
  }
  return [
    { way: 'other', body: '' },
    { way: 'other', body: '{}' },
    { way: 'other', body: '+NXT' },
  ];
};

/** A pull consumer, whose messages `next` then requests, and a push consumer that delivers to the victim. */
const consumersOf = (request: string, stream: string, { attacker, replyOf }: Attacking): Request[] => {
  const legacy = request.includes('DURABLE.CREATE');
  const name = request.split('.')[legacy ? 6 : 5] ?? 'seed';
  const create = (way: string, config: object, subject = request): Request => ({
    way,
    subject,
    body: { stream_name: stream, config: { deliver_policy: 'all', replay_policy: 'instant', ...config } },
  });
  const own = name === 'seed' ? forgedBy(attacker) : name;
  const token = Object.entries(streams).find(([known]) => known === stream)?.[1] ?? '';
  const filter = stream === webhookStream ? `${webhookPrefix}.seed` : `evt.${token}.seed`;
  const subject = legacy ? request : `$JS.API.CONSUMER.CREATE.${stream}.${own}.${filter}`;
  const push = `$JS.API.CONSUMER.CREATE.${stream}.${own}-push.${filter}`;
  const named = legacy ? { durable_name: own } : { name: own, filter_subject: filter };
  return [
    create('create', { ...named, ack_policy: 'explicit' }, subject),
    create('push', { ...named, ack_policy: 'none', deliver_subject: replyOf('push') }, subject),
    create(
      'push',
      {
        name: `${own}-push`,
        filter_subject: filter,
        ack_policy: 'none',
        deliver_subject: replyOf('push'),
        idle_heartbeat: 100_000_000,
        flow_control: true,
      },
      push,
    ),
  ];
};

const subjectsOf = (stream: string, token: string | undefined): string => {
  if (stream === webhookStream) return `${webhookPrefix}.>`;
  return token === undefined ? 'dead.*' : `evt.${token}.>`;
};

/** Settings of a stream that send its messages elsewhere, or take those of others. */
const settingsOf = (stream: string, replyOf: (way: string) => string): Request[] => {
  const token = Object.entries(streams).find(([known]) => known === stream)?.[1];
  const config = {
    name: stream,
    subjects: [subjectsOf(stream, token)],
    retention: 'limits',
    storage: 'file',
    num_replicas: 1,
    allow_direct: true,
  };
  return [
    { way: 'settings', body: config },
    { way: 'settings', body: { ...config, republish: { src: '>', dest: replyOf('republish') } } },
    { way: 'settings', body: { ...config, subjects: [replyOf('subject'), ...config.subjects] } },
    { way: 'settings', body: { ...config, sources: [{ name: 'EVT_KEYS' }, { name: 'EVT_COMMERCE' }] } },
  ];
};
