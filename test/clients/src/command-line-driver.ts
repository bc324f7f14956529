import type { ClientDriver, DrivenCall, Outcome } from './client-driver.js';
import { runCommand } from './run-command.js';

interface MappedCall {
  readonly command: readonly string[];
  /** Arguments of the call that are words of the command line, in their order. */
  readonly words?: readonly string[];
  /** Arguments whose option has another name. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** The field of an answer that has the items of a list. */
  readonly items?: string;
}

const times = { from_ts: 'from', to_ts: 'to' };
const periods = { start_ts: 'from', end_ts: 'to', period_s: 'period' };
const windows = { start_ts: 'from', end_ts: 'to', include_book: 'book' };
const requests = { events: 'event', tickers: 'ticker', csv_formulas: 'csv-formulas' };

/** The calls that have a command. */
const commands: Readonly<Record<string, MappedCall>> = {
  search: { command: ['search'], words: ['q'], renamed: times, items: 'hits' },
  'categories.list': { command: ['categories'] },
  'series.list': { command: ['series'], renamed: times, items: 'series' },
  'series.get': { command: ['series', 'get'], words: ['series_id'] },
  'series.markets': { command: ['series', 'markets'], words: ['series_id'], renamed: times, items: 'markets' },
  'series.events': { command: ['series', 'events'], words: ['series_id'], renamed: times, items: 'events' },
  'events.get': { command: ['event'], words: ['event_id'] },
  'events.markets': { command: ['event'], words: ['event_id'], items: 'markets' },
  'events.snapshots': { command: ['event', 'snapshots'], words: ['event_id'], renamed: windows, items: 'markets' },
  'markets.list': { command: ['markets'], renamed: times, items: 'markets' },
  'markets.changes_since': {
    command: ['markets'],
    renamed: { ...times, changed_since_ts: 'changed-since' },
    items: 'markets',
  },
  'markets.get': { command: ['market'], words: ['ticker'] },
  'markets.snapshots': { command: ['snapshots'], words: ['ticker'], renamed: windows, items: 'snapshots' },
  'markets.trades': { command: ['trades'], words: ['ticker'], renamed: windows, items: 'trades' },
  'markets.candles': { command: ['candles'], words: ['ticker'], renamed: periods, items: 'candles' },
  'markets.book': { command: ['book'], words: ['ticker'], renamed: { at_ts: 'at' } },
  quality: { command: ['quality'], items: 'markets' },
  quality_by_period: { command: ['quality'], items: 'periods' },
  'exports.quote': { command: ['quote'], renamed: requests },
  'exports.create': { command: ['export'], renamed: requests },
  'exports.create_days': { command: ['export', '--each-day'], renamed: requests },
  'exports.list': { command: ['exports'], items: 'exports' },
  'exports.get': { command: ['exports', 'get'], words: ['export_id'] },
  'exports.wait': { command: ['exports', 'wait'], words: ['export_id'] },
  'exports.download': { command: ['exports', 'download'], words: ['export_id'], renamed: { path: 'output' } },
  'exports.cancel': { command: ['exports', 'cancel'], words: ['export_id'] },
  'exports.formats': { command: ['exports', 'formats'] },
  'datasets.get': { command: ['dataset'], words: ['dataset_id'] },
  'datasets.metadata': { command: ['dataset'], words: ['dataset_id'], renamed: { standard: 'metadata' } },
  'cart.get': { command: ['cart'] },
  'cart.add': { command: ['cart', 'add'], words: ['event'] },
  'cart.remove': { command: ['cart', 'remove'], words: ['event_id'] },
  'cart.checkout': { command: ['cart', 'checkout'] },
  'plan.get': { command: ['plan'] },
  'billing.upgrade': { command: ['plan', 'upgrade'], words: ['tier_id'] },
  'billing.portal': { command: ['plan', 'portal'] },
  'keys.list': { command: ['keys'], items: 'keys' },
  'keys.create': { command: ['keys', 'create'] },
  'keys.revoke': { command: ['keys', 'revoke'], words: ['key_id'] },
  'webhooks.list': { command: ['webhooks'] },
  'webhooks.get': { command: ['webhooks', 'get'], words: ['webhook_id'] },
  'webhooks.create': { command: ['webhooks', 'create'], words: ['url'] },
  'webhooks.delete': { command: ['webhooks', 'delete'], words: ['webhook_id'] },
  'webhooks.rotate': { command: ['webhooks', 'rotate'], words: ['webhook_id'] },
  'webhooks.enable': { command: ['webhooks', 'enable'], words: ['webhook_id'] },
  'webhooks.test': { command: ['webhooks', 'test'], words: ['webhook_id'] },
  'webhooks.deliveries': { command: ['webhooks', 'deliveries'], words: ['webhook_id'], items: 'deliveries' },
  'webhooks.redeliver': { command: ['webhooks', 'redeliver'], words: ['webhook_id', 'delivery_id'] },
};

