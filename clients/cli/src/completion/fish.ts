import type { CommandSpec } from '../command.js';
import { allCommands, completedOptions, firstWords } from './words.js';

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
const complete = 'complete -c almanac-data';

const seen = (name: string): string =>
  quoted(
    name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and '),
  );

/** Files are completed only where an option or an argument takes them. */
const valueOf = (choices: readonly string[] | undefined, completes: 'files' | 'folders' | undefined): string => {
  if (choices !== undefined) return ` -x -a ${quoted(choices.join(' '))}`;
  if (completes === undefined) return ' -x';
  return completes === 'files' ? ' -r -F' : ' -x -a "(__fish_complete_directories)"';
};

const optionLines = (command: CommandSpec): string[] =>
  completedOptions(command).map(({ names, value, summary, choices, completes }) => {
    const flags = names
      .map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
      .join(' ');
    const takes = value === undefined ? '' : valueOf(choices, completes);
    return `${complete} -n ${seen(command.name)} ${flags}${takes} -d ${quoted(summary)}`;
  });

const argumentLines = ({ name, args: [first] }: CommandSpec): string[] => {
  if (first?.choices === undefined && first?.completes === undefined) return [];
  return [
    `${complete} -n ${seen(name)}${valueOf(first.choices, first.completes).replace(' -x', '').replace(' -r', '')}`,
  ];
};

export const fishCompletion = (): string[] => [
  '# fish completion for almanac-data',
  `${complete} -f`,
  ...firstWords().map(({ name, summary }) => `${complete} -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`),
  ...firstWords().flatMap(({ name, actions }) => {
    const condition = `__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${actions.map((each) => each.name).join(' ')}`;
    return actions.map((each) => `${complete} -n ${quoted(condition)} -a ${each.name} -d ${quoted(each.summary)}`);
  }),
  ...allCommands.flatMap((command) => [...argumentLines(command), ...optionLines(command)]),
];
