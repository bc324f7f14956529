import { DomainError, moneyOf, optionEventsMax, type PaymentOptions, soldPlanId } from '@almanac/contracts';
import type { Claim, Now } from './grants.js';

/** The refusal of a claim that nothing covers, with everything that would cover it, cheapest first. */
export const paymentRequired = (claim: Claim, now: Now, { hasCredit }: { hasCredit: boolean }): DomainError => {
  const options = [...eventOptions(claim, now), ...planOptions(claim, now)].toSorted(
    (one, other) => one.price.amount - other.price.amount,
  );
  const several = isSingle(claim) ? 'the event' : 'its events';
  const credit = hasCredit
    ? 'You have a free export credit: `use_free_credit: true` spends it, which unlocks the event permanently. '
    : '';
  return new DomainError(
    'payment_required',
    `Your plan does not cover this export. ${credit}Buy ${several} or upgrade your plan. \`options\` lists what you can buy.`,
    { more: { options } },
  );
};

const isSingle = ({ events, dayPack }: Claim): boolean => events.length === 1 && !dayPack;

/** A purchase covers an export if each of its markets belongs to an event. */
const eventOptions = (claim: Claim, { eventPrice }: Now): PaymentOptions => {
  const { locked, planOnly } = claim;
  const price = moneyOf(eventPrice);
  if (planOnly || locked.length === 0) return [];
  if (isSingle(claim)) return locked.map((event) => ({ type: 'buy_event', event, price }));
  const events = locked.toSorted().slice(0, optionEventsMax);
  return [
    {
      type: 'buy_events',
      price: moneyOf(locked.length * eventPrice),
      events_n: locked.length,
      // All events have one price, so the order by price is the order by ticker.
      events: events.map((event) => ({ event, price })),
      next: nextOf(locked.length),
    },
  ];
};

const nextOf = (events: number): string => {
  const buy = 'Add each event with POST /api/v1/cart/event-exports. Pay with POST /api/v1/cart/checkout.';
  if (events <= optionEventsMax) return `${buy} Then send this request again.`;
  return `${buy} A cart holds ${optionEventsMax} events, so repeat this for the others. Then send this request again.`;
};

const planOptions = ({ l2 }: Claim, { plans }: Now): PaymentOptions =>
  soldPlanId.options
    .filter((plan) => plans[plan].exportIncluded && (!l2 || plans[plan].l2Export))
    .map((plan) => ({ type: 'upgrade', tier_id: plan, price: moneyOf(plans[plan].price) }));
