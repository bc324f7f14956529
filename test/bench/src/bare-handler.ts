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

const asked = z.object({
  ticker: z.string(),
  start_ts: z.coerce.number(),
  end_ts: z.coerce.number(),
  step_ms: z.coerce.number(),
  limit: z.coerce.number(),
});

const details = new Map<string, Uint8Array>();

/** Hands on the bytes that ClickHouse wrote. */
const serveSnapshots = async (nc: Bus['nc'], clickhouse: ClickHouse): Promise<void> => {
  for await (const message of nc.subscribe(bareSubjects.snapshots)) {
    const ask = asked.parse(message.json());
    const query = snapshotQuery({
      ticker: ask.ticker,
      startTs: ask.start_ts,
      endTs: ask.end_ts,
      stepMs: ask.step_ms,
      limit: ask.limit,
    });
    void bytes(clickhouse, query).then((rows) => message.respond(rows));
  }
};

/** An echo that is as long as the real answer: its bytes lie ready by ticker. */
const serveDetails = async (nc: Bus['nc']): Promise<void> => {
  for await (const message of nc.subscribe(bareSubjects.detail)) {
    const { ticker } = z.object({ ticker: z.string() }).parse(message.json());
    message.respond(details.get(ticker));
  }
};

answerParent(async (input) => {
  const parsed = question.parse(input);
  if (parsed.kind === 'details') {
    for (const [ticker, detail] of parsed.details) details.set(ticker, detail);
    return {};
  }
  const { nc } = await connectBus({ url: parsed.natsUrl, user: 'bare' });
  void serveSnapshots(nc, connectClickHouse(parsed.clickhouse));
  void serveDetails(nc);
  await nc.flush();
  return {};
});
