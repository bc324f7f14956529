import type { ArgumentSpec, CommandSpec, OptionSpec } from './command.js';
import { commands, commonOptions } from './commands.js';
import { exitCodes } from './exit-codes.js';

const indented = (rows: readonly (readonly [string, string])[]): string[] => {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd());
};

const argumentText = ({ name, isOptional, repeats }: ArgumentSpec): string => {
  const text = repeats === true ? `${name}…` : name;
  return isOptional === true ? `[${text}]` : text;
};

const optionRow = ([name, { short, value, summary, choices }]: [string, OptionSpec]): readonly [string, string] => {
  const names = `${short === undefined ? '    ' : `-${short}, `}--${name}`;
  const among = choices === undefined ? '' : ` (${choices.join(', ')})`;
  return [value === undefined ? names : `${names} ${value}`, `${summary}${among}`];
};

const codeRows = Object.values(exitCodes).map(([code, summary]) => [String(code), summary] as const);

const times = [
  'Times are Unix seconds, 2026-02-25T04:30:00Z, 2026-02-25 (00:00 UTC), now or now-15m. Printed times are UTC.',
  'Prices are fractions of 1, and sizes are contracts.',
];

export const generalHelp = (): string[] => [
  'almanac-data reads, exports and copies an archive of prediction-market data.',
  '',
  'Usage: almanac-data COMMAND [OPTIONS]',
  '',
  'Commands:',
  ...indented(commands.map(({ name, args, summary }) => [[name, ...args.map(argumentText)].join(' '), summary])),
  '',
  'Options of every command:',
  ...indented(Object.entries<OptionSpec>(commonOptions).map(optionRow)),
  '',
  'Exit codes:',
  ...indented(codeRows),
  '',
  'Environment:',
  ...indented([
    ['ALMANAC_BASE_URL', 'The address of the server. Wins over the stored login'],
    ['ALMANAC_API_KEY', 'The API key. Wins over the stored login'],
    ['XDG_CONFIG_HOME', 'Where the login is stored. Default: ~/.config'],
    ['NO_COLOR', 'Turns colours off'],
  ]),
  '',
  ...times,
  'Run almanac-data COMMAND --help for the options of a command.',
];

export const commandHelp = (command: CommandSpec): string[] => {
  const { name, summary, details = [], args, options, examples } = command;
  const own = Object.entries(options);
  const common = Object.entries<OptionSpec>(commonOptions).filter(([each]) => !(each in options));
  return [
    `${summary}.`,
    ...details,
    '',
    `Usage: ${['almanac-data', name, ...args.map(argumentText), '[OPTIONS]'].join(' ')}`,
    ...(own.length === 0 ? [] : ['', 'Options:', ...indented(own.map(optionRow))]),
    '',
    'Options of every command:',
    ...indented(common.map(optionRow)),
    '',
    'Examples:',
    ...examples.map((example) => `  ${example}`),
    '',
    ...times,
  ];
};
