import { createServer, type IncomingHttpHeaders } from 'node:http';
import { bytes, type ClickHouse, connectClickHouse, type Query } from '@almanac/clickhouse';
import { z } from 'zod';
import type { BenchHarness } from './harness.js';
import { headerLines, type HttpSide } from './http-side.js';

type Account = BenchHarness['clickhouse'];

/** How our client queries ClickHouse, with its settings: recorded by a server that answers nothing. */
const clickhouseRequests = async (account: Account): Promise<(query: Query) => string> => {
  const seen = Promise.withResolvers<{ url: string; headers: IncomingHttpHeaders }>();
  const server = createServer((request, response) => {
    seen.resolve({ url: request.url ?? '/', headers: request.headers });
    request.resume().once('end', () => response.end());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = z.object({ port: z.int() }).parse(server.address());
  const client: ClickHouse = connectClickHouse({ ...account, url: `http://127.0.0.1:${port}` });
  try {
    await bytes(client, { sql: 'SELECT 1' });
  } finally {
    await client.close();
    server.close();
  }
  const { url, headers } = await seen.promise;
  const { authorization = '' } = headers;
  return ({ sql, params }) => {
    const target = new URL(url, account.url);
    for (const [name, value] of Object.entries(params ?? {})) target.searchParams.set(`param_${name}`, String(value));
    const length = { 'Content-Type': 'text/plain', 'Content-Length': String(Buffer.byteLength(sql)) };
    const lines = headerLines({ Host: '127.0.0.1', Authorization: authorization, ...length });
    return [`POST ${target.pathname}${target.search} HTTP/1.1`, ...lines, '', sql].join('\r\n');
  };
};

/** The same SQL at ClickHouse over HTTP. */
export const clickhouseSide = async (account: Account, queryOf: (index: number) => Query): Promise<HttpSide> => {
  const requestOf = await clickhouseRequests(account);
  return { port: Number(new URL(account.url).port), request: (index) => requestOf(queryOf(index)) };
};
