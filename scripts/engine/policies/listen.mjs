// listen.mjs PORT …: accepts connections on these ports, and answers datagrams on them.
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

for (const port of process.argv.slice(2).map(Number)) {
  createServer((socket) => socket.end()).listen(port, '0.0.0.0');
  const socket = createSocket('udp4');
  socket.on('message', (_, { port: to, address }) => socket.send('answer', to, address));
  socket.bind(port);
}
process.once('SIGTERM', () => process.exit(0));
