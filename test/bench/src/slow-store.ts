import { createServer } from 'node:http';
import { z } from 'zod';
import { answerParent } from './worker.js';

/** Stands where ClickHouse would: any query is answered with the same rows after the same time, however many ask. */
const answerMs = 200;
const answerBytes = 1_024;

/** Some rows as ClickHouse writes them for snapshots, and the figures around them. */
const rowsAnswer = (): Buffer => {
  const row = (at: number): string =>
    `{"ts":${1_772_366_400 + at},"venue_ts":null,"seq":${at},"yes_best_bid":0.51,"yes_best_ask":0.52,"coin_price":65000.5}`;
  const count = 9;
  const rows = Array.from({ length: count }, (_, at) => row(at)).join(',');
  const around = `${count}[]\n${count}\n`.length;
  return Buffer.from(`${count}[${rows}${' '.repeat(answerBytes - around - rows.length)}]\n${count}\n`);
};

const start = async (): Promise<number> => {
  const answer = rowsAnswer();
  const server = createServer((request, response) => {
    request.resume();
    // Its health is asked for by GET.
    if (request.method === 'GET') response.end('1\n');
    else setTimeout(() => response.end(answer), answerMs);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return z.object({ port: z.int() }).parse(server.address()).port;
};

answerParent(async () => ({ port: await start() }));
