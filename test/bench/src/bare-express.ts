import { connectBus } from '@almanac/bus';
import express from 'express';
import { z } from 'zod';
import { bareSubjects } from './bare-subjects.js';
import { answerParent } from './worker.js';

/** The minimal HTTP server: express that sends ready bytes, or calls NATS and sends the reply. */
const start = async (natsUrl: string) => {
  const { nc } = await connectBus({ url: natsUrl, user: 'bare' });
  const app = express();
  app.disable('x-powered-by').disable('etag');
  const send = (response: express.Response, bytes: Uint8Array): void => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length });
    response.end(bytes);
  };
  const pipe = (subject: string) => async (request: express.Request, response: express.Response) => {
    const query = JSON.stringify({ ...request.params, ...request.query });
    const answer = await nc.request(subject, query, { timeout: 15_000 });
    send(response, answer.data);
  };
  app.get('/bytes/:name', (request, response) => {
    const bytes = prepared.get(request.params.name);
    if (bytes === undefined) response.status(404).end();
    else send(response, bytes);
  });
  app.get('/snapshots/:ticker', pipe(bareSubjects.snapshots));
  app.get('/echo/:name', pipe(bareSubjects.echo));
  const server = app.listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  return z.object({ port: z.int() }).parse(server.address()).port;
};

const prepared = new Map<string, Buffer>();

const workerMessage = z.union([
  z.object({ natsUrl: z.string() }),
  z.object({ answers: z.map(z.string(), z.instanceof(Uint8Array)) }),
]);

answerParent(async (message) => {
  const parsed = workerMessage.parse(message);
  if ('natsUrl' in parsed) return { port: await start(parsed.natsUrl) };
  for (const [name, bytes] of parsed.answers) prepared.set(name, Buffer.from(bytes));
  return {};
});
