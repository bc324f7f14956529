import type { CommandSpec, OptionSpec } from './command.js';
import { accountCommands } from './commands/account.js';
import { cartCommands } from './commands/cart.js';
import { catalogueCommands } from './commands/catalogue.js';
import { completionCommands } from './commands/completion.js';
import { datasetCommands } from './commands/datasets.js';
import { eventCommands } from './commands/events.js';
import { exportCommands } from './commands/exports.js';
import { loginCommands } from './commands/login.js';
import { marketDataCommands } from './commands/market-data.js';
import { observationCommands } from './commands/observations.js';
import { qualityCommands } from './commands/quality.js';
import { quoteCommands } from './commands/quote.js';
import { seriesCommands } from './commands/series.js';
import { syncCommands } from './commands/sync.js';
import { webhookCommands } from './commands/webhooks.js';

/** Every command, in the order of the help. */
export const commands: readonly CommandSpec[] = [
  ...catalogueCommands,
  ...seriesCommands,
  ...eventCommands,
  ...marketDataCommands,
  ...observationCommands,
  ...qualityCommands,
  ...quoteCommands,
  ...exportCommands,
  ...datasetCommands,
  ...syncCommands,
  ...cartCommands,
  ...accountCommands,
  ...webhookCommands,
  ...loginCommands,
  ...completionCommands,
];

/** Options of every command. */
export const commonOptions = {
  json: { summary: 'Print the answers of the API unchanged, one on each line. Errors are JSON, too' },
  csv: { summary: 'Print CSV with the fields of the API' },
  quiet: { short: 'q', summary: 'Print no progress and no notes' },
  url: { value: 'URL', summary: 'The address of the server' },
  'as-of': { value: 'TIME', summary: 'Answer as the archive was known then' },
  deadline: { value: 'DURATION', summary: 'The longest time of a request with its retries, or of a wait' },
  retries: { value: 'N', summary: 'How often a failed request is repeated. Default: 5' },
  help: { short: 'h', summary: 'Show this help' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** The options of one command, with those of every command. Its own win. */
export const optionsOf = ({ options }: CommandSpec): Readonly<Record<string, OptionSpec>> => ({
  ...options,
  ...Object.fromEntries(Object.entries(commonOptions).filter(([name]) => !(name in options))),
});
