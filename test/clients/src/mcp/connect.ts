import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OlderHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { z } from 'zod';

const program = fileURLToPath(import.meta.resolve('@almanac/mcp/main'));

const identity = { name: 'almanac-test', version: '1.0.0' };
const callResult = z.object({
  isError: z.boolean().optional(),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional(), uri: z.string().optional() })),
});
type CallResult = z.output<typeof callResult>;

interface CallExtras {
  readonly signal?: AbortSignal;
  readonly onprogress?: (update: { readonly progress: number }) => void;
}

/** What the tests use of a client, of any version of the SDK. */
export interface Agent {
  tools(): Promise<readonly { readonly name: string }[]>;
  call(name: string, args?: Readonly<Record<string, unknown>>, extras?: CallExtras): Promise<CallResult>;
  /** The data of a successful call. */
  data(name: string, args?: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export type ClientKind = 'handshake' | '2026-07-28' | 'SDK 1';
export const clientKinds: readonly ClientKind[] = ['handshake', '2026-07-28', 'SDK 1'];

type Environment = Readonly<Record<string, string>>;

/** Starts the server as the program of an agent does. */
export const connectStdio = async (variables: Environment, kind: ClientKind = 'handshake'): Promise<Agent> => {
  const env = { PATH: process.env['PATH'] ?? '', ...variables };
  const server = { command: process.execPath, args: ['--enable-source-maps', program], env };
  if (kind === 'SDK 1') {
    const client = new OlderClient(identity);
    await client.connect(new OlderStdio(server));
    return agentOf(client);
  }
  const client = new Client(identity, optionsOf(kind));
  await client.connect(new StdioClientTransport(server));
  return agentOf(client);
};

interface Endpoint {
  readonly url: string;
  /** What it has written to its log. */
  log(): string;
  /** Resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Starts the server on HTTP, as its operator does. */
export const startEndpoint = async (variables: Environment): Promise<Endpoint> => {
  const env = { PATH: process.env['PATH'] ?? '', ...variables };
  const args = ['--enable-source-maps', program, '--http', '--port', '0'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const lines: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    child.once('close', () => reject(new Error(lines.join('\n'))));
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      const listening = /listens on (\S+)$/.exec(line)?.[1];
      if (listening !== undefined) resolve(listening);
    });
  });
  return {
    url,
    log: () => lines.join('\n'),
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = (await exited) as [number | null];
      return code;
    },
  };
};

export const connectHttp = async (url: string, key: string, kind: ClientKind = 'handshake'): Promise<Agent> => {
  const options = { requestInit: { headers: { Authorization: `Bearer ${key}` } } };
  if (kind === 'SDK 1') {
    const client = new OlderClient(identity);
    const transport = new OlderHttp(new URL(url), options);
    await client.connect(transport);
    return agentOf(client);
  }
  const client = new Client(identity, optionsOf(kind));
  await client.connect(new StreamableHTTPClientTransport(new URL(url), options));
  return agentOf(client);
};

const optionsOf = (kind: ClientKind): ClientOptions =>
  kind === '2026-07-28' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {};

const agentOf = (client: Client | OlderClient): Agent => {
  const call: Agent['call'] = async (name, args = {}, extras = {}) => {
    const params = { name, arguments: args };
    const answer =
      client instanceof OlderClient
        ? await client.callTool(params, undefined, extras)
        : await client.callTool(params, extras);
    return callResult.parse(answer);
  };
  return {
    tools: async () => (await client.listTools()).tools,
    call,
    data: async (name, args) => {
      const { isError, structuredContent, content } = await call(name, args);
      if (isError === true || structuredContent === undefined) throw new Error(content[0]?.text ?? 'no text');
      return structuredContent;
    },
    close: () => client.close(),
  };
};

const errorText = z.looseObject({
  code: z.string(),
  detail: z.string(),
  remedy: z.string(),
  request_id: z.string().nullable(),
});

/** The error that an agent reads. */
export const errorOf = ({ isError, content }: CallResult): z.output<typeof errorText> => {
  if (isError !== true) throw new Error('the call succeeded');
  return errorText.parse(JSON.parse(content[0]?.text ?? ''));
};
