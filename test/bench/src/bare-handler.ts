import { type Bus, connectBus } from '@almanac/bus';
import { bytes, type ClickHouse, connectClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { bareSubjects } from './bare-subjects.js';
import { snapshotQuery } from './snapshot-query.js';
import { answerParent } from './worker.js';

const workerMessage = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    natsUrl: z.string(),
    clickhouse: z.object({ url: z.string(), username: z.string(), password: z.string() }),
  }),
  z.object({ kind: z.literal('echo'), answers: z.map(z.string(), z.instanceof(Uint8Array)) }),
]);

/** A query as the bare server sends it: the values from the URL. */
interface BareQuery {
  /** Only for an echo. */
  readonly name: string;
  /** Only for snapshots, as are the other fields. */
  readonly ticker: string;
  readonly start_ts: string;
  readonly end_ts: string;
  readonly step_ms: string;
  readonly limit: string;
}

/** Deliberately without validation, as the bare server is the baseline. */
const parsed = (queryBytes: Uint8Array): BareQuery => JSON.parse(Buffer.from(queryBytes).toString('utf8')) as BareQuery;

const echoes = new Map<string, Uint8Array>();

/** Passes on the bytes from ClickHouse. It uses a callback, since an iterator of messages costs more. */
const serveSnapshots = (nc: Bus['nc'], clickhouse: ClickHouse): void => {
  nc.subscribe(bareSubjects.snapshots, {
    callback: (_error, message) => {
      const bareQuery = parsed(message.data);
      const query = snapshotQuery({
        ticker: bareQuery.ticker,
        startTs: Number(bareQuery.start_ts),
        endTs: Number(bareQuery.end_ts),
        stepMs: Number(bareQuery.step_ms),
        limit: Number(bareQuery.limit),
      });
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
  if (order.kind === 'echo') {
    for (const [name, answer] of order.answers) echoes.set(name, answer);
    return {};
  }
  const { nc } = await connectBus({ url: order.natsUrl, user: 'bare' });
  serveSnapshots(nc, connectClickHouse(order.clickhouse));
  serveEchoes(nc);
  await nc.flush();
  return {};
});
