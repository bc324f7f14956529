import type { CommandSpec } from '../command.js';
import { allCommands, type CompletedOption, completedOptions, firstWords, quoted } from './words.js';

const described = (text: string): string => text.replaceAll(/[[\]:\\]/g, String.raw`\$&`);

const valueOf = ({ value, choices, completes }: Pick<CompletedOption, 'value' | 'choices' | 'completes'>): string => {
  if (choices !== undefined) return `:${value ?? ''}:(${choices.join(' ')})`;
  if (completes !== undefined) return `:${value ?? ''}:_files${completes === 'folders' ? ' -/' : ''}`;
  return value === undefined ? '' : `:${value}: `;
};

const optionSpecs = (option: CompletedOption): string[] =>
  option.names.map((name) =>
    quoted(`${option.isList === true ? '*' : ''}${name}[${described(option.summary)}]${valueOf(option)}`),
  );

const argumentSpecs = ({ name, args }: CommandSpec): string[] => {
  const actions = firstWords().find((each) => each.name === name)?.actions ?? [];
  if (actions.length > 0) return [quoted(`1:action:(${actions.map((each) => each.name).join(' ')})`)];
  return args.map(({ name: value, choices, completes, repeats }, at) =>
    quoted(
      `${repeats === true ? '*' : at + 1}${valueOf({ value, ...(choices && { choices }), ...(completes && { completes }) })}`,
    ),
  );
};

const commandCase = (command: CommandSpec): string => {
  const specs = [...argumentSpecs(command), ...completedOptions(command).flatMap(optionSpecs)];
  return `    ${quoted(command.name)}) _arguments ${specs.join(' ')} ;;`;
};

export const zshCompletion = (): string[] => [
  '#compdef almanac-data',
  '_almanac_data() {',
  '  local command=$words[2]',
  '  if (( CURRENT == 2 )); then',
  `    local -a commands=(${firstWords()
    .map(({ name, summary }) => quoted(`${name}:${described(summary)}`))
    .join(' ')})`,
  '    _describe command commands',
  '    return',
  '  fi',
  '  if (( CURRENT > 3 )); then',
  '    case "$command $words[3]" in',
  `    ${allCommands
    .filter(({ name }) => name.includes(' '))
    .map(({ name }) => quoted(name))
    .join(' | ')}) command+=" $words[3]"; shift words; (( CURRENT-- )) ;;`,
  '    esac',
  '  fi',
  '  shift words; (( CURRENT-- ))',
  '  case $command in',
  ...allCommands.map(commandCase),
  '  esac',
  '}',
  'if [[ $funcstack[1] == _almanac_data ]]; then _almanac_data "$@"; else compdef _almanac_data almanac-data; fi',
];
