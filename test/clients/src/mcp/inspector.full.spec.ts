// In the full run: it installs the official inspector from npm, which is 200 MB.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { npmWith } from '@almanac/testing';
import { z } from 'zod';
import { useClientsSystem } from '../clients-system.js';
import { startEndpoint } from './connect.js';

const inspectorPackage = '@modelcontextprotocol/inspector@2.12.0';
const server = fileURLToPath(import.meta.resolve('@almanac/mcp/main'));
const tools = z.object({ tools: z.array(z.looseObject({ name: z.string() })) });
const called = z.looseObject({ isError: z.boolean().optional(), structuredContent: z.looseObject({}) });
const toolNames = [
  'search',
  'get_event',
  'get_market',
  'get_candles',
  'event_on_one_clock',
  'book_at',
  'coverage',
  'quote_export',
  'create_export',
  'get_export',
];

describe('the MCP server, to the official inspector', { timeout: 900_000 }, () => {
  const clients = useClientsSystem();
  let folder = '';
  let inspector = '';
  let variables: Record<string, string> = {};
  before(async () => {
    folder = await clients().makeFolder();
    inspector = join(await npmWith(folder, [inspectorPackage]), 'mcp-inspector');
    variables = { ALMANAC_BASE_URL: clients().baseUrl, ALMANAC_API_KEY: await clients().key('full_book') };
  });

  /** Ends with another code than 0 if the inspector finds a fault. */
  const inspect = async (...args: readonly string[]): Promise<unknown> => {
    const env = { ...process.env, MCP_CATALOG_PATH: join(folder, 'catalogue.json') };
    const { stdout } = await promisify(execFile)(inspector, ['--cli', ...args], {
      cwd: folder,
      env,
      maxBuffer: 16_777_216,
    });
    return JSON.parse(stdout);
  };
  const check = async (target: readonly string[]): Promise<void> => {
    const listed = tools.parse(await inspect(...target, '--method', 'tools/list', '--strict'));
    assert.deepEqual(
      listed.tools.map(({ name }) => name),
      toolNames,
    );
    const call = (name: string, ...args: readonly string[]) =>
      inspect(...target, '--method', 'tools/call', '--tool-name', name, ...args.flatMap((one) => ['--tool-arg', one]));
    const { isError, structuredContent } = called.parse(await call('search', 'q=btc', 'limit=2'));
    assert.notEqual(isError, true);
    assert.ok(Object.keys(structuredContent).length > 0);
    await assert.rejects(call('get_market', 'ticker=NO-SUCH'), /tool_is_error/);
  };

  it('works over stdio', async () => {
    const pairs = Object.entries(variables).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    await check([...pairs, process.execPath, server]);
  });

  it('works over HTTP', async () => {
    const { ALMANAC_API_KEY: key = '', ...others } = variables;
    const endpoint = await startEndpoint(others);
    try {
      await check([endpoint.url, '--transport', 'http', '--header', `Authorization: Bearer ${key}`]);
    } finally {
      await endpoint.stop();
    }
  });
});
