import type { CommandSpec } from '../command.js';
import { allCommands, completedOptions, firstWords, quoted } from './words.js';

const valueCases = (command: CommandSpec): string[] => {
  const byAction = new Map<string, string[]>();
  for (const { names, value, choices, completes } of completedOptions(command)) {
    if (value === undefined) continue;
    const action = actionOf(choices, completes);
    byAction.set(action, [...(byAction.get(action) ?? []), ...names.map((name) => quoted(`${command.name}:${name}`))]);
  }
  return [...byAction].map(([action, patterns]) => `    ${patterns.join(' | ')}) ${action} return ;;`);
};

const actionOf = (choices: readonly string[] | undefined, completes: 'files' | 'folders' | undefined): string => {
  if (choices !== undefined) return `_almanac_data_words ${quoted(choices.join(' '))};`;
  if (completes === undefined) return '';
  return `compopt -o filenames; mapfile -t COMPREPLY < <(compgen ${completes === 'files' ? '-f' : '-d'} -- "$cur");`;
};

const argumentCases = (command: CommandSpec): string[] => {
  const [first] = command.args;
  const action = actionOf(first?.choices, first?.completes);
  return action === '' ? [] : [`    ${quoted(command.name)}) ${action} ;;`];
};

/** For bash 4.4 or later. Without the package bash-completion, too. */
export const bashCompletion = (): string[] => [
  '# bash completion for almanac-data',
  '_almanac_data_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }',
  '_almanac_data() {',
  '  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}',
  '  COMPREPLY=()',
  '  if ((COMP_CWORD == 1)); then',
  `    _almanac_data_words ${quoted(
    firstWords()
      .map(({ name }) => name)
      .join(' '),
  )}`,
  '    return',
  '  fi',
  '  if ((COMP_CWORD > 2)); then',
  '    case "$command ${COMP_WORDS[2]}" in',
  `    ${allCommands
    .filter(({ name }) => name.includes(' '))
    .map(({ name }) => quoted(name))
    .join(' | ')}) command+=" \${COMP_WORDS[2]}" ;;`,
  '    esac',
  '  fi',
  '  case "$command:$prev" in',
  ...allCommands.flatMap(valueCases),
  '  esac',
  '  if [[ $cur == -* ]]; then',
  '    case "$command" in',
  ...allCommands.map(
    (command) =>
      `    ${quoted(command.name)}) _almanac_data_words ${quoted(
        completedOptions(command)
          .flatMap(({ names }) => names)
          .join(' '),
      )} ;;`,
  ),
  '    esac',
  '    return',
  '  fi',
  '  case "$command" in',
  ...allCommands.flatMap(argumentCases),
  ...firstWords().flatMap(({ name, actions }) =>
    actions.length === 0
      ? []
      : [
          `    ${quoted(name)}) ((COMP_CWORD == 2)) && _almanac_data_words ${quoted(actions.map((each) => each.name).join(' '))} ;;`,
        ],
  ),
  '  esac',
  '  return 0',
  '}',
  'complete -F _almanac_data almanac-data',
];
