import type { CommandSpec, OptionSpec } from '../command.js';
import { commands, optionsOf } from '../commands.js';

/** The command table as completion needs it: each first word once, with its actions. */
export interface FirstWord {
  readonly name: string;
  readonly summary: string;
  readonly actions: readonly { readonly name: string; readonly summary: string }[];
}

export const firstWords = (): FirstWord[] =>
  commands
    .filter(({ name }) => !name.includes(' '))
    .map(({ name, summary }) => ({
      name,
      summary,
      actions: commands.flatMap((each) =>
        each.name.startsWith(`${name} `) ? [{ name: each.name.slice(name.length + 1), summary: each.summary }] : [],
      ),
    }));

export interface CompletedOption extends OptionSpec {
  /** With its dashes. */
  readonly names: readonly string[];
}

export const completedOptions = (command: CommandSpec): CompletedOption[] =>
  Object.entries(optionsOf(command)).map(([name, spec]) => ({
    ...spec,
    names: [...(spec.short === undefined ? [] : [`-${spec.short}`]), `--${name}`],
  }));

export const allCommands = commands;

/** A text between single quotes of a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
