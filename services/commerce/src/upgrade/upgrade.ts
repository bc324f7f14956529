import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import {
  DomainError,
  isAbove,
  type SoldPlanId,
  type UpgradeResponse,
  type UpgradeState,
  upgradeState,
} from '@almanac/contracts';
import { execute } from '@almanac/event-store';
import { nameCustomer } from '../account/customer.js';
import { idOfAccountKey } from '../idempotency.js';
import { v5AccountId } from '../ids.js';
import type { Ask, Shop } from '../parts.js';
import { type UpgradeCommand, upgradeDecider } from './upgrade.decider.js';

const stepMs = 5_000;

export interface UpgradeRef {
  readonly account: string;
  readonly id: string;
}

/**
 * Asks for a higher plan: had at once in stub mode, else on a page of the provider. The plan that one has is asked for
 * in vain, without a charge. Throws `not_an_upgrade`, and `idempotency_conflict` for a key that asked for another plan.
 */
export const upgradePlan = async (
  shop: Shop,
  ask: Ask,
  { plan, key }: { plan: SoldPlanId; key: string | undefined },
): Promise<UpgradeResponse> => {
  const { account } = ask;
  const { id, known } =
    key === undefined
      ? { id: randomUUID(), known: undefined }
      : await idOfAccountKey({ account, about: 'upgrade', key, nowUs: shop.nowUs() }, (made) =>
          loadUpgrade(shop, { account, id: made }),
        );
  if (known !== undefined) return repeat(shop, known, plan);
  const { plan: current } = await shop.accounts.load(account);
  if (plan !== current && !isAbove(plan, current)) {
    throw new DomainError('not_an_upgrade', `The plan is ${current}, which ${plan} is no upgrade of.`);
  }
  // Without a key nobody can ask again, so there is nothing to remember.
  if (plan === current && key === undefined) return { mode: shop.payments.mode, plan, checkout_url: null };
  const price = plan === current ? 0 : shop.terms.plans[plan].price;
  const started = await change(
    shop,
    { account, id },
    { type: 'start', mode: shop.payments.mode, plan, price, us: shop.nowUs() },
  );
  return repeat(shop, started, plan);
};

/** Goes on with an upgrade where it stands; one that was answered before is answered in the same words. */
const repeat = async (shop: Shop, upgrade: UpgradeState, plan: SoldPlanId): Promise<UpgradeResponse> => {
  if (upgrade.plan !== plan) {
    throw new DomainError('idempotency_conflict', 'This Idempotency-Key was used for another plan.');
  }
  const { mode, session } = upgrade.status === 'started' ? await goOn(shop, upgrade) : upgrade;
  return { mode, plan, checkout_url: session?.url ?? null };
};

const goOn = async (shop: Shop, upgrade: UpgradeState): Promise<UpgradeState> => {
  const { payments } = shop;
  if (upgrade.price === 0 || upgrade.mode === 'stub') return finishUpgrade(shop, upgrade);
  if (payments.mode === 'stub') {
    throw new DomainError('unavailable', 'This upgrade was begun with a payment provider that is away.');
  }
  const { account, id, plan, price, started_us: startedUs } = upgrade;
  const customerId = await nameCustomer(shop, payments, account);
  const planName = shop.terms.plans[plan].name;
  const session = await payments.openSubscription({ id, account, customerId, plan, planName, price, startedUs });
  return change(shop, upgrade, { type: 'open', session });
};

/** Raises the plan to what is due, and records that this is done. A crash between the two repeats both. */
export const finishUpgrade = async (shop: Shop, upgrade: UpgradeState): Promise<UpgradeState> => {
  if (upgrade.status === 'completed') return upgrade;
  const { account, id, plan } = upgrade;
  const command = { type: 'raise-plan', plan } as const;
  await shop.accounts.run(account, command, { timeoutMs: stepMs, id: v5AccountId(account, `upgrade ${id}`) });
  return change(shop, upgrade, { type: 'complete' });
};

/** Whether nothing but a crash can have kept it from its end. */
export const isDueUpgrade = ({ status, mode, price }: UpgradeState): boolean =>
  status === 'started' && (mode === 'stub' || price === 0);

export const loadUpgrade = async ({ store }: Shop, { account, id }: UpgradeRef): Promise<UpgradeState | undefined> =>
  (await store.load(subjects.upgrade(account, id), upgradeState))?.state;

/** Changes an upgrade, which must be there unless it starts. */
export const change = async (
  { store, nowUs }: Shop,
  { account, id }: UpgradeRef,
  command: UpgradeCommand,
): Promise<UpgradeState> => {
  const outcome = await execute(store, upgradeDecider(account, id), {
    subject: subjects.upgrade(account, id),
    command,
    id: randomUUID(),
    account,
    time: nowUs(),
    timeoutMs: stepMs,
  });
  if (outcome === undefined) throw new Error(`the upgrade ${id} was never started`);
  return outcome.state;
};
