import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, parseEnv } from 'node:util';
import { tlsIn } from '@almanac/bus';
import { DomainError, operatorSentence } from '@almanac/contracts';
import { nearestName } from '@almanac/runtime';
import { z } from 'zod';
import { backup } from './commands/backup.js';
import { backupExpire } from './commands/backup-expire.js';
import { backupVerify } from './commands/backup-verify.js';
import { accountCreate, accountErase, accountList, accountShow } from './commands/account.js';
import {
  type CliInput,
  type Command,
  didYouMean,
  globalOptions,
  homeOf,
  type OfflineCommand,
  options,
} from './commands/command.js';
import { UsageError, userMessageOf } from './error-message.js';
import { completionOf } from './commands/completion.js';
import { deadLetterAcknowledge, deadLetterDrop, deadLetterList, deadLetterRetry } from './commands/dead-letters.js';
import { doctor } from './commands/doctor.js';
import { newerEventsDiscard, newerEventsList } from './commands/newer-events.js';
import { events } from './commands/events.js';
import { keyCreate, keyList, keyRevoke } from './commands/key.js';
import { partitionsMove } from './commands/partitions-move.js';
import { planList, planSet } from './commands/plan.js';
import { restore } from './commands/restore.js';
import { status } from './commands/status.js';
import { connectOperator, type OperatorConnection } from './operator.js';
import { partitionsIn } from './partitions.js';
import { reached } from './reached.js';

const ownCommands: readonly (Command | OfflineCommand)[] = [
  accountCreate,
  accountList,
  accountShow,
  accountErase,
  keyCreate,
  keyList,
  keyRevoke,
  partitionsMove,
  planList,
  planSet,
  events,
  status,
  doctor,
  // Longer commands come first, because they start with the same word.
  deadLetterRetry,
  deadLetterDrop,
  deadLetterAcknowledge,
  deadLetterList,
  newerEventsDiscard,
  newerEventsList,
  backupExpire,
  backupVerify,
  backup,
  restore,
];
const commands: readonly (Command | OfflineCommand)[] = [...ownCommands, completionOf(ownCommands)];

const usage = `The operator's command line of a running Almanac.

${commands.map(({ words, takes, does }) => `  npm run almanac -- ${words} ${takes}`.trimEnd() + `\n      ${does}`).join('\n')}

ACCOUNT is the id of an account, or the e-mail address of its person. With --json, every command prints JSON: one line
for each item of a list, and errors as {"error": "…"}. --version prints the version. The commands connect with NATS_URL
and NATS_PASSWORD. If these are not set, they use the file that npm start writes to ALMANAC_HOME.`;

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
    const sentence = sentenceOf(error);
    const isJson = args.includes('--json');
    const code = error instanceof DomainError ? { code: error.code } : {};
    terminal.complain(isJson ? JSON.stringify({ error: sentence, ...code }) : sentence);
    return 1;
  }
};

const sentenceOf = (error: Error): string => {
  if (error instanceof DomainError) return operatorSentence(error);
  return error instanceof UsageError ? error.message : userMessageOf(error);
};

const connection = async (environment: NodeJS.ProcessEnv): Promise<OperatorConnection> => {
  const { NATS_URL, NATS_PASSWORD } = environment;
  if (NATS_URL)
    return {
      url: NATS_URL,
      ...(NATS_PASSWORD ? { password: NATS_PASSWORD } : {}),
      ...tlsIn(environment),
      ...partitionsIn(environment),
    };
  const path = join(homeOf({ environment }), 'operator.env');
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(
      `No running system found: ${path} is missing. Start the system with npm start, or set NATS_URL.`,
    );
  });
  const system = parseEnv(text);
  const { NATS_URL: url, NATS_PASSWORD: password } = system;
  if (!url) throw new UsageError(`${path} has no NATS_URL. Restart the system, which writes this file.`);
  return { url, ...(password ? { password } : {}), ...partitionsIn(system) };
};

const argumentsOf = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    // Node appends advice about dashes.
    const [fault = ''] = (error instanceof Error ? error.message : String(error)).split(/\.\s|\n/);
    const [, unknown] = /^Unknown option '--(.*)'/.exec(fault) ?? [];
    const advice =
      unknown === undefined
        ? ''
        : didYouMean(
            `--${unknown}`,
            Object.keys(options).map((name) => `--${name}`),
          );
    throw new UsageError(`${fault.replace(/\.$/, '')}.${advice} ${pointer}`, { cause: error });
  }
};

type Arguments = ReturnType<typeof argumentsOf>;

const commandOf = ({
  positionals,
  values,
}: Arguments): { command: Command | OfflineCommand; subject: string | undefined } => {
  const command = commands.find(({ words }) => words.split(' ').every((word, index) => positionals[index] === word));
  if (command === undefined) throw new UsageError(`This command does not exist.${adviceFor(positionals)} ${pointer}`);
  const { words, takes, hasSubject } = command;
  const [subject, ...more] = positionals.slice(words.split(' ').length);
  const known: readonly string[] = [...command.options, ...globalOptions];
  const wrong = Object.keys(values).some((option) => !known.includes(option));
  if (wrong || more.length > 0 || (subject !== undefined && !hasSubject)) {
    throw new UsageError(`Usage: npm run almanac -- ${words} ${takes}`.trimEnd());
  }
  return { command, subject };
};

/** The nearest command, or the commands that start with the same word. Words are compared one by one. */
const adviceFor = ([typedFirst = '', typedSecond = '']: readonly string[]): string => {
  const names = commands.map(({ words }) => words);
  const first = nearestName(typedFirst, new Set(names.map((name) => name.split(' ')[0] ?? '')));
  const group = names.filter((name) => name === first || name.startsWith(`${first} `));
  const second = nearestName(typedSecond, new Set(group.map((name) => name.split(' ')[1] ?? '')));
  const nearest = group.find((name) => name === `${first} ${second}`) ?? (group.length === 1 ? group[0] : undefined);
  if (nearest !== undefined) return ` Did you mean ${nearest}?`;
  return group.length === 0 ? '' : ` Commands of ${first}: ${group.join(', ')}.`;
};

const run = async (args: readonly string[], { environment, print, complain, confirm }: Terminal): Promise<void> => {
  const given = argumentsOf(args);
  const { values } = given;
  const isJson = values.json ?? false;
  const show: CliInput['show'] = (items, text) => {
    if (isJson) for (const item of items) print(JSON.stringify(item));
    else print(text);
  };
  if (values.help) return print(usage);
  if (values.version) return show([{ version: await version() }], await version());
  if (given.positionals.length === 0) throw new UsageError(usage);
  const { command, subject } = commandOf(given);
  const typed = {
    environment,
    subject,
    text: (option) => values[option],
    yes: values.yes ?? false,
    watch: values.watch ?? false,
    show,
    note: isJson ? complain : print,
    confirm,
  } satisfies CliInput;
  if ('runOffline' in command) return command.runOffline(typed);
  const to = await connection(environment);
  const bus = await reached(to.url, connectOperator(to), 'Start it with npm start.');
  try {
    await command.run({ ...typed, bus });
  } finally {
    await bus.close();
  }
};

/** All packages have the version of the release. */
const version = async (): Promise<string> => {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
};
