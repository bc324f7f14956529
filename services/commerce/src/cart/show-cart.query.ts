import { type AccountState, type CartResponse, moneyOf } from '@almanac/contracts';
import type { CommandContext, CommerceContext } from '../commerce-deps.js';

export const showCart = async (commerce: CommerceContext, { account }: CommandContext): Promise<CartResponse> =>
  presentCart(commerce, await commerce.accounts.load(account));

export const presentCart = ({ terms }: CommerceContext, { cart }: AccountState): CartResponse => {
  const price = moneyOf(terms.eventPrice);
  return {
    count: cart.length,
    items: cart.map(({ event, title, series }) => ({ event, title, series, price })),
    total: moneyOf(cart.length * terms.eventPrice),
  };
};
