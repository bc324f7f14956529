// A program of names.full.spec.ts. It runs in a network of its own, whose only resolver is the DNS server below, and
// prints what each attack achieved.
import { createServer } from 'node:net';
import { once } from 'node:events';
import { sender } from '../delivery/send.js';
import { addresses, networksOf } from '../webhooks/addresses.js';
import { webhookSecrets } from '../webhooks/secrets.js';
import { startDnsServer, type Answer } from './dns-server.js';
import { webhookTo } from './webhook-to.js';

const privatePart = 'private.example';
const attacks: Readonly<Record<string, readonly Answer[]>> = {
  'public first, then this machine': [['8.8.8.8'], ['127.0.0.1']],
  'public first, then IPv6 of this machine': [['8.8.8.8'], ['::1']],
  'public first, then the metadata service of a cloud': [['8.8.8.8'], ['169.254.169.254']],
  'public first, then both': [['8.8.8.8'], ['8.8.8.8', '127.0.0.1']],
  'public first, then public and IPv6 of this machine': [['8.8.8.8'], ['8.8.8.8', '::1']],
  'public first, then a mapped address': [['8.8.8.8'], ['::ffff:7f00:1']],
  'public first, then an alias of this machine': [['8.8.8.8'], [privatePart]],
  'public twice, then this machine': [['8.8.8.8'], ['8.8.8.8'], ['127.0.0.1']],
};

const dns = await startDnsServer();
dns.answers.set(privatePart, [['127.0.0.1']]);
let connections = 0;
const targets = ['127.0.0.1', '::1'].map((host) =>
  createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(443, host),
);
await Promise.all(targets.map((target) => once(target, 'listening')));

const secrets = webhookSecrets('a secret of at least 32 characters');
const never = new AbortController().signal;
const attack = async (answers: readonly Answer[], networks: string | undefined) => {
  const host = `name${dns.queries.length}.example`;
  dns.answers.set(host, [...answers]);
  connections = 0;
  const guarded = addresses(networks === undefined ? [] : networksOf(networks));
  const sending = sender({ addresses: guarded, secrets, timeoutMs: 5_000 });
  const url = `https://${host}/`;
  const lookups = (): number => dns.queries.filter((name) => name === host).length;
  await guarded.check(url);
  const found: { error: string | null; lookups: number }[] = [];
  for (let attempt = 1; attempt < answers.length; attempt += 1) {
    const before = lookups();
    const { error } = await sending.send(webhookTo(url), { id: 'msg_1', body: '{}' }, never);
    found.push({ error, lookups: lookups() - before });
  }
  sending.close();
  return { attempts: found, connections };
};

const results: Record<string, Awaited<ReturnType<typeof attack>>> = {};
for (const [name, answers] of Object.entries(attacks)) results[name] = await attack(answers, undefined);
results['with an allowed network'] = await attack([['127.0.0.1'], ['127.0.0.1']], '127.0.0.0/8');
process.stdout.write(JSON.stringify(results));
for (const target of targets) target.close();
dns.stop();
