import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { it } from 'node:test';
import { freePort } from './ports.js';

it('a free port accepts a server, and another process does not get it after that server has stopped', async () => {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
  const other = createSocket('udp4').bind({ port, address: '127.0.0.1', exclusive: true });
  const [error] = (await once(other, 'error')) as [NodeJS.ErrnoException];
  assert.equal(error.code, 'EADDRINUSE');
});

it('a port is free again when the process that got it has ended', async () => {
  const module = JSON.stringify(new URL('./ports.js', import.meta.url).href);
  const program = `import(${module}).then(({ freePort }) => freePort()).then((port) => console.log(port))`;
  const port = Number(execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' }));
  const reserved = createSocket('udp4').bind({ port, address: '127.0.0.1', exclusive: true });
  await once(reserved, 'listening');
  reserved.close();
});
