import { crc32 } from 'node:zlib';
import type { z } from 'zod';
import { type Answer, openClient } from './load-client.js';
import { loadJob } from './load-job.js';
import { answerParent } from './worker.js';

type Job = z.output<typeof loadJob>;

const rowsStart = '[{"ts":';
const rowsEnd = '}]';

/** The array of rows in an answer, whatever stands around it. */
const rowsIn = (body: Buffer): Buffer => {
  const start = body.indexOf(rowsStart);
  const end = body.lastIndexOf(rowsEnd);
  if (start < 0 || end < start) throw new Error(`an answer without rows: ${body.toString('utf8', 0, 300)}`);
  return body.subarray(start, end + rowsEnd.length);
};

/** Of long equal answers one in so many is read whole, of the others the length: reading costs as much as sending. */
const wholeEvery = 16;

const checksumOf = ({ index, body }: Answer, check: Job['check']): number => {
  if (check.kind === 'rows') return crc32(rowsIn(Buffer.concat(body)), index);
  if (check.kind === 'text') {
    const text = Buffer.concat(body);
    if (text.includes(check.text)) return 0;
    throw new Error(`an answer without ${check.text}: ${text.toString('utf8', 0, 300)}`);
  }
  if (index % wholeEvery === 0) return crc32(Buffer.concat(body), index);
  return index + body.reduce((sum, part) => sum + part.length, 0);
};

/** Sends `count` requests with so many clients; answers the seconds and a checksum of what came back. */
const run = async ({ port, requests, count, clients, check }: Job) => {
  let sent = 0;
  let digest = 0;
  const next = () => {
    if (sent >= count) return undefined;
    const index = sent;
    sent += 1;
    const bytes = requests[index % requests.length];
    return bytes === undefined ? undefined : { index, bytes };
  };
  const onAnswer = (answer: Answer): void => {
    if (answer.status !== 200) {
      const text = Buffer.concat(answer.body).toString('utf8', 0, 300);
      throw new Error(`${requests[answer.index % requests.length]?.split('\r\n')[0]} got ${answer.status}: ${text}`);
    }
    digest = (digest + checksumOf(answer, check)) % 2 ** 32;
  };
  const open = await Promise.all(Array.from({ length: clients }, () => openClient({ port, next, onAnswer })));
  const startedAt = performance.now();
  await Promise.all(open.map((client) => client.run()));
  return { seconds: (performance.now() - startedAt) / 1_000, digest };
};

answerParent((question) => run(loadJob.parse(question)));
