import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { tcpLink, type TcpLink } from './tcp-link.js';

describe('a link to a server that returns each byte', () => {
  let server: Server;
  let link: TcpLink;
  before(async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.pipe(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    link = await tcpLink();
    link.leadTo((server.address() as AddressInfo).port);
  });
  after(async () => {
    await link.close();
    server.close();
  });

  const open = async (): Promise<Socket> => {
    const socket = connect(link.port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const echo = async (socket: Socket, text: string): Promise<string> => {
    socket.write(text);
    let received = '';
    while (received.length < text.length) received += String((await once(socket, 'data'))[0]);
    return received;
  };

  it('passes bytes on in both directions, and the end of the client', async () => {
    const socket = await open();
    assert.equal(await echo(socket, 'x'.repeat(300_000)), 'x'.repeat(300_000));
    const ended = once(socket, 'end');
    socket.end();
    socket.resume();
    await ended;
  });

  it('resets connections while it is cut, and serves again afterwards', async () => {
    const socket = await open();
    assert.equal(await echo(socket, 'a'), 'a');
    const failed = once(socket, 'error');
    const cut = link.cut(200);
    assert.equal(String(((await failed)[0] as NodeJS.ErrnoException).code), 'ECONNRESET');
    const refused = connect(link.port, '127.0.0.1');
    await once(refused, 'error');
    await cut;
    const next = await open();
    assert.equal(await echo(next, 'b'), 'b');
    next.destroy();
  });

  for (const [name, hinder] of [
    ['stalls', (ms: number) => link.stall(ms)],
    ['is slow', (ms: number) => link.slow(ms, 100)],
  ] as const) {
    it(`keeps connections and loses no byte while it ${name}`, async () => {
      const socket = await open();
      assert.equal(await echo(socket, 'a'), 'a');
      const began = performance.now();
      const hindered = hinder(300);
      assert.equal(await echo(socket, 'later'), 'later');
      assert.ok(performance.now() - began >= 95, `${performance.now() - began} ms`);
      await hindered;
      assert.equal(await echo(socket, 'now'), 'now');
      socket.destroy();
    });
  }
});
