import { crc32 } from 'node:zlib';
import { type Answer, openConnection } from './load-client.js';
import { type Check, loadJob, type RateJob, type TimesJob } from './load-job.js';
import { answerParent } from './worker.js';

const rowsStarts = ['[{"ts":', '[{"ticker":'];
const rowsEnd = '}]';

/** The array of rows in an answer, without the text around it. */
const rowsIn = (body: Buffer): Buffer => {
  const start = Math.max(...rowsStarts.map((text) => body.indexOf(text)));
  const end = body.lastIndexOf(rowsEnd);
  if (start < 0 || end < start) throw new Error(`an answer without rows: ${body.toString('utf8', 0, 300)}`);
  return body.subarray(start, end + rowsEnd.length);
};

/**
 * Of long equal answers one in this many is read completely, and of the others only the length: reading costs as much
 * as sending.
 */
const checksumEvery = 16;

const checksumOf = ({ status, body }: Answer, { index, request, check }: Sent): number => {
  if (status !== 200) {
    const text = Buffer.concat(body).toString('utf8', 0, 300);
    throw new Error(`${request.split('\r\n')[0]} got ${status}: ${text}`);
  }
  if (check.kind === 'rows') return crc32(rowsIn(Buffer.concat(body)), index);
  if (check.kind === 'text') {
    // Usually the first chunk contains it, and no other is searched.
    if (body[0]?.includes(check.text) || Buffer.concat(body).includes(check.text)) return 0;
    throw new Error(`an answer without ${check.text}: ${Buffer.concat(body).toString('utf8', 0, 300)}`);
  }
  if (index % checksumEvery === 0) return crc32(Buffer.concat(body), index);
  return index + body.reduce((sum, part) => sum + part.length, 0);
};

interface Sent {
  readonly index: number;
  readonly request: string;
  readonly check: Check;
}

/** Sends `count` requests with this many clients. Returns the seconds and a checksum of the answers. */
const measureRate = async ({ port, requests, count, clients, check }: RateJob) => {
  let sent = 0;
  let digest = 0;
  const next = (): Sent | undefined => {
    if (sent >= count) return undefined;
    const index = sent;
    sent += 1;
    const request = requests[index % requests.length];
    return request === undefined ? undefined : { index, request, check };
  };
  /** Sends a request, waits for the complete answer, and repeats. */
  const openClient = async () => {
    let last: Sent | undefined;
    const done = Promise.withResolvers<undefined>();
    const connection = await openConnection(port, (answer) => {
      if (last !== undefined) digest = (digest + checksumOf(answer, last)) % 2 ** 32;
      goOn();
    });
    const goOn = (): void => {
      last = next();
      if (last !== undefined) return connection.send(last.request);
      done.resolve(undefined);
      connection.end();
    };
    return () => {
      goOn();
      return Promise.race([done.promise, connection.broken]);
    };
  };
  const start = await Promise.all(Array.from({ length: clients }, openClient));
  const startedAt = performance.now();
  await Promise.all(start.map((run) => run()));
  return { seconds: (performance.now() - startedAt) / 1_000, digest };
};

/** A connection that measures the time of one request after the other. */
const openStopwatch = async (port: number) => {
  let onAnswer: (answer: Answer) => void = () => undefined;
  const connection = await openConnection(port, (answer) => onAnswer(answer));
  return {
    end: () => connection.end(),
    /** Milliseconds. */
    time: async (request: string, check: Check): Promise<number> => {
      const answered = Promise.withResolvers<number>();
      const startedAt = performance.now();
      onAnswer = (answer) => {
        const ms = performance.now() - startedAt;
        checksumOf(answer, { index: 0, request, check });
        answered.resolve(ms);
      };
      connection.send(request);
      return Promise.race([answered.promise, connection.broken]);
    },
  };
};

const measureTimes = async ({ ours, reference }: TimesJob) => {
  const [own, other] = [await openStopwatch(ours.port), await openStopwatch(reference.port)];
  const times = { ours: [] as number[], reference: [] as number[] };
  for (const request of ours.requests) {
    times.reference.push(await other.time(reference.request, reference.check));
    times.ours.push(await own.time(request, ours.check));
  }
  own.end();
  other.end();
  return times;
};

answerParent((workerMessage) => {
  const job = loadJob.parse(workerMessage);
  return job.kind === 'rate' ? measureRate(job) : measureTimes(job);
});
