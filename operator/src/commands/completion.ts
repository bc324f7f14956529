import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { planIds } from '@almanac/contracts';
import { anyOf, type Command, didYouMean, globalOptions, homeOf, type OfflineCommand } from './command.js';
import { UsageError } from '../error-message.js';

type AnyCommand = Command | OfflineCommand;

const shells = ['bash', 'zsh', 'fish'] as const;

/** The command that prints a completion script for the given commands and itself. */
export const completionOf = (others: readonly AnyCommand[]): OfflineCommand => {
  const completion: OfflineCommand = {
    words: 'completion',
    takes: anyOf(shells).replaceAll(/, | or /g, '|'),
    does: 'Prints a script that defines the shell command almanac with completion.',
    options: [],
    hasSubject: true,
    subjects: shells,
    runOffline: async ({ subject, environment, show }) => {
      const shell = shells.find((name) => name === subject);
      if (shell === undefined) {
        const advice = subject === undefined ? '' : didYouMean(subject, shells);
        throw new UsageError(`Name the shell: ${anyOf(shells)}.${advice}`);
      }
      const script = scripts[shell](candidatesOf([...others, completion]), homeOf({ environment }));
      show([{ shell, script }], script);
    },
  };
  return completion;
};

/** What may follow the words that were typed so far. */
interface Candidates {
  /** By the typed words, such as `account`. */
  readonly after: ReadonlyMap<string, readonly string[]>;
  /** Possible values of an option. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

const candidatesOf = (commands: readonly AnyCommand[]): Candidates => {
  const after = new Map<string, string[]>();
  const add = (typed: string, ...words: string[]) => after.set(typed, [...(after.get(typed) ?? []), ...words]);
  for (const { words, options, subjects = [] } of commands) {
    const [first = '', second] = words.split(' ');
    if (!(after.get('') ?? []).includes(first)) add('', first);
    if (second !== undefined) add(first, second);
    add(words, ...subjects, ...[...options, ...globalOptions].map((option) => `--${option}`));
  }
  add('', ...globalOptions.map((option) => `--${option}`));
  return { after, values: new Map([['--plan', planIds]]) };
};

const program = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const node = program('../../../node_modules/.bin/node');
const almanac = program('../almanac.js');

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Longer commands first, so that `dead-letters retry` is found before `dead-letters`. */
const longestFirst = ({ after }: Candidates): [string, readonly string[]][] =>
  [...after].filter(([typed]) => typed !== '').toSorted(([one], [other]) => other.length - one.length);

const bash = (
  candidates: Candidates,
  home: string,
): string => `# Load it with: source <(npm run --silent almanac -- completion bash)
almanac() { ALMANAC_HOME="\${ALMANAC_HOME:-"${resolve(home).replaceAll(/["$`\\]/g, '\\$&')}"}" ${quoted(node)} --enable-source-maps ${quoted(almanac)} "$@"; }
_almanac() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" typed='' words='' index
  for ((index = 1; index < COMP_CWORD; index++)); do typed="$typed\${typed:+ }\${COMP_WORDS[index]}"; done
  case "$previous" in
${[...candidates.values].map(([option, values]) => `    ${option}) words=${quoted(values.join(' '))} ;;`).join('\n')}
    *) case "$typed" in
      '') words=${quoted((candidates.after.get('') ?? []).join(' '))} ;;
${longestFirst(candidates)
  .map(([typed, words]) => `      ${quoted(typed)} | ${quoted(`${typed} `)}*) words=${quoted(words.join(' '))} ;;`)
  .join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _almanac almanac`;

const zsh = (candidates: Candidates, home: string): string =>
  `autoload -Uz compinit bashcompinit && compinit -u && bashcompinit
${bash(candidates, home).replace('completion bash', 'completion zsh')}`;

const fish = (
  candidates: Candidates,
  home: string,
): string => `# Load it with: npm run --silent almanac -- completion fish | source
function almanac
  set -q ALMANAC_HOME; or set -lx ALMANAC_HOME ${quoted(resolve(home))}
  ${quoted(node)} --enable-source-maps ${quoted(almanac)} $argv
end
function __almanac_words
  set -l typed (commandline -opc)
  set -e typed[1]
  switch "$typed[-1]"
${[...candidates.values].map(([option, values]) => `    case ${option}\n      printf '%s\\n' ${values.join(' ')}\n      return`).join('\n')}
  end
  switch "$typed"
    case ''
      printf '%s\\n' ${(candidates.after.get('') ?? []).join(' ')}
${longestFirst(candidates)
  .map(([typed, words]) => `    case ${quoted(typed)} ${quoted(`${typed} *`)}\n      printf '%s\\n' ${words.join(' ')}`)
  .join('\n')}
  end
end
complete -c almanac -f -a '(__almanac_words)'`;

const scripts = { bash, zsh, fish } as const;
