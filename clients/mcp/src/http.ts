import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpRequestContext,
} from '@modelcontextprotocol/server';
import { almanacServer } from './server.js';
import { type Settings, SettingsError } from './settings.js';

export interface RunningHttp {
  /** The endpoint. */
  readonly url: string;
  stop(): Promise<void>;
}

const path = '/mcp';
/** Arguments of a tool have a few hundred bytes, or 100 tickers. */
const bodyBytesMax = 256 * 1_024;
/** Of a client that sends its request slowly. */
const slowest = { headersMs: 10_000, requestMs: 30_000 };
/** Calls end within 50 seconds. */
const stopMs = 55_000;

type HttpSettings = Pick<Settings, 'baseUrl' | 'asOf' | 'host' | 'port' | 'allowedHosts' | 'allowedOrigins'>;

/**
 * Serves MCP over Streamable HTTP. Nothing is stored between two requests: each one has the key of its caller, and a
 * server of its own.
 */
export const serveHttp = async (
  settings: HttpSettings,
  log: (line: string) => void,
  { headersMs, requestMs } = slowest,
): Promise<RunningHttp> => {
  const { baseUrl, asOf } = settings;
  const onerror = (error: Error): void => log(`almanac-mcp: ${error.message}`);
  const handler = createMcpHandler(
    ({ authInfo }: McpRequestContext) => almanacServer({ baseUrl, asOf, apiKey: authInfo?.token ?? '', log }),
    // The list of tools never changes, so nobody needs to wait for changes.
    { onerror, maxRequestBodySize: bodyBytesMax, maxSubscriptions: 0 },
  );
  const answer = toNodeHandler(handler, { onerror, maxRequestBodySize: bodyBytesMax });
  const isAllowed = guardOf(settings);
  const times = { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: 1_000 };
  const server = createServer(times, (request, response) => {
    if (!hasOneHost(request)) return refuse(response, 400, 'Send one Host header.');
    // A page that a browser shows must not reach a server of this machine through a name of its own (DNS rebinding).
    if (!isAllowed(request, response)) return;
    if (answersPreflight(request, response)) return;
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== path) {
      return refuse(response, 404, `The endpoint is POST ${path}.`);
    }
    const token = keyOf(request);
    if (token === undefined) {
      response.setHeader('WWW-Authenticate', 'Bearer');
      return refuse(response, 401, 'Send your API key: Authorization: Bearer <key>.');
    }
    // The API verifies the key with each call.
    const auth = { token, clientId: 'api-key', scopes: [] };
    const { method = 'GET', url = '/' } = request;
    void answer(Object.assign(request, { auth, method, url }), response);
  });
  await listen(server, settings);
  const { port } = server.address() as AddressInfo;
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  return { url: `http://${host}:${port}${path}`, stop: () => stop(server, () => handler.close()) };
};

type Guard = (request: IncomingMessage, response: ServerResponse) => boolean;

const guardOf = ({ allowedHosts, allowedOrigins }: HttpSettings): Guard => {
  const hosts = hostHeaderValidation([...localhostAllowedHostnames(), ...allowedHosts]);
  const origins = originValidation([...localhostAllowedOrigins(), ...allowedOrigins]);
  return (request, response) => hosts(request, response) && origins(request, response);
};

/** Node reads the first of two, and a proxy before it may have checked the other. */
const hasOneHost = ({ headersDistinct }: IncomingMessage): boolean => headersDistinct['host']?.length === 1;

/** Lets a page of an allowed host read the answers. Returns true after it answered the preflight of a browser. */
const answersPreflight = ({ headers, method }: IncomingMessage, response: ServerResponse): boolean => {
  if (headers.origin === undefined) return false;
  response.setHeader('Access-Control-Allow-Origin', headers.origin);
  response.setHeader('Vary', 'Origin');
  if (method !== 'OPTIONS') return false;
  response.setHeader('Access-Control-Allow-Methods', 'POST');
  response.setHeader('Access-Control-Allow-Headers', headers['access-control-request-headers'] ?? '');
  response.writeHead(204).end();
  return true;
};

const keyOf = ({ headers }: IncomingMessage): string | undefined =>
  /^bearer +([\x21-\x7e]+) *$/i.exec(headers.authorization ?? '')?.[1];

/** In the shape of the protocol, which its clients show. */
const refuse = (response: ServerResponse, status: number, message: string): void => {
  const error = { code: -32_000, message };
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
};

const listen = (server: Server, { port, host }: HttpSettings): Promise<void> =>
  new Promise((resolve, reject) => {
    const refuseStart = (cause: Error): void =>
      reject(new SettingsError(`Cannot listen on port ${port} of ${host}: ${cause.message}.`, { cause }));
    server.once('error', refuseStart);
    server.listen(port, host, () => {
      server.off('error', refuseStart);
      resolve();
    });
  });

/** New requests are refused, and running ones are answered. */
const stop = async (server: Server, close: () => Promise<void>): Promise<void> => {
  const timer = setTimeout(() => server.closeAllConnections(), stopMs);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await closed.finally(() => clearTimeout(timer));
  await close();
};
