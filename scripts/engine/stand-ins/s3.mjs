#!/usr/bin/env node
// A stand-in for versitygw, as deploy/s3/start.sh starts it: the object store of local/servers on the same port, folder,
// keys and users.
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { s3Listener } from './dist/s3/server.js';

const folder = process.argv[3] ?? '/data';
const port = Number((process.env.VGW_PORT ?? ':7070').replace(':', ''));
const { accessAccounts } = JSON.parse(readFileSync(`${process.env.VGW_IAM_DIR}/users.json`, 'utf8'));
const users = Object.values(accessAccounts).map(({ access, secret }) => ({
  accessKeyId: access,
  secretAccessKey: secret,
}));
const root = { accessKeyId: process.env.ROOT_ACCESS_KEY_ID, secretAccessKey: process.env.ROOT_SECRET_ACCESS_KEY };

mkdirSync(folder, { recursive: true });
// Its first bucket; the others come by requests, as with the true server.
const listener = await s3Listener(folder, 'stand-in', { root, users });
const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 600_000 }, (request, response) => {
  if (request.url === process.env.VGW_HEALTH) response.end();
  else listener(request, response);
});
server.listen({ port, host: '0.0.0.0' }, () => console.log(`STAND-IN for versitygw: answers on port ${port}`));

process.on('SIGTERM', () => {
  server.close(() => process.exit(0));
  server.closeIdleConnections();
});
