#!/usr/bin/env node
import { AlmanacError } from '@almanac/client';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { serveHttp } from './http.js';
import { almanacServer } from './server.js';
import { type Settings, SettingsError, settingsOf, usage } from './settings.js';

/** Standard output belongs to the protocol. */
const log = (line: string): void => void process.stderr.write(`${line}\n`);

const serveOnStdio = (settings: Settings): (() => Promise<void>) => {
  // A key or an address that cannot work must end the start, and not the first call.
  almanacServer({ ...settings, log });
  const handle = serveStdio(() => almanacServer({ ...settings, log }), {
    onerror: (error) => log(`almanac-mcp: ${error.message}`),
  });
  return () => handle.close();
};

const serveOnHttp = async (settings: Settings): Promise<() => Promise<void>> => {
  // The address must be right before anybody calls.
  almanacServer({ ...settings, apiKey: 'none', log });
  const running = await serveHttp(settings, log);
  log(`almanac-mcp listens on ${running.url}`);
  return () => running.stop();
};

const main = async (): Promise<void> => {
  const settings = settingsOf(process.argv.slice(2), process.env);
  if (settings === undefined) return log(usage);
  const stop = settings.transport === 'http' ? await serveOnHttp(settings) : serveOnStdio(settings);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
};

await main().catch((error: unknown) => {
  if (!(error instanceof SettingsError) && !(error instanceof AlmanacError)) throw error;
  log(`almanac-mcp: ${error.message}`);
  process.exitCode = 2;
});
