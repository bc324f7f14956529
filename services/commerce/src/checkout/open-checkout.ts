import type { HostedSession } from '@almanac/contracts';
import { nameCustomer } from '../account/customer.js';
import type { CommerceContext } from '../commerce-deps.js';
import type { Sale } from './checkout.decider.js';
import { changeSale } from './checkouts.js';
import { expireCheckout, payCheckout, settle } from './fulfil.js';

/** A page that expires sooner than this is not shown any more. */
const pageLeftUs = 60e6;

/** The checkout to answer with: done, or with an open page. Undefined if it expired and the next may begin. */
export const continueCheckout = async (commerce: CommerceContext, sale: Sale): Promise<Sale | undefined> => {
  const settled = await settle(commerce, sale);
  if (settled.status === 'expired') return undefined;
  if (settled.status === 'started') return openPage(commerce, settled);
  if (settled.status !== 'opened') return settled;
  if (settled.session !== null && settled.session.expires_us > commerce.nowUs() + pageLeftUs) return settled;
  await abandonCheckout(commerce, settled);
  return undefined;
};

const openPage = async (commerce: CommerceContext, sale: Sale): Promise<Sale | undefined> => {
  const { payments } = commerce;
  if (payments.mode === 'stub') {
    // A deployment with a payment provider started it.
    await abandonCheckout(commerce, sale);
    return undefined;
  }
  const { account, id, lines, started_us: startedUs } = sale;
  const customerId = await nameCustomer(commerce, payments, account);
  const session = await payments.openCheckout({ id, account, customerId, lines, startedUs });
  const opened = await changeSale(commerce, sale, { type: 'open', session });
  if (opened.status !== 'expired') return opened;
  // It was given up while the page was created. Nobody has seen the page.
  await close(commerce, opened, session);
  return undefined;
};

/** Ends a checkout that is to be replaced. A paid one is delivered instead. */
export const abandonCheckout = async (commerce: CommerceContext, sale: Sale): Promise<void> => {
  const settled = await settle(commerce, sale);
  if (settled.status === 'opened' && settled.session !== null) await close(commerce, settled, settled.session);
  else if (settled.status === 'started') {
    const left = await changeSale(commerce, settled, {
      type: 'expire',
      mode: commerce.payments.mode,
      us: commerce.nowUs(),
    });
    // Its page may have been opened at the same moment.
    if (left.status === 'expired' && left.session !== null) await close(commerce, left, left.session);
    else await settle(commerce, left);
  }
};

const close = async (commerce: CommerceContext, sale: Sale, session: HostedSession): Promise<void> => {
  const { payments } = commerce;
  const closed = payments.mode === 'stub' ? 'expired' : await payments.expireCheckout(session);
  if (closed === 'expired') await expireCheckout(commerce, sale);
  else await payCheckout(commerce, sale, closed.payment);
};
