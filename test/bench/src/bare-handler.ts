import { type Bus, connectBus } from '@almanac/bus';
import { bytes, type ClickHouse, connectClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { bareSubjects } from './bare-subjects.js';
import { snapshotQuery } from './snapshot-query.js';
import { answerParent } from './worker.js';

const question = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    natsUrl: z.string(),
    clickhouse: z.object({ url: z.string(), username: z.string(), password: z.string() }),
  }),
  z.object({ kind: z.literal('details'), details: z.map(z.string(), z.instanceof(Uint8Array)) }),
]);

/** A question as the bare edge sends it: what stood in the address. */
interface Asked {
  readonly ticker: string;
  readonly start_ts: string;
  readonly end_ts: string;
  readonly step_ms: string;
  readonly limit: string;
}

/** The bare pipe checks nothing: that is what it is for. */
const parsed = (bytesAsked: Uint8Array): Asked => JSON.parse(Buffer.from(bytesAsked).toString('utf8')) as Asked;

const details = new Map<string, Uint8Array>();

/** Hands on the bytes that ClickHouse wrote. A callback, as an iterator of messages costs more. */
const serveSnapshots = (nc: Bus['nc'], clickhouse: ClickHouse): void => {
  nc.subscribe(bareSubjects.snapshots, {
    callback: (_error, message) => {
      const ask = parsed(message.data);
      const query = snapshotQuery({
        ticker: ask.ticker,
        startTs: Number(ask.start_ts),
        endTs: Number(ask.end_ts),
        stepMs: Number(ask.step_ms),
        limit: Number(ask.limit),
      });
      void bytes(clickhouse, query).then((rows) => message.respond(rows));
    },
  });
};

/** An echo that is as long as the real answer: its bytes lie ready by ticker. */
const serveDetails = (nc: Bus['nc']): void => {
  nc.subscribe(bareSubjects.detail, {
    callback: (_error, message) => void message.respond(details.get(parsed(message.data).ticker)),
  });
};

answerParent(async (input) => {
  const order = question.parse(input);
  if (order.kind === 'details') {
    for (const [ticker, detail] of order.details) details.set(ticker, detail);
    return {};
  }
  const { nc } = await connectBus({ url: order.natsUrl, user: 'bare' });
  serveSnapshots(nc, connectClickHouse(order.clickhouse));
  serveDetails(nc);
  await nc.flush();
  return {};
});
