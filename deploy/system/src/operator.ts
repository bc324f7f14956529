import { randomUUID } from 'node:crypto';
import { type Bus, connectBus, rpcClient } from '@almanac/bus';
import { commerceRpc, DomainError, keysRpc, type Person, type PlanId } from '@almanac/contracts';
import { newAccountId } from '@almanac/runtime';

/** How the operator's commands reach the system. */
export interface OperatorConnection {
  readonly url: string;
  readonly password?: string;
  /** Copies of each stream that it makes; one when left out. */
  readonly replicas?: number;
}

export const connectOperator = (connection: OperatorConnection): Promise<Bus> =>
  connectBus({ ...connection, user: 'operator', connectTimeoutMs: 5_000 });

/** Opens an account with a first key. The secret is in the answer only, never stored. Throws `account_exists`. */
export const createAccount = async (
  bus: Bus,
  { plan, keyName, person = null }: { plan: PlanId; keyName: string; person?: Person | null },
): Promise<{ account: string; key: string }> => {
  const opening = { account: newAccountId(), plan, person };
  const { account } = await rpcClient(bus).call(commerceRpc.openAccount, {
    input: opening,
    context: { requestId: randomUUID() },
  });
  return { account, key: await createKey(bus, { account, name: keyName }) };
};

/** The whole key, which is in this answer only. */
export const createKey = async (bus: Bus, { account, name }: { account: string; name: string }): Promise<string> => {
  const context = { requestId: randomUUID(), account };
  const { secret } = await rpcClient(bus).call(keysRpc.create, { input: { name }, context });
  if (secret === null)
    throw new DomainError(
      'internal',
      'This key was already created, and its secret cannot be shown again. Create another key.',
    );
  return secret;
};
