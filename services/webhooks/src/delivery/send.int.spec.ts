import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { webhookSecrets } from '../webhooks/secrets.js';
import { startReceiver, type Receiver } from '../testing/receiver.js';
import { webhookTo } from '../testing/webhook-to.js';
import { addresses, networksOf } from '../webhooks/addresses.js';
import { sender } from './send.js';

const secrets = webhookSecrets('a secret of at least 32 characters');
const never = new AbortController().signal;
const message = { id: 'msg_1', body: '{}' };
describe('an attempt to deliver', () => {
  let receiver: Receiver;
  before(async () => (receiver = await startReceiver()));
  after(() => receiver.stop());

  it('reaches no address of this machine when a name changes its address after the webhook was created', async () => {
    const answers = ['8.8.8.8', '127.0.0.1'];
    const resolve = (_: string, answer: (error: null, found: LookupAddress[]) => void): void =>
      answer(null, [{ address: answers.pop() ?? '', family: 4 }]);
    const guarded = addresses([], resolve);
    const url = 'https://rebinding.example/';
    assert.ok(guarded.urlOf(url));
    const sending = sender({ addresses: guarded, secrets, timeoutMs: 5_000 });
    const { status, error } = await sending.send(webhookTo(url), message, never);
    assert.deepEqual(
      [status, error],
      [null, 'The address is not public. The operator can allow a network with WEBHOOK_ALLOWED_NETWORKS.'],
    );
    assert.deepEqual(answers, ['8.8.8.8'], 'it was resolved once');
    assert.equal(receiver.received.length, 0);
    sending.close();
  });

  it('ends with an answer that is too long, and after its deadline', async () => {
    let stalls = false;
    const endless = createServer((_request, response) => {
      response.writeHead(200);
      if (stalls) return void response.write('x');
      const write = (): void => {
        if (!response.destroyed) response.write('x'.repeat(65_536), write);
      };
      write();
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    const webhook = webhookTo(`http://127.0.0.1:${(endless.address() as AddressInfo).port}/`);
    const sending = sender({ addresses: addresses(networksOf('127.0.0.0/8')), secrets, timeoutMs: 1_000 });
    assert.equal((await sending.send(webhook, message, never)).error, null);
    stalls = true;
    assert.equal((await sending.send(webhook, message, never)).error, 'No answer within 1 s.');
    sending.close();
    endless.closeAllConnections();
    endless.close();
  });

  it('does not tell a closed port from one that does not answer', async () => {
    const sending = sender({ addresses: addresses(networksOf('127.0.0.0/8')), secrets, timeoutMs: 5_000 });
    const { error } = await sending.send(webhookTo('http://127.0.0.1:1/'), message, never);
    assert.equal(error, 'No connection.');
    sending.close();
  });
});
