import type { Handlers } from '@almanac/bus/server';
import type { commerceRpc } from '@almanac/contracts';
import { changePlan } from './account/change-plan.command.js';
import { openPortal } from './account/open-portal.command.js';
import { listPlans, showPlan } from './account/plan.query.js';
import { quote } from './account/quote.query.js';
import { reserve } from './account/reserve.command.js';
import { addToCart, removeFromCart } from './cart/change-cart.command.js';
import { showCart } from './cart/show-cart.query.js';
import { checkOut } from './checkout/check-out.command.js';
import { commandContextOf, type CommerceContext } from './commerce-deps.js';
import { eraseAccount } from './personal/erase-account.command.js';
import { findAccount } from './personal/find-account.query.js';
import { openAccount } from './personal/open-account.command.js';
import type { PersonRecords } from './personal/person-records.js';
import { receiveWebhook } from './stripe-events/receive-webhook.command.js';
import { upgradePlan } from './upgrade/upgrade.command.js';

export const commerceController = (
  commerce: CommerceContext,
  persons: PersonRecords,
): Handlers<typeof commerceRpc> => ({
  reserve: (input, context) => reserve(commerce, input, context),
  quote: (input, context) => quote(commerce, input, context),
  plan: (_input, context) => showPlan(commerce, context),
  cart: (_input, context) => showCart(commerce, commandContextOf(context)),
  addToCart: ({ event }, context) => addToCart(commerce, commandContextOf(context), event),
  removeFromCart: ({ event_id }, context) => removeFromCart(commerce, commandContextOf(context), event_id),
  checkout: ({ idempotency_key: key }, context) => checkOut(commerce, commandContextOf(context), key ?? undefined),
  upgrade: ({ tier_id: plan, idempotency_key: key }, context) =>
    upgradePlan(commerce, commandContextOf(context), { plan, key: key ?? undefined }),
  portal: (_input, { caller }) => openPortal(commerce, caller),
  stripeWebhook: (input, context) => receiveWebhook(commerce, input, context),
  // Only the operator's command line may call these.
  openAccount: (input, context) => openAccount(commerce, persons, input, context),
  findAccount: (name) => findAccount(commerce, persons, name),
  listPlans: () => listPlans(commerce),
  changePlan: (input, context) => changePlan(commerce, input, context),
  eraseAccount: (name, context) => eraseAccount(commerce, persons, name, context),
});
