// A program of names.full.spec.ts. It runs in a network of its own, whose only resolver is the DNS server below, and
// prints how many attempts at names without an answer had ended when another account's delivery arrived.
import { sender } from '../delivery/send.js';
import { addresses, networksOf } from '../webhooks/addresses.js';
import { webhookSecrets } from '../webhooks/secrets.js';
import { startDnsServer } from './dns-server.js';
import { startReceiver } from './receiver.js';
import { webhookTo } from './webhook-to.js';

const dns = await startDnsServer();
dns.answers.set('quick.example', [['127.0.0.1']]);
const receiver = await startReceiver();
const secrets = webhookSecrets('a secret of at least 32 characters');
const sending = sender({ addresses: addresses(networksOf('127.0.0.0/8')), secrets, timeoutMs: 15_000 });
const message = { id: 'msg_1', body: '{}' };
const leave = new AbortController();

let ended = 0;
const slow = Array.from({ length: 16 }, async (_, number) => {
  await sending.send(webhookTo(`http://name${number}.silent/`), message, leave.signal).catch(() => undefined);
  ended += 1;
});
// The resolver has begun with as many of them as it does at once.
while (dns.queries.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
const { port } = new URL(receiver.url);
const { status, error, ms } = await sending.send(webhookTo(`http://quick.example:${port}/`), message, leave.signal);
process.stdout.write(JSON.stringify({ status, error, ms, ended }));
leave.abort();
await Promise.all(slow);
sending.close();
dns.stop();
await receiver.stop();
// A look-up of the system cannot be cancelled.
process.exit();
