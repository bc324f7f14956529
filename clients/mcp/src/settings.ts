import { parseArgs } from 'node:util';
import { isoSeconds } from '@almanac/client';
import { z } from 'zod';

/** What whoever runs the server decides. */
export interface Settings {
  readonly transport: 'stdio' | 'http';
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly asOf: number | undefined;
  readonly host: string;
  readonly port: number;
  /** Names in the Host and Origin headers that are allowed, besides those of this machine. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

/** A mistake of whoever starts the server. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

export const usage = `Usage: almanac-mcp [--http] [--host HOST] [--port PORT]

Serves the Almanac API to agents over MCP: on standard input and output, or with --http on POST /mcp.

  --http       Streamable HTTP without sessions. Each request has its own key: Authorization: Bearer KEY
  --host HOST  address to listen on (127.0.0.1)
  --port PORT  port to listen on (8090)

  ALMANAC_BASE_URL     address of the API, such as http://127.0.0.1:8080
  ALMANAC_API_KEY      API key. With --http, it is not used
  ALMANAC_AS_OF        answers as the archive was known at this time, in Unix seconds or as a date
  MCP_ALLOWED_HOSTS    further names of this server in the Host header, separated by commas
  MCP_ALLOWED_ORIGINS  further hosts of web pages that may call it, separated by commas`;

type Environment = Readonly<Record<string, string | undefined>>;

const options = {
  http: { type: 'boolean', default: false },
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '8090' },
  help: { type: 'boolean', default: false },
} as const;

/** Undefined if only the help is requested. */
export const settingsOf = (args: readonly string[], environment: Environment): Settings | undefined => {
  const { values } = parsed(args);
  if (values.help) return undefined;
  return {
    transport: values.http ? 'http' : 'stdio',
    baseUrl: environment['ALMANAC_BASE_URL'],
    apiKey: environment['ALMANAC_API_KEY'],
    asOf: asOfOf(environment['ALMANAC_AS_OF']),
    host: values.host,
    port: portOf(values.port),
    allowedHosts: namesIn(environment['MCP_ALLOWED_HOSTS']),
    allowedOrigins: namesIn(environment['MCP_ALLOWED_ORIGINS']),
  };
};

const parsed = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options });
  } catch (error) {
    throw new SettingsError(error instanceof Error ? error.message : String(error), { cause: error });
  }
};

const portOf = (text: string): number => {
  const port = z.coerce
    .number()
    .pipe(z.int().min(0).max(65_535))
    .safeParse(text === '' ? undefined : text);
  if (port.success) return port.data;
  throw new SettingsError(`--port is ${text}, and not a number up to 65535.`);
};

const namesIn = (text = ''): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** A typing error must not start a server without the fence that its owner wanted. */
const asOfOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  const seconds = /^\d+(\.\d{1,6})?$/.test(trimmed) ? Number(trimmed) : (isoSeconds(trimmed) ?? Number.NaN);
  if (seconds >= 0 && seconds <= Date.now() / 1_000) return seconds;
  const hint = seconds > 1e11 ? 'It looks like milliseconds. ' : '';
  throw new SettingsError(
    `ALMANAC_AS_OF is "${text}". ${hint}Set a time that has passed, in Unix seconds or as a date such as 2026-11-20T00:00:00Z.`,
  );
};
