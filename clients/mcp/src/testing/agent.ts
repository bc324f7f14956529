import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { almanacServer } from '../server.js';

export interface Reply {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export const reply = (response: ServerResponse, { status, body, headers }: Reply): void => {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
};

/** The client tries again a second later, which is after the retry of a request that timed out. */
export const busyReply: Reply = {
  status: 503,
  body: { code: 'unavailable', detail: 'Away.', request_id: 'r' },
  headers: { 'Retry-After': '1' },
};

export interface StubApi {
  readonly url: string;
  /** The requests so far, such as `GET /api/v1/search`. */
  readonly calls: readonly string[];
  close(): Promise<void>;
}

/** An API with answers that the generated archive does not have. */
export const stubApi = async (
  answer: (call: string, response: ServerResponse, headers: IncomingHttpHeaders, body: string) => void,
): Promise<StubApi> => {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    const call = `${request.method} ${request.url}`;
    calls.push(call);
    const answered = textOf(request).then((body) => answer(call, response, request.headers, body));
    answered.catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, close };
};

/** The client of an agent, at a server in this process. */
export const connectAgent = async (baseUrl: string, asOf?: number): Promise<Client> => {
  const server = almanacServer({ baseUrl, apiKey: 'ak', asOf, log: () => undefined });
  const [serverSide, clientSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(clientSide);
  return client;
};

type Arguments = Readonly<Record<string, unknown>>;

/** The data of a successful call. */
export const dataOf = async (agent: Client, name: string, args: Arguments): Promise<Record<string, unknown>> => {
  const { isError, structuredContent, content } = await agent.callTool({ name, arguments: args });
  assert.ok(isError !== true && structuredContent !== undefined, JSON.stringify(content));
  return z.record(z.string(), z.unknown()).parse(structuredContent);
};

const toolError = z.looseObject({ code: z.string(), detail: z.string(), remedy: z.string() });

/** The error that an agent reads. */
export const errorOf = async (agent: Client, name: string, args: Arguments): Promise<z.output<typeof toolError>> => {
  const { isError, content } = await agent.callTool({ name, arguments: args });
  assert.equal(isError, true);
  const [{ text }] = z.tuple([z.looseObject({ text: z.string() })]).parse(content);
  return toolError.parse(JSON.parse(text));
};
