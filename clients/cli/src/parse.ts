import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { ArgumentSpec, CommandSpec, OptionSpec } from './command.js';
import { commands, optionsOf } from './commands.js';
import { UsageError } from './errors.js';
import { GivenOptions } from './given-options.js';
import { didYouMean } from './suggest.js';

export type Invocation =
  | {
      readonly kind: 'run';
      readonly command: CommandSpec;
      readonly args: readonly string[];
      readonly options: GivenOptions;
    }
  | { readonly kind: 'help'; readonly command: CommandSpec | undefined }
  | { readonly kind: 'version' };

const seeHelp = 'See almanac-data --help.';

/** Throws UsageError for a line that makes no sense. */
export const parseCommandLine = (words: readonly string[]): Invocation => {
  const [first] = words;
  if (first === undefined || first === '--help' || first === '-h') return { kind: 'help', command: undefined };
  if (first === '--version' || first === '-v') return { kind: 'version' };
  if (first === 'help') return { kind: 'help', command: words.length > 1 ? findCommand(words.slice(1))[0] : undefined };
  const [command, rest] = findCommand(words);
  return parseFor(command, rest);
};

/** The command that the line begins with, and the words after it. */
const findCommand = (words: readonly string[]): [CommandSpec, readonly string[]] => {
  const [first = '', second = ''] = words;
  const two = commands.find(({ name }) => name === `${first} ${second}`);
  if (two !== undefined) return [two, words.slice(2)];
  const one = commands.find(({ name }) => name === first);
  if (one === undefined) {
    const known = commands.flatMap(({ name }) => name.split(' ').slice(0, 1));
    if (first.startsWith('-')) throw new UsageError(`${first} comes before the command.`, `Put it behind. ${seeHelp}`);
    throw new UsageError(
      `There is no command ${JSON.stringify(first)}.`,
      didYouMean(first, known, 'almanac-data ') || seeHelp,
    );
  }
  const actions = commands.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []));
  // Where the command has an argument, as `event EVENT`, the second word is one.
  if (actions.length > 0 && one.args.length === 0 && second !== '' && !second.startsWith('-')) {
    const remedy = didYouMean(second, actions, `almanac-data ${first} `) || `Use one of: ${actions.join(', ')}.`;
    throw new UsageError(`There is no command "${first} ${second}".`, remedy);
  }
  return [one, words.slice(1)];
};

const parseFor = (command: CommandSpec, words: readonly string[]): Invocation => {
  const specs = optionsOf(command);
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, { value, short, isList }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(short === undefined ? {} : { short }),
        ...(isList === true ? { multiple: true } : {}),
      },
    ]),
  ) satisfies ParseArgsConfig['options'];
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw usageErrorOf(error, words, Object.keys(specs));
  }
  const given = new GivenOptions(parsed.values as ConstructorParameters<typeof GivenOptions>[0]);
  if (given.flag('help')) return { kind: 'help', command };
  if (given.flag('json') && given.flag('csv')) throw new UsageError('--json and --csv exclude each other.');
  checkChoices(specs, given);
  return { kind: 'run', command, args: argumentsOf(command, parsed.positionals), options: given };
};

const usageErrorOf = (error: unknown, words: readonly string[], known: readonly string[]): unknown => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (!(error instanceof Error) || typeof code !== 'string' || !code.startsWith('ERR_PARSE_ARGS')) return error;
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    return new UsageError(error.message.split('\n')[0] ?? '', 'Write a value that begins with - as --option=-value.');
  }
  const unknown = /'(-[^']*)'/.exec(error.message)?.[1] ?? words.find((word) => word.startsWith('-')) ?? '';
  const remedy = didYouMean(unknown.replace(/^-+/, ''), known, '--');
  return new UsageError(`There is no option ${unknown}.`, remedy === '' ? 'See --help of this command.' : remedy);
};

const checkChoices = (specs: Readonly<Record<string, OptionSpec>>, given: GivenOptions): void => {
  for (const [name, { choices, isList }] of Object.entries(specs)) {
    if (choices === undefined) continue;
    const text = given.text(name);
    const values = isList === true ? (given.list(name) ?? []) : text === undefined ? [] : [text];
    for (const value of values) if (!choices.includes(value)) throw notOneOf(`--${name}`, value, choices);
  }
};

const notOneOf = (what: string, value: string, choices: readonly string[]): UsageError => {
  const nearest = didYouMean(value, choices);
  return new UsageError(`${what} is ${JSON.stringify(value)}.`, nearest || `Use one of: ${choices.join(', ')}.`);
};

const argumentsOf = ({ name, args }: CommandSpec, given: readonly string[]): readonly string[] => {
  const isMissing = ({ isOptional }: ArgumentSpec, at: number): boolean =>
    isOptional !== true && given[at] === undefined;
  const missing = args.find(isMissing);
  const seeOwn = `See almanac-data ${name} --help.`;
  if (missing !== undefined) throw new UsageError(`${missing.name} is missing.`, seeOwn);
  const extra = args.at(-1)?.repeats === true ? undefined : given[args.length];
  if (extra !== undefined) throw new UsageError(`${JSON.stringify(extra)} is one word too many.`, seeOwn);
  for (const [at, { name: what, choices }] of args.entries()) {
    const value = given[at];
    if (choices !== undefined && value !== undefined && !choices.includes(value)) throw notOneOf(what, value, choices);
  }
  return given;
};
