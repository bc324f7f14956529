import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { type AdminBus, isValidId, rpcClient } from '@almanac/bus';
import { type AccountName, commerceRpc, email, type PlanId, planId, planIds } from '@almanac/contracts';
import { nearestName } from '@almanac/runtime';
import type { z } from 'zod';
import { UsageError } from '../error-message.js';

export const options = {
  account: { type: 'string' },
  email: { type: 'string' },
  name: { type: 'string' },
  'as-of': { type: 'string' },
  plan: { type: 'string' },
  at: { type: 'string' },
  to: { type: 'string' },
  from: { type: 'string' },
  type: { type: 'string' },
  'keep-last': { type: 'string' },
  'keep-daily': { type: 'string' },
  'keep-weekly': { type: 'string' },
  'keep-monthly': { type: 'string' },
  metrics: { type: 'string' },
  yes: { type: 'boolean' },
  watch: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const;
export type Option = keyof typeof options;
/** Options of every command. */
export const globalOptions = ['json', 'help', 'version'] as const satisfies Option[];
type FlagOption = (typeof globalOptions)[number] | 'yes' | 'watch';

export interface CliInput {
  readonly environment: NodeJS.ProcessEnv;
  /** The argument after the command's words. */
  readonly subject: string | undefined;
  readonly text: (option: Exclude<Option, FlagOption>) => string | undefined;
  readonly yes: boolean;
  /** Whether to repeat until the user stops it. */
  readonly watch: boolean;
  /** Shows a result: with --json each item as one line of JSON, otherwise the text. */
  readonly show: (items: readonly object[], text: string) => void;
  /** Reports progress to the user. It is not part of the result. */
  readonly note: (line: string) => void;
  /** Asks the user for confirmation. Null if nobody can answer. */
  readonly confirm: ((prompt: string) => Promise<boolean>) | null;
}

/** The same, on a running system. */
export interface CliContext extends CliInput {
  readonly bus: AdminBus;
}

interface Described {
  /** The name of the command, such as `account create`. */
  readonly words: string;
  /** The arguments, for the usage text. */
  readonly takes: string;
  readonly does: string;
  readonly options: readonly Option[];
  /** Whether an argument may follow the words. */
  readonly hasSubject: boolean;
  /** The possible arguments, if they are few. */
  readonly subjects?: readonly string[];
}

export interface Command extends Described {
  readonly run: (cliContext: CliContext) => Promise<void>;
}

/** A command for a system that does not run. */
export interface OfflineCommand extends Described {
  readonly runOffline: (typed: CliInput) => Promise<void>;
}

export const homeOf = ({ environment }: Pick<CliInput, 'environment'>): string =>
  resolve(environment['ALMANAC_HOME'] || '.almanac');

type Found = z.output<typeof commerceRpc.findAccount.output>;

/** The account whose id or e-mail address follows the command's words or `--account`. */
export const findAccount = async ({ bus, subject, text }: CliContext): Promise<Found> => {
  const given = text('account') ?? subject;
  if (given === undefined) throw new UsageError('Name the account by its id or its email address.');
  return rpcClient(bus).call(commerceRpc.findAccount, { input: nameIn(given), context: { requestId: randomUUID() } });
};

/** The input may be an address, so no error message repeats it. */
export const nameIn = (given: string): AccountName => {
  if (given.includes('@')) return { email: emailIn(given) };
  if (!isValidId(given))
    throw new UsageError('The account id is not valid. `account show` prints the id of an account.');
  return { account: given };
};

export const emailIn = (given: string): string => {
  const parsed = email.safeParse(given);
  if (!parsed.success) throw new UsageError('The email address is not valid. Use the form name@example.com.');
  return parsed.data;
};

export const planIn = (given: string): PlanId => {
  const plan = planId.safeParse(given);
  if (!plan.success) throw new UsageError(`Unknown plan ${given}.${didYouMean(given, planIds)} Use ${anyOf(planIds)}.`);
  return plan.data;
};

/** ` Did you mean …?`, or nothing if no known name is near. */
export const didYouMean = (given: string, known: Iterable<string>): string => {
  const nearest = nearestName(given, known);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
};

/** `a, b or c`. */
export const anyOf = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
