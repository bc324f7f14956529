// connect.mjs PROTOCOL:HOST:PORT …: prints, for each, `open` or the error code of a connection, as JSON.
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';

const timeoutMs = 10_000;

const overTcp = (host, port) =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    socket.once('connect', () => resolve('open'));
    socket.once('error', ({ code }) => resolve(code));
    socket.once('timeout', () => resolve('ETIMEDOUT'));
  });

const overUdp = (host, port) =>
  new Promise((resolve) => {
    const socket = createSocket('udp4');
    const timer = setTimeout(() => resolve('ETIMEDOUT'), timeoutMs);
    socket.once('error', ({ code }) => resolve(code));
    socket.once('message', () => resolve('open'));
    socket.connect(port, host, () => socket.send('question', (error) => error && resolve(error.code)));
    socket.once('close', () => clearTimeout(timer));
  });

const targets = process.argv.slice(2);
const results = await Promise.all(
  targets.map((target) => {
    const [protocol, host, port] = target.split(':');
    return (protocol === 'udp' ? overUdp : overTcp)(host, Number(port));
  }),
);
console.log(JSON.stringify(results));
process.exit(0);
