import type { PaymentOptions } from '../commerce/commerce.js';
import type { ErrorRecords } from './error-record.js';

const options: PaymentOptions = [
  { type: 'buy_event', event: 'KXBTC15M-26FEB242330', price: { amount: 500, currency: 'USD' } },
  { type: 'upgrade', tier_id: 'pro', price: { amount: 4_900, currency: 'USD' } },
];

export const accountErrors = {
  payment_required: {
    status: 402,
    meaning: 'Your plan does not cover this export, or a payment was declined.',
    when: 'the export needs a purchase or an upgrade, which `options` lists',
    cause:
      'The plan has no export credit left, does not include the requested streams, or does not include exports of this kind.',
    remedy:
      'Choose one of `options`: buy the event through the cart, or upgrade your plan. If a payment was declined, use another card.',
    example: {
      detail:
        'Your plan does not cover this export. Buy the event or upgrade your plan. `options` lists what you can buy.',
      more: { options },
    },
  },
  key_limit_reached: {
    status: 403,
    meaning: 'Your account has as many active API keys as its plan allows.',
    when: 'the account has as many active API keys as its plan allows',
    cause: 'Each active key counts. Revoked keys do not count.',
    remedy: 'Revoke a key that you no longer use, or upgrade your plan.',
    example: { detail: "Your plan's limit for active API keys is 2. Revoke a key or upgrade your plan." },
  },
  key_daily_limit: {
    status: 429,
    meaning: 'Your account has created 100 API keys on this UTC day.',
    when: 'the account has created too many API keys on this UTC day',
    cause: 'Each new key counts, also if it was revoked since.',
    remedy:
      'Wait for the number of seconds in `Retry-After`, which is the time until 00:00 UTC. Reuse a key for all runs of a program instead of creating one for each run.',
    example: {
      detail: 'An account can create 100 API keys per UTC day. Try again after 00:00 UTC.',
      more: { retry_after_s: 25_200 },
    },
  },
  webhook_limit_reached: {
    status: 403,
    meaning: 'Your account has as many webhooks as an account may have.',
    when: 'the account has as many webhooks as it may have',
    cause: 'Each webhook counts, also a disabled one.',
    remedy: 'Delete a webhook that you no longer use, or send more types of events to one address.',
    example: { detail: 'An account can have 20 webhooks. Delete one that you no longer use.' },
  },
  webhook_daily_limit: {
    status: 429,
    meaning: 'Your account has changed its webhooks 100 times on this UTC day.',
    when: 'the account has changed its webhooks too often on this UTC day',
    cause: 'Each creation, rotation and enabling counts. Deletions do not count.',
    remedy:
      'Wait for the number of seconds in `Retry-After`, which is the time until 00:00 UTC. Create a webhook once, not for each run of a program.',
    example: {
      detail: 'An account can change its webhooks 100 times per UTC day. Try again after 00:00 UTC.',
      more: { retry_after_s: 25_200 },
    },
  },
  webhook_disabled: {
    status: 409,
    meaning: 'The webhook is disabled, so nothing is sent to it.',
    when: 'the webhook is disabled',
    cause:
      'Its address failed for 24 hours, answered 410, or too many deliveries waited. `disabled_reason` says which.',
    remedy: 'Repair the receiver, then enable the webhook with `POST /api/v1/webhooks/{webhook_id}/enable`.',
    example: { detail: 'This webhook is disabled, so nothing is sent to it. Enable it first.' },
  },
  export_daily_limit: {
    status: 429,
    meaning: 'Your account has used all exports of this UTC day.',
    when: 'the account has used all exports of this UTC day',
    cause: 'Each export that your plan covers counts. Exports of events that you bought do not count.',
    remedy: 'Wait for the number of seconds in `Retry-After`, which is the time until 00:00 UTC, or upgrade your plan.',
    example: {
      detail: "Your plan's limit for exports per UTC day is 3. Try again after 00:00 UTC.",
      more: { retry_after_s: 25_200 },
    },
  },
  export_pending_limit: {
    status: 429,
    meaning: 'Your account has as many pending exports as its plan allows.',
    when: 'the account has too many pending exports',
    cause: 'The plan limits how many exports can be `pending` at the same time.',
    remedy:
      'Wait until an export is ready, or cancel a pending export. Then send the request again. `pending_exports` has the ids of your pending exports, also of one whose answer you did not receive.',
    example: {
      detail: "Your plan's limit for pending exports is 1. Wait until an export is ready, or cancel one.",
      more: { pending_exports: ['3f6c1b9e-5d0a-4c41-9a7e-0d8f2a6b1c55'] },
    },
  },
  cart_empty: {
    status: 400,
    meaning: 'The cart has no event to buy.',
    when: 'the cart has no event to buy',
    cause: 'The cart is empty, or you have already bought all of its events.',
    remedy: 'Add an event with `POST /api/v1/cart/event-exports`, then check out.',
    example: { detail: 'Your cart has no event to buy. Add an event, then check out.' },
  },
  cart_daily_limit: {
    status: 429,
    meaning: 'Your account has added 1,000 events to its cart on this UTC day.',
    when: 'the account has added too many events to its cart on this UTC day',
    cause:
      'Each event that is added counts, also one that was removed before. An event that is in the cart already does not count.',
    remedy:
      'Wait for the number of seconds in `Retry-After`, which is the time until 00:00 UTC. Show `GET /api/v1/cart` before you add an event again.',
    example: {
      detail: 'An account can add 1000 events to its cart per UTC day. Try again after 00:00 UTC.',
      more: { retry_after_s: 25_200 },
    },
  },
  cart_full: {
    status: 400,
    meaning: 'The cart cannot hold another event.',
    when: 'the cart holds as many events as one checkout can sell',
    cause: 'One checkout sells at most 100 events.',
    remedy: 'Check out, or remove an event with `DELETE /api/v1/cart/event-exports/{event_id}`.',
    example: { detail: 'Your cart is full: it holds 100 events. Check out, or remove an event.' },
  },
  not_an_upgrade: {
    status: 400,
    meaning: 'The requested plan is not higher than your current plan.',
    when: 'the requested plan is not higher than the current one',
    cause: 'An upgrade goes from `free` to `pro` to `full_book`.',
    remedy:
      'Choose a higher plan. To change to a lower plan, open the billing portal with `POST /api/v1/billing/portal`.',
    example: { detail: 'Your plan is full_book, and pro is not an upgrade from it. Choose a higher plan.' },
  },
  account_exists: {
    status: 409,
    meaning: 'The account already exists.',
    when: 'the account already exists',
    cause:
      'An operator opened an account whose id or email address is already in use. The HTTP API does not send this code.',
    remedy: 'Use the existing account, or open the new account with another email address.',
    example: { detail: 'This account already exists, with the plan free.' },
  },
  account_not_found: {
    status: 404,
    meaning: 'The account does not exist.',
    when: 'the account does not exist',
    cause: 'An operator used an account id or email address that the system does not have.',
    remedy: 'Check the id or the email address. If your API key returns this error, report it to the operator.',
    example: { detail: 'This account does not exist. Check the account id.' },
  },
} as const satisfies ErrorRecords;
