import { createServer } from 'node:http';
import { ignoreOutputErrors } from '../ignore-output-errors.js';
import { s3Listener } from './server.js';
import type { S3Credentials } from './signature.js';

// The program that startS3 runs as a child. It gets its settings from the environment, which `ps` does not show.
const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === '') throw new TypeError(`${name} is not set.`);
  return value;
};

ignoreOutputErrors();
const listener = await s3Listener(setting('S3_FOLDER'), setting('S3_BUCKET'), {
  root: { accessKeyId: setting('S3_ACCESS_KEY_ID'), secretAccessKey: setting('S3_SECRET_ACCESS_KEY') },
  // As startS3 wrote it.
  users: JSON.parse(setting('S3_USERS')) as S3Credentials[],
});
const server = createServer(
  // Longer than clients keep a connection idle, so that they never write to one that is closing.
  { keepAliveTimeout: 65_000, requestTimeout: 10 * 60_000 },
  listener,
);
server.listen({ port: Number(setting('S3_PORT')), host: '127.0.0.1' });

process.on('SIGTERM', () => {
  server.close(() => process.exit(0));
  server.closeIdleConnections();
});
