import { type AccountState, type CartResponse, moneyOf } from '@almanac/contracts';
import type { CommandContext, CommerceContext } from '../commerce-deps.js';
import { coversAllEvents } from '../account/grants.js';

export const showCart = async (commerce: CommerceContext, { account }: CommandContext): Promise<CartResponse> =>
  presentCart(commerce, await commerce.accounts.show(account));

/** The prices are those of now: an event costs nothing while the plan covers all that a purchase gives. */
export const presentCart = ({ terms }: CommerceContext, { cart, plan }: AccountState): CartResponse => {
  const isCovered = coversAllEvents(terms.plans[plan]);
  const eventPrice = isCovered ? 0 : terms.eventPrice;
  const price = moneyOf(eventPrice);
  const covered = isCovered ? ({ covered_by: 'plan' } as const) : {};
  return {
    count: cart.length,
    items: cart.map(({ event, title, series }) => ({ event, title, series, price, ...covered })),
    total: moneyOf(cart.length * eventPrice),
    ...(cart.length === 0 ? {} : remarksOf(terms.plans[plan])),
  };
};

type Terms = CommerceContext['terms']['plans'][AccountState['plan']];

const remarksOf = (plan: Terms): Pick<CartResponse, 'remarks'> => {
  if (coversAllEvents(plan)) {
    return {
      remarks: [`Your plan ${plan.name} covers every event, so these cost nothing. A checkout leaves them out.`],
    };
  }
  if (!plan.exportIncluded) return {};
  return {
    remarks: [
      `Your plan ${plan.name} covers exports without order books (\`l2\`). Buy an event for its order books, or to keep it without the plan.`,
    ],
  };
};
