import { Readable } from 'node:stream';
import type { ClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';

export interface RowsRead {
  /** Rows that the engine read for answers, since the last call. Waits for statements that nobody awaits any more. */
  take(): Promise<number>;
}

type Exec = ClickHouse['client']['exec'];

const counted = z.object({ data: z.array(z.unknown()), statistics: z.object({ rows_read: z.int() }) });

/** A client that counts the rows which the engine reads for each answer. The format JSON states them, JSONEachRow does not. */
export const countedClickHouse = (clickhouse: ClickHouse): { clickhouse: ClickHouse; rowsRead: RowsRead } => {
  let rows = 0;
  const running = new Set<Promise<unknown>>();
  const exec: Exec = (params) => {
    const answer = counting(params);
    const ended = answer.catch(() => undefined).finally(() => running.delete(ended));
    running.add(ended);
    return answer;
  };
  const counting: Exec = async (params) => {
    if (!params.query.endsWith('FORMAT JSONEachRow')) return clickhouse.client.exec(params);
    const query = params.query.replace(/FORMAT JSONEachRow$/, 'FORMAT JSON');
    const { stream, ...answer } = await clickhouse.client.exec({ ...params, query });
    const { data, statistics } = counted.parse(JSON.parse(Buffer.concat(await stream.toArray()).toString()));
    rows += statistics.rows_read;
    return { ...answer, stream: Readable.from([Buffer.from(data.map((row) => JSON.stringify(row)).join('\n'))]) };
  };
  const client = new Proxy(clickhouse.client, {
    get: (target, name): unknown => (name === 'exec' ? exec : Reflect.get(target, name)),
  });
  const take = async (): Promise<number> => {
    while (running.size > 0) await Promise.all(running);
    const taken = rows;
    rows = 0;
    return taken;
  };
  return { clickhouse: { ...clickhouse, client }, rowsRead: { take } };
};
