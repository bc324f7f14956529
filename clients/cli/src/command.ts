import type { Almanac } from '@almanac/client/node';
import type { GivenOptions } from './given-options.js';
import type { Terminal } from './terminal.js';

/** One option of a command. Parsing, help and completion follow from it. */
export interface OptionSpec {
  /** The name of the value in the help. A flag has none. */
  readonly value?: string;
  readonly short?: string;
  readonly summary: string;
  /** Can be given several times, or with commas. */
  readonly isList?: boolean;
  readonly choices?: readonly string[];
  readonly completes?: 'files' | 'folders';
}

export interface ArgumentSpec {
  readonly name: string;
  readonly isOptional?: boolean;
  /** Takes all further words, too. */
  readonly repeats?: boolean;
  readonly choices?: readonly string[];
  readonly completes?: 'files' | 'folders';
}

/** What a command has found, in all the forms in which it can be printed. */
export interface Result {
  /** For `--json`: the answers of the API as they were received, a line each. */
  readonly json: readonly string[];
  /** For `--csv`: the fields of the API. */
  readonly items: readonly object[];
  /** For people. Its lines have no line break at the end. */
  readonly lines: readonly string[];
  /** Remarks on the result, which do not belong to it. */
  readonly remarks?: readonly string[];
}

export interface CommandContext {
  readonly args: readonly string[];
  readonly options: GivenOptions;
  /** The client. Throws if nobody is signed in. */
  readonly almanac: Almanac;
  /** The JSON answers of the API so far whose path ends with this, as they were received. */
  readonly answers: (path: RegExp) => readonly string[];
  readonly terminal: Terminal;
  /** Ends the command, for Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface CommandSpec {
  /** One word, or two such as `keys create`. */
  readonly name: string;
  readonly summary: string;
  /** More sentences for the help of this command. */
  readonly details?: readonly string[];
  readonly args: readonly ArgumentSpec[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly examples: readonly string[];
  /** It ends by itself after Ctrl-C, because it stores something. */
  readonly endsItself?: boolean;
  readonly run: (context: CommandContext) => Promise<Result>;
}
