import { setTimeout as delay } from 'node:timers/promises';
import { DomainError, type OpenUpgrade, type UpgradeState } from '@almanac/contracts';
import { nameCustomer } from '../account/customer.js';
import type { CommandContext, CommerceContext } from '../commerce-deps.js';
import { changeUpgrade, loadUpgrade, startUpgrade } from './upgrades.js';

const roundsMax = 20;
const pauseMsMax = 25;
/** A page that expires sooner than this is not shown any more. */
const pageLeftUs = 60e6;

/** The upgrade to pay for: the open one of this plan, or a new one after closing the page of another plan. */
export const hostedUpgrade = async (
  commerce: CommerceContext,
  context: CommandContext,
  requested: OpenUpgrade,
): Promise<UpgradeState> => {
  for (let round = 0; round < roundsMax && context.remainingMs() > 0; round += 1) {
    if (round > 0) await delay(pauseMsMax * Math.random());
    const upgrade = await oneRound(commerce, context, requested);
    if (upgrade !== undefined) return upgrade.status === 'started' ? openPage(commerce, upgrade) : upgrade;
  }
  throw new DomainError('conflict', 'Several upgrades were requested at the same time. Try again in a few seconds.');
};

/** Undefined if something changed and the next round must look again. */
const oneRound = async (
  commerce: CommerceContext,
  { account, remainingMs }: CommandContext,
  requested: OpenUpgrade,
): Promise<UpgradeState | undefined> => {
  const { upgrade: last } = await commerce.accounts.load(account);
  const open = last === null ? undefined : await startedOf(commerce, account, last);
  if (open?.status === 'started' || open?.status === 'opened') {
    const isShown = open.session === null || open.session.expires_us > commerce.nowUs() + pageLeftUs;
    if (open.plan === requested.plan && isShown) return open;
    await abandonUpgrade(commerce, open);
  }
  const command = { type: 'begin-upgrade', upgrade: requested, instead: last?.id ?? null } as const;
  const { upgrade: openUpgrade } = await commerce.accounts.run(account, command, { timeoutMs: remainingMs() });
  return openUpgrade?.id === requested.id ? startedOf(commerce, account, requested) : undefined;
};

/** Loads the upgrade. If a crash left only the account's entry, starts it now. */
const startedOf = async (
  commerce: CommerceContext,
  account: string,
  { id, plan }: OpenUpgrade,
): Promise<UpgradeState> =>
  (await loadUpgrade(commerce, { account, id })) ??
  startUpgrade(commerce, { account, id }, { plan, price: commerce.terms.plans[plan].price });

/** Returns the same page on every call. Throws `conflict` if the upgrade was given up meanwhile. */
export const openPage = async (commerce: CommerceContext, upgrade: UpgradeState): Promise<UpgradeState> => {
  const { payments } = commerce;
  if (payments.mode === 'stub') {
    throw new DomainError(
      'unavailable',
      'This upgrade needs the payment provider, which is not configured right now. Try again later.',
    );
  }
  const { account, id, plan, price, started_us: startedUs } = upgrade;
  const customerId = await nameCustomer(commerce, payments, account);
  const planName = commerce.terms.plans[plan].name;
  const session = await payments.openSubscription({ id, account, customerId, plan, planName, price, startedUs });
  const opened = await changeUpgrade(commerce, upgrade, { type: 'open', session });
  if (opened.status !== 'expired' || opened.session !== null) return opened;
  // Another plan was requested while the page was created. Nobody has seen the page.
  await payments.expireCheckout(session);
  throw new DomainError(
    'conflict',
    'Another request chose a different plan at the same time. Try again if you still want this plan.',
  );
};

/** Closes the page of an upgrade that is to be replaced. Throws `conflict` if it is already paid. */
const abandonUpgrade = async (commerce: CommerceContext, upgrade: UpgradeState): Promise<void> => {
  const { payments } = commerce;
  // Its page may be opened at the same moment.
  const left = upgrade.session === null ? await changeUpgrade(commerce, upgrade, { type: 'expire' }) : upgrade;
  if (left.session === null || payments.mode === 'stub') return;
  if ((await payments.expireCheckout(left.session)) !== 'expired') {
    throw new DomainError('conflict', 'You just paid for another upgrade. Try again when that plan is active.', {
      more: { retry_after_s: 5 },
    });
  }
  await changeUpgrade(commerce, left, { type: 'expire' });
};
