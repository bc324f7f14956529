import { text } from 'node:stream/consumers';
import { Almanac } from '@almanac/client/node';
import type { CommandContext, CommandSpec, Result } from '../command.js';
import { configPath, removeLogin, writeLogin } from '../config.js';
import { UsageError } from '../errors.js';
import { prompt, type Terminal } from '../terminal.js';

const login: CommandSpec = {
  name: 'login',
  endsItself: true,
  summary: 'Store an API key on this machine',
  details: [
    'The key comes from the prompt or from stdin, and never from the command line, where other users could see it.',
    'It is checked first, then stored in a file that only you can read.',
  ],
  args: [],
  options: {},
  examples: ['almanac-data login --url https://almanac.example', 'almanac-data login --url "$API" < key.txt'],
  run: async (context): Promise<Result> => {
    const { options, terminal, signal } = context;
    const isPrompted = terminal.stdin.isTTY;
    const given = options.text('url') ?? terminal.env['ALMANAC_BASE_URL'];
    if (given === undefined && !isPrompted)
      throw new UsageError('The address of the server is missing.', 'Add --url URL.');
    const base_url = given ?? (await prompt(terminal, 'Address of the server: ', { isSecret: false, signal }));
    const typed = isPrompted ? prompt(terminal, 'API key: ', { isSecret: true, signal }) : text(terminal.stdin);
    const api_key = (await typed).trim();
    if (api_key === '')
      throw new UsageError('There is no API key.', 'Type it, or send it on stdin: almanac-data login < key.txt');
    const { plan } = await new Almanac({ baseUrl: base_url, apiKey: api_key }).plan.get({ signal });
    const path = configPath(terminal);
    await writeLogin(path, { base_url, api_key });
    const result = { base_url, plan: plan.id, config: path };
    const lines = [`Signed in to ${base_url} with the plan ${plan.name}. The key is in ${path}.`];
    return { json: [JSON.stringify(result)], items: [result], lines, remarks: overridden(terminal) };
  },
};

const overridden = ({ env }: Terminal): string[] =>
  (env['ALMANAC_API_KEY'] ?? '') === '' ? [] : ['ALMANAC_API_KEY is set, and wins over the stored key.'];

const logout: CommandSpec = {
  name: 'logout',
  summary: 'Remove the stored API key from this machine',
  details: ['The key itself stays valid: almanac-data keys revoke ID ends it.'],
  args: [],
  options: {},
  examples: ['almanac-data logout'],
  run: async ({ terminal }: CommandContext): Promise<Result> => {
    const path = configPath(terminal);
    const wasThere = await removeLogin(path);
    const result = { removed: wasThere, config: path };
    const lines = [wasThere ? `Removed ${path}.` : 'Nobody was signed in.'];
    return { json: [JSON.stringify(result)], items: [result], lines };
  },
};

export const loginCommands: readonly CommandSpec[] = [login, logout];
