import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
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

  const headed = (head: string, rest: string) => ({ head: `HTTP/1.1 ${head}\r\n\r\n`, rest });
  const endlessAnswers = {
    'informational answers': headed('103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1_000)),
    'extensions of chunks': headed('200 OK\r\ntransfer-encoding: chunked', `1;${'x'.repeat(8_000)}\r\nx\r\n`),
  };
  for (const [kind, { head, rest }] of Object.entries(endlessAnswers)) {
    it(`reads little of an answer with endless ${kind}`, async () => {
      let sent = 0;
      const endless = createTcpServer((socket) => {
        const write = (): void => {
          sent = socket.bytesWritten;
          if (socket.writable) socket.write(rest, write);
        };
        socket.on('error', () => undefined).once('data', () => socket.write(head, write));
      });
      await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
      const sending = sender({ addresses: addresses(networksOf('127.0.0.0/8')), secrets, timeoutMs: 15_000 });
      const { port } = endless.address() as AddressInfo;
      const { error } = await sending.send(webhookTo(`http://127.0.0.1:${port}/`), message, never);
      assert.notEqual(error, 'No answer within 15 s.');
      // What the buffers of the system hold is sent, too.
      assert.ok(sent < 33_554_432, `${sent} bytes`);
      sending.close();
      await new Promise((resolve) => endless.close(resolve));
    });
  }

  it('does not tell a closed port from one that does not answer', async () => {
    const sending = sender({ addresses: addresses(networksOf('127.0.0.0/8')), secrets, timeoutMs: 5_000 });
    const { error } = await sending.send(webhookTo('http://127.0.0.1:1/'), message, never);
    assert.equal(error, 'No connection.');
    sending.close();
  });
});
