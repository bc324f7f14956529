import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import { type SoldPlanId, type UpgradeState, upgradeState } from '@almanac/contracts';
import { execute } from '@almanac/event-store';
import type { CommerceContext } from '../commerce-deps.js';
import { type UpgradeCommand, upgradeDecider } from './upgrade.decider.js';

const stepMs = 5_000;

export interface UpgradeRef {
  readonly account: string;
  readonly id: string;
}

export const loadUpgrade = async (
  { store }: CommerceContext,
  { account, id }: UpgradeRef,
): Promise<UpgradeState | undefined> => (await store.load(subjects.upgrade(account, id), upgradeState))?.state;

/** Freezes plan and price. An upgrade that was already started does not change. */
export const startUpgrade = (
  commerce: CommerceContext,
  ref: UpgradeRef,
  { plan, price }: { plan: SoldPlanId; price: number },
): Promise<UpgradeState> =>
  changeUpgrade(commerce, ref, { type: 'start', mode: commerce.payments.mode, plan, price, us: commerce.nowUs() });

/** Changes an upgrade. It must exist, except for `start`. */
export const changeUpgrade = async (
  { store, nowUs }: CommerceContext,
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
