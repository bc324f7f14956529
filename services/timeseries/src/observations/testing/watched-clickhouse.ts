import type { ClickHouse } from '@almanac/clickhouse';

/** ClickHouse of a process that dies or fails. `onStatement` throws for a statement that does. */
export const watched = (clickhouse: ClickHouse, onStatement: (sql: string) => void): ClickHouse => {
  const { client } = clickhouse;
  const exec: typeof client.exec = (call) => {
    onStatement(call.query);
    return client.exec(call);
  };
  return { ...clickhouse, client: Object.assign(Object.create(client) as typeof client, { exec }) };
};
