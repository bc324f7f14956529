import { randomBytes, randomUUID } from 'node:crypto';
import { type AdminBus, type BusTls, connectBus, rpcClient } from '@almanac/bus';
import { commerceRpc, DomainError, keysRpc, type Person, type PlanId } from '@almanac/contracts';
import { newAccountId } from '@almanac/runtime';

export interface OperatorConnection {
  readonly url: string;
  readonly password?: string;
  readonly tls?: BusTls;
  /** Replicas of each stream that it creates. Default 1. */
  readonly replicas?: number;
  /** Partitions of the streams. Default 1. */
  readonly partitions?: number;
}

export const connectOperator = (connection: OperatorConnection): Promise<AdminBus> =>
  connectBus({ ...connection, user: 'operator', connectTimeoutMs: 5_000 });

/** Opens an account with a first key. The secret is only in the answer, never stored. Throws `account_exists`. */
export const createAccount = async (
  bus: AdminBus,
  { plan, keyName, person = null }: { plan: PlanId; keyName: string; person?: Person | null },
): Promise<{ account: string; key: string }> => {
  const opening = { account: newAccountId(), plan, person };
  const { account } = await rpcClient(bus).call(commerceRpc.openAccount, {
    input: opening,
    context: { requestId: randomUUID() },
  });
  return { account, key: await createKey(bus, { account, name: keyName }) };
};

/** Returns the full key. Only this answer has it. Throws `unavailable` for `as_of` if the keys service does not know it. */
export const createKey = async (
  bus: AdminBus,
  { account, name, as_of }: { account: string; name: string; as_of?: number | undefined },
): Promise<string> => {
  const context = { requestId: randomUUID(), account };
  const { secret, as_of: stored } = await rpcClient(bus).call(keysRpc.create, {
    input: { name, as_of, idempotency_key: randomUUID(), seed: randomBytes(32).toString('hex') },
    context,
  });
  if (stored !== (as_of ?? null))
    throw new DomainError('unavailable', 'This server cannot make a key with as_of yet. Try again after the upgrade.');
  if (secret === null)
    throw new DomainError(
      'internal',
      'This key was already created, and its secret cannot be shown again. Create another key.',
    );
  return secret;
};
