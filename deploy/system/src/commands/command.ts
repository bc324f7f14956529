import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { type Bus, isValidId, rpcClient } from '@almanac/bus';
import { type AccountName, commerceRpc, email, type PlanId, planId } from '@almanac/contracts';
import type { z } from 'zod';

/** An error that the user can fix. The message is one sentence. */
export class UsageError extends Error {}

export const options = {
  account: { type: 'string' },
  email: { type: 'string' },
  name: { type: 'string' },
  plan: { type: 'string' },
  to: { type: 'string' },
  from: { type: 'string' },
  yes: { type: 'boolean' },
  watch: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;
export type Option = keyof typeof options;

export interface CliInput {
  readonly environment: NodeJS.ProcessEnv;
  /** The argument after the command's words. */
  readonly subject: string | undefined;
  readonly text: (option: Exclude<Option, 'yes' | 'watch' | 'help'>) => string | undefined;
  readonly yes: boolean;
  /** Whether to repeat until the user stops it. */
  readonly watch: boolean;
  readonly print: (line: string) => void;
  /** Asks the user for confirmation. Null if nobody can answer. */
  readonly confirm: ((prompt: string) => Promise<boolean>) | null;
}

/** The same, on a running system. */
export interface CliContext extends CliInput {
  readonly bus: Bus;
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
  if (!plan.success) throw new UsageError(`Unknown plan ${given}. Use free, pro, full_book or internal.`);
  return plan.data;
};
