import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, parseEnv } from 'node:util';
import type { Bus } from '@almanac/bus';
import { DomainError, operatorSentence } from '@almanac/contracts';
import { backup } from './commands/backup.js';
import { accountCreate, accountErase, accountShow, planSet } from './commands/account.js';
import { type Command, homeOf, type OfflineCommand, options, type CliInput, UsageError } from './commands/command.js';
import { deadLetterDrop, deadLetterList, deadLetterRetry } from './commands/dead-letters.js';
import { doctor } from './commands/doctor.js';
import { events } from './commands/events.js';
import { keyCreate, keyList, keyRevoke } from './commands/key.js';
import { restore } from './commands/restore.js';
import { status } from './commands/status.js';
import { connectOperator, type OperatorConnection } from './operator.js';
import { userMessageOf } from './error-message.js';

const commands: readonly (Command | OfflineCommand)[] = [
  accountCreate,
  accountShow,
  accountErase,
  keyCreate,
  keyList,
  keyRevoke,
  planSet,
  events,
  status,
  doctor,
  // Longer commands come first, because they start with the same word.
  deadLetterRetry,
  deadLetterDrop,
  deadLetterList,
  backup,
  restore,
];

const usage = `The operator's command line of a running Almanac.

${commands.map(({ words, takes, does }) => `  npm run almanac -- ${words} ${takes}\n      ${does}`).join('\n')}

ACCOUNT is the id of an account, or the e-mail address of its person. The commands connect with NATS_URL and
NATS_PASSWORD. If these are not set, they use the file that npm start writes to ALMANAC_HOME.`;

const pointer = 'To list the commands, run: npm run almanac -- --help';

export interface Terminal {
  readonly environment: NodeJS.ProcessEnv;
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
  readonly confirm: ((prompt: string) => Promise<boolean>) | null;
}

/** Runs one command and returns its exit code. Errors that the user can fix appear as one sentence. */
export const runCommandLine = async (args: readonly string[], terminal: Terminal): Promise<number> => {
  try {
    await run(args, terminal);
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error instanceof DomainError) terminal.complain(operatorSentence(error));
    else terminal.complain(error instanceof UsageError ? error.message : userMessageOf(error));
    return 1;
  }
};

const connection = async (environment: NodeJS.ProcessEnv): Promise<OperatorConnection> => {
  const { NATS_URL, NATS_PASSWORD } = environment;
  if (NATS_URL) return { url: NATS_URL, ...(NATS_PASSWORD ? { password: NATS_PASSWORD } : {}) };
  const path = join(homeOf({ environment }), 'operator.env');
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(
      `No running system found: ${path} is missing. Start the system with npm start, or set NATS_URL.`,
    );
  });
  const { NATS_URL: url, NATS_PASSWORD: password } = parseEnv(text);
  if (!url) throw new UsageError(`${path} has no NATS_URL. Restart the system, which writes this file.`);
  return { url, ...(password ? { password } : {}) };
};

const argumentsOf = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    // Node appends advice about dashes.
    const [fault = ''] = (error instanceof Error ? error.message : String(error)).split(/\.\s|\n/);
    throw new UsageError(`${fault.replace(/\.$/, '')}. ${pointer}`, { cause: error });
  }
};

type Arguments = ReturnType<typeof argumentsOf>;

const commandOf = ({
  positionals,
  values,
}: Arguments): { command: Command | OfflineCommand; subject: string | undefined } => {
  const command = commands.find(({ words }) => words.split(' ').every((word, index) => positionals[index] === word));
  if (command === undefined) throw new UsageError(`This command does not exist. ${pointer}`);
  const { words, takes, hasSubject } = command;
  const [subject, ...more] = positionals.slice(words.split(' ').length);
  const wrong = Object.keys(values).some((option) => !command.options.some((known) => known === option));
  if (wrong || more.length > 0 || (subject !== undefined && !hasSubject)) {
    throw new UsageError(`Usage: npm run almanac -- ${words} ${takes}`);
  }
  return { command, subject };
};

const run = async (args: readonly string[], { environment, print, confirm }: Terminal): Promise<void> => {
  const given = argumentsOf(args);
  if (given.values.help) return print(usage);
  if (given.positionals.length === 0) throw new UsageError(usage);
  const { command, subject } = commandOf(given);
  const { values } = given;
  const typed = {
    environment,
    subject,
    text: (option) => values[option],
    yes: values.yes ?? false,
    watch: values.watch ?? false,
    print,
    confirm,
  } satisfies CliInput;
  if ('runOffline' in command) return command.runOffline(typed);
  const bus = await connected(await connection(environment));
  try {
    await command.run({ ...typed, bus });
  } finally {
    await bus.close();
  }
};

const connected = async (to: OperatorConnection): Promise<Bus> => {
  try {
    return await connectOperator(to);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`The system at ${to.url} does not respond (${why}). Start it with npm start.`, { cause });
  }
};
