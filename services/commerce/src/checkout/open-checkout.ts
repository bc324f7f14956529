import type { HostedSession } from '@almanac/contracts';
import { nameCustomer } from '../account/customer.js';
import type { CommerceContext } from '../commerce-deps.js';
import type { Sale } from './checkout.decider.js';
import { changeSale } from './checkouts.js';
import { expireCheckout, payCheckout, settle } from './fulfil.js';

/** A page that expires sooner than this is not shown any more. */
const pageLeftUs = 60e6;

/** The checkout to answer with: done, or with an open page. Undefined if it expired and the next may begin. */
export const continueCheckout = async (shop: CommerceContext, sale: Sale): Promise<Sale | undefined> => {
  const settled = await settle(shop, sale);
  if (settled.status === 'expired') return undefined;
  if (settled.status === 'started') return openPage(shop, settled);
  if (settled.status !== 'opened') return settled;
  if (settled.session !== null && settled.session.expires_us > shop.nowUs() + pageLeftUs) return settled;
  await abandonCheckout(shop, settled);
  return undefined;
};

const openPage = async (shop: CommerceContext, sale: Sale): Promise<Sale | undefined> => {
  const { payments } = shop;
  if (payments.mode === 'stub') {
    // A deployment with a payment provider started it.
    await abandonCheckout(shop, sale);
    return undefined;
  }
  const { account, id, lines, started_us: startedUs } = sale;
  const customerId = await nameCustomer(shop, payments, account);
  const session = await payments.openCheckout({ id, account, customerId, lines, startedUs });
  const opened = await changeSale(shop, sale, { type: 'open', session });
  if (opened.status !== 'expired') return opened;
  // It was given up while the page was created. Nobody has seen the page.
  await close(shop, opened, session);
  return undefined;
};

/** Ends a checkout that is to be replaced. A paid one is delivered instead. */
export const abandonCheckout = async (shop: CommerceContext, sale: Sale): Promise<void> => {
  const settled = await settle(shop, sale);
  if (settled.status === 'opened' && settled.session !== null) await close(shop, settled, settled.session);
  else if (settled.status === 'started') {
    const left = await changeSale(shop, settled, { type: 'expire', mode: shop.payments.mode, us: shop.nowUs() });
    // Its page may have been opened at the same moment.
    if (left.status === 'expired' && left.session !== null) await close(shop, left, left.session);
    else await settle(shop, left);
  }
};

const close = async (shop: CommerceContext, sale: Sale, session: HostedSession): Promise<void> => {
  const { payments } = shop;
  const closed = payments.mode === 'stub' ? 'expired' : await payments.expireCheckout(session);
  if (closed === 'expired') await expireCheckout(shop, sale);
  else await payCheckout(shop, sale, closed.payment);
};
