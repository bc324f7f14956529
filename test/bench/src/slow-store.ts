import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { answerParent } from './worker.js';

/**
 * A fake ClickHouse: it answers every snapshots query with the same rows after the same delay, whatever the load. It
 * refuses other queries, such as a health check of schema and disks, like a user without the permission.
 */
const answerMs = 200;
const answerBytes = 1_024;

/** Rows as ClickHouse writes them for snapshots, with their figures. */
const rowsAnswer = (): Buffer => {
  const count = 9;
  const prices = '"yes_best_bid":0.51,"yes_best_ask":0.52,"coin_price":65000.5';
  const rows = Array.from(
    { length: count },
    (_, at) => `{"ts":${1_772_366_400 + at},"venue_ts":null,"seq":${at},${prices}}`,
  );
  const around = `${count}[]\n${count}\n`.length;
  return Buffer.from(`${count}[${rows.join(',').padEnd(answerBytes - around)}]\n${count}\n`);
};

const snapshotsTable = 'FROM snapshots';
/** ACCESS_DENIED. */
const refusalCode = '497';

const answerQuery = async (request: IncomingMessage, response: ServerResponse, answer: Buffer): Promise<void> => {
  if ((await text(request)).includes(snapshotsTable)) {
    await delay(answerMs);
    response.end(answer);
    return;
  }
  response.writeHead(403, { 'X-ClickHouse-Exception-Code': refusalCode });
  response.end(`Code: ${refusalCode}. DB::Exception: Not enough privileges. (ACCESS_DENIED)\n`);
};

const start = async (): Promise<number> => {
  const answer = rowsAnswer();
  const server = createServer((request, response) => {
    // A ping is a GET request.
    if (request.method === 'GET') response.end('1\n');
    else
      answerQuery(request, response, answer).catch((error: unknown) => {
        response.destroy(error instanceof Error ? error : new Error(String(error)));
      });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return z.object({ port: z.int() }).parse(server.address()).port;
};

answerParent(async () => ({ port: await start() }));
