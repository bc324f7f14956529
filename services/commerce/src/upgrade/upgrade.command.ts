import { randomUUID } from 'node:crypto';
import {
  DomainError,
  isAbove,
  type PaymentMode,
  remarksOfPayment,
  type SoldPlanId,
  type UpgradeResponse,
  type UpgradeState,
} from '@almanac/contracts';
import type { IdempotencyMatch } from '@almanac/runtime';
import { idOfAccountKey } from '../idempotency.js';
import { v5AccountId } from '../ids.js';
import type { CommandContext, CommerceContext } from '../commerce-deps.js';
import { hostedUpgrade, openPage } from './hosted-upgrade.js';
import { changeUpgrade, loadUpgrade, startUpgrade } from './upgrades.js';

const stepMs = 5_000;

/**
 * Upgrades a plan: at once in stub mode, otherwise on a page of the provider, of which an account has at most one.
 * Requesting the current plan is free and changes nothing. Throws `not_an_upgrade`, `idempotency_conflict` for a key
 * that requested another plan, and `conflict`.
 */
export const upgradePlan = async (
  commerce: CommerceContext,
  context: CommandContext,
  { plan, key }: { plan: SoldPlanId; key: string | undefined },
): Promise<UpgradeResponse> => {
  const { account } = context;
  const { id, existing } =
    key === undefined ? { id: randomUUID(), existing: undefined } : await upgradeOfKey(commerce, account, key);
  if (existing !== undefined) return answered(commerce, existing, plan);
  const { plan: current } = await commerce.accounts.load(account);
  if (plan !== current && !isAbove(plan, current)) {
    throw new DomainError(
      'not_an_upgrade',
      `Your plan is ${current}, and ${plan} is not an upgrade from it. Choose a higher plan.`,
    );
  }
  // Without a key there is no repetition to recognise, so nothing is recorded.
  if (plan === current && key === undefined) return upgradeAnswer(commerce.payments.mode, plan, null);
  if (plan === current || commerce.payments.mode === 'stub') {
    const price = plan === current ? 0 : commerce.terms.plans[plan].price;
    return answered(commerce, await startUpgrade(commerce, { account, id }, { plan, price }), plan);
  }
  const paid = await hostedUpgrade(commerce, context, { id, plan });
  // For a day the key leads to the page that was already open.
  if (key !== undefined && paid.id !== id && paid.session !== null) {
    await startUpgrade(commerce, { account, id }, { plan, price: paid.price });
    await changeUpgrade(commerce, { account, id }, { type: 'open', session: paid.session });
  }
  return answered(commerce, paid, plan);
};

/** An upgrade that expired before it had a page does not count. */
const upgradeOfKey = (
  commerce: CommerceContext,
  account: string,
  key: string,
): Promise<IdempotencyMatch<UpgradeState>> =>
  idOfAccountKey(
    { account, about: 'upgrade', key, nowUs: commerce.nowUs() },
    (id) => loadUpgrade(commerce, { account, id }),
    ({ status, session }) => status !== 'expired' || session !== null,
  );

/** A repeated request gets the same answer. */
const answered = async (
  commerce: CommerceContext,
  upgrade: UpgradeState,
  plan: SoldPlanId,
): Promise<UpgradeResponse> => {
  if (upgrade.plan !== plan) {
    throw new DomainError(
      'idempotency_conflict',
      'This Idempotency-Key belongs to an upgrade to a different plan. Send a new key for a new upgrade.',
    );
  }
  const { mode, session } = upgrade.status === 'started' ? await advance(commerce, upgrade) : upgrade;
  return upgradeAnswer(mode, plan, session?.url ?? null);
};

const upgradeAnswer = (mode: PaymentMode, plan: SoldPlanId, checkout_url: string | null): UpgradeResponse => ({
  mode,
  plan,
  checkout_url,
  ...remarksOfPayment(mode),
});

const advance = (commerce: CommerceContext, upgrade: UpgradeState): Promise<UpgradeState> =>
  upgrade.price === 0 || upgrade.mode === 'stub' ? finishUpgrade(commerce, upgrade) : openPage(commerce, upgrade);

/** Raises the plan, then completes the upgrade. A crash between the two repeats both. */
export const finishUpgrade = async (commerce: CommerceContext, upgrade: UpgradeState): Promise<UpgradeState> => {
  if (upgrade.status === 'completed') return upgrade;
  const { account, id, plan } = upgrade;
  const command = { type: 'raise-plan', plan } as const;
  await commerce.accounts.run(account, command, { timeoutMs: stepMs, id: v5AccountId(account, `upgrade ${id}`) });
  return changeUpgrade(commerce, upgrade, { type: 'complete' });
};

/** Whether only a crash can have stopped the upgrade. */
export const isReadyToFinish = ({ status, mode, price }: UpgradeState): boolean =>
  status === 'started' && (mode === 'stub' || price === 0);
