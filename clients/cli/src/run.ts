import {
  Almanac,
  AlmanacError,
  ApiError,
  type ExportQuote,
  type AlmanacOptions,
  type Wait,
} from '@almanac/client/node';
import { readFile } from 'node:fs/promises';
import { painterOf, type Terminal } from './terminal.js';
import type { CommandContext, Result } from './command.js';
import { optionLines } from './commands/quote.js';
import { configPath, isReadableByOthers, type Login, loginOf, readLogin } from './config.js';
import { Interrupted, SignedOutError, UsageError } from './errors.js';
import { exitCodeOf, exitCodes } from './exit-codes.js';
import type { GivenOptions } from './given-options.js';
import { commandHelp, generalHelp } from './help.js';
import { csvOf } from './output/csv.js';
import { recordNotices, waitLine } from './notices.js';
import { type Invocation, parseCommandLine } from './parse.js';
import { inShellWords, shellWording } from './wording.js';

/** Runs one command line. Returns its exit code, and never rejects. */
export const runCommandLine = async (
  words: readonly string[],
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> => {
  try {
    const invocation = parseCommandLine(words);
    if (invocation.kind === 'run') await runCommand(invocation, terminal, signal);
    else print(terminal, await textOf(invocation));
    return exitCodes.done[0];
  } catch (error) {
    report(error, terminal, words.includes('--json'));
    return exitCodeOf(error);
  }
};

const print = ({ stdout }: Terminal, lines: readonly string[]): void => {
  if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`);
};

const textOf = async (invocation: Exclude<Invocation, { kind: 'run' }>): Promise<readonly string[]> => {
  if (invocation.kind === 'help')
    return invocation.command === undefined ? generalHelp() : commandHelp(invocation.command);
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  return [(JSON.parse(text) as { version: string }).version];
};

const runCommand = async (
  { command, args, options }: Extract<Invocation, { kind: 'run' }>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> => {
  const path = configPath(terminal);
  // A command without the API works with a damaged login.
  const stored = needsLogin(command.name) ? await readLogin(path) : undefined;
  const warnings =
    stored !== undefined && (await isReadableByOthers(path))
      ? [`Other users can read ${path}. Run: chmod 600 ${path}`]
      : [];
  const recorder = recordAnswers(options.flag('json'));
  const notices = recordNotices();
  const onWait = (wait: Wait): void => {
    if (!options.flag('quiet')) writeDim(terminal, waitLine(wait));
  };
  const hooks = { onAnswer: recorder.onAnswer, onNotice: notices.onNotice, onWait };
  let almanac: Almanac | undefined;
  const context: CommandContext = {
    args,
    options,
    terminal,
    signal,
    answers: recorder.answers,
    get almanac() {
      almanac ??= clientOf(options, loginOf(terminal, options.text('url'), stored), hooks, command.options);
      return almanac;
    },
  };
  const work = command.run(context);
  const result = await (command.endsItself === true ? work : untilInterrupted(work, signal));
  show(result, context, { warnings, notices: notices.lines() });
};

const needsLogin = (name: string): boolean => !['login', 'logout', 'completion'].includes(name);

const clientOf = (
  options: GivenOptions,
  { base_url, api_key }: Login,
  hooks: Pick<AlmanacOptions, 'onAnswer' | 'onNotice' | 'onWait'>,
  own: object,
): Almanac => {
  const asOf = 'as-of' in own ? undefined : options.time('as-of');
  const deadline = options.seconds('deadline');
  return new Almanac({
    baseUrl: base_url,
    apiKey: api_key,
    as_of: asOf,
    deadlineMs: deadline === undefined ? undefined : deadline * 1_000,
    maxRetries: options.whole('retries'),
    wording: shellWording,
    ...hooks,
  });
};

/** Rejects after Ctrl-C, whatever the command does. */
const untilInterrupted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  let interrupt = (): void => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = () => reject(signal.reason as Error);
    signal.addEventListener('abort', interrupt, { once: true });
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
};

interface SideNotes {
  readonly warnings: readonly string[];
  readonly notices: readonly string[];
}

const writeDim = (terminal: Terminal, line: string): void => {
  terminal.stderr.write(`${painterOf(terminal, terminal.stderr)('dim', line)}\n`);
};

const show = (result: Result, { options, terminal }: CommandContext, { warnings, notices }: SideNotes): void => {
  if (options.flag('json')) print(terminal, result.json);
  else if (options.flag('csv')) print(terminal, csvOf(result.items));
  else print(terminal, result.lines);
  if (options.flag('quiet')) return;
  const sideNotes = [...warnings, ...(result.remarks ?? []), ...notices].map(inShellWords);
  for (const line of new Set(sideNotes)) writeDim(terminal, line);
};

/** The error in one or two sentences with what to do about it. With `--json`, as one line of JSON. */
const report = (error: unknown, terminal: Terminal, isJson: boolean): void => {
  const { stderr } = terminal;
  const isKnown =
    error instanceof AlmanacError ||
    error instanceof UsageError ||
    error instanceof SignedOutError ||
    error instanceof Interrupted;
  if (!isKnown) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    stderr.write(`This is a defect of almanac-data. Please report it with these lines.\n${text}\n`);
    return;
  }
  if (isJson) {
    stderr.write(`${JSON.stringify(error)}\n`);
    return;
  }
  const paint = painterOf(terminal, stderr);
  const lines = [
    `${paint('red', 'error:')} ${inShellWords(error.detail)}`,
    ...(error.remedy === '' ? [] : [inShellWords(error.remedy)]),
    ...(error instanceof ApiError ? answerLines(error) : []),
  ];
  stderr.write(`${lines.join('\n')}\n`);
};

const answerLines = ({ code, status, request_id, body }: ApiError): string[] => {
  const options = Array.isArray(body['options']) ? (body['options'] as ExportQuote['options']) : [];
  return [
    ...(options.length === 0 ? [] : ['You can buy one of:', ...optionLines(options)]),
    `(${code}, status ${status}${request_id === null ? '' : `, request ${request_id}`})`,
  ];
};

/** The JSON answers of a command, because `--json` prints them unchanged. */
interface RecordedAnswers {
  /** The option of the client that records. Undefined if nothing is wanted. */
  readonly onAnswer: AlmanacOptions['onAnswer'];
  /** The answers so far whose path ends with this, without those of failed attempts. */
  readonly answers: (path: RegExp) => readonly string[];
}

const recordAnswers = (isWanted: boolean): RecordedAnswers => {
  const recorded: { readonly path: string; readonly text: string }[] = [];
  return {
    onAnswer: isWanted ? ({ url, text }) => void recorded.push({ path: new URL(url).pathname, text }) : undefined,
    answers: (path) => recorded.filter((each) => path.test(each.path)).map(({ text }) => text.trimEnd()),
  };
};