export const hasCommand = (call: string): boolean => call in commands;

/** Every call is a process: `almanac-data … --json`. */
export const commandLineDriver: ClientDriver = {
  run: async (call): Promise<Outcome> => {
    const mapped = commands[call.call];
    if (mapped === undefined) throw new Error(`almanac-data has no command for ${call.call}.`);
    const { client } = call;
    const env = { ALMANAC_BASE_URL: String(client['base_url']), ALMANAC_API_KEY: String(client['api_key']) };
    const { code, stdout, stderr } = await runCommand(argumentsOf(mapped, call), env);
    if (code !== 0) return { error: errorOf(stderr, code) };
    const answers = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    return { result: resultOf(mapped, call, answers) };
  },
};

const argumentsOf = ({ command, words = [], renamed = {}, items }: MappedCall, call: DrivenCall): string[] => {
  const { args, options, client, take } = call;
  const optionOf = ([name, value]: [string, unknown]): string[] => {
    if (name === 'step_ms') return [value === 0 ? '--raw' : `--step=${Number(value) / 1_000}s`];
    if (name === 'has_gaps') return [value === true ? '--has-gaps' : '--no-gaps'];
    const option = `--${renamed[name] ?? name.replaceAll('_', '-')}`;
    return value === true ? [option] : [`${option}=${Array.isArray(value) ? value.join(',') : String(value)}`];
  };
  const given = Object.entries(args).filter(([name]) => !words.includes(name));
  const pointInTime: [string, unknown][] = client['as_of'] === undefined ? [] : [['as_of', client['as_of']]];
  // Commands for candles always read all of them.
  const readsOn = items !== undefined && items !== 'candles' && take !== 'first_page';
  return [
    ...command,
    ...[...given, ...pointInTime].flatMap(optionOf),
    ...Object.entries(options).flatMap(callOption),
    ...(readsOn ? ['--all'] : []),
    '--json',
    '--',
    ...words.map((name) => String(args[name])),
  ];
};

const callOption = ([name, value]: [string, unknown]): string[] => {
  if (name === 'max_retries') return [`--retries=${String(value)}`];
  if (name === 'deadline_ms') return [`--deadline=${Number(value) / 1_000}s`];
  if (name === 'idempotency_key') return [`--idempotency-key=${String(value)}`];
  if (name === 'overwrite') return ['--overwrite'];
  throw new Error(`almanac-data has no option for ${name}.`);
};

const errorOf = (stderr: string, code: number | null): Record<string, unknown> => {
  try {
    const error = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
    return { ...error, exit_code: code };
  } catch (error) {
    throw new Error(`almanac-data ended with ${code}: ${stderr}`, { cause: error });
  }
};

const resultOf = (
  { items }: MappedCall,
  { take }: DrivenCall,
  answers: readonly Record<string, unknown>[],
): unknown => {
  if (items === undefined || take === 'first_page') return answers[0];
  return take === 'pages' ? answers : answers.flatMap((answer) => answer[items] as unknown[]);
};
