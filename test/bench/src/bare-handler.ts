import { type Bus, connectBus } from '@almanac/bus';
import { bytes, type ClickHouse, connectClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { bareSubjects } from './bare-subjects.js';
import { snapshotsQuery } from './windows.js';
import { answerParent } from './worker.js';

const workerMessage = z.union([
  z.object({
    natsUrl: z.string(),
    clickhouse: z.object({ url: z.string(), username: z.string(), password: z.string() }),
  }),
  z.object({ answers: z.map(z.string(), z.instanceof(Uint8Array)) }),
]);

/** A query as the bare server sends it: the values from the URL. An echo has a name, snapshots have the rest. */
interface BareQuery {
  readonly name: string;
  readonly ticker: string;
  readonly start_ts: string;
  readonly end_ts: string;
}

/** Deliberately without validation, as the bare server is the baseline. */
const parsed = (queryBytes: Uint8Array): BareQuery => JSON.parse(Buffer.from(queryBytes).toString('utf8')) as BareQuery;

const echoes = new Map<string, Uint8Array>();

/** Passes on the bytes from ClickHouse. It uses a callback, since an iterator of messages costs more. */
const serveSnapshots = (nc: Bus['nc'], clickhouse: ClickHouse): void => {
  nc.subscribe(bareSubjects.snapshots, {
    callback: (_error, message) => {
      const { ticker, start_ts, end_ts } = parsed(message.data);
      const query = snapshotsQuery({ ticker, startTs: Number(start_ts), endTs: Number(end_ts) });
      void bytes(clickhouse, query).then((rows) => message.respond(rows));
    },
  });
};

/** Serves an echo as long as the real answer, from bytes prepared by name. */
const serveEchoes = (nc: Bus['nc']): void => {
  nc.subscribe(bareSubjects.echo, {
    callback: (_error, message) => void message.respond(echoes.get(parsed(message.data).name)),
  });
};

answerParent(async (input) => {
  const order = workerMessage.parse(input);
  if ('answers' in order) {
    for (const [name, answer] of order.answers) echoes.set(name, answer);
    return {};
  }
  const { nc } = await connectBus({ url: order.natsUrl, user: 'bare' });
  serveSnapshots(nc, connectClickHouse(order.clickhouse));
  serveEchoes(nc);
  await nc.flush();
  return {};
});
