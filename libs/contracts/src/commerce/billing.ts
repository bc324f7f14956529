import { z } from 'zod';
import { checkoutUrlShown, hostedSession, paymentMode, paymentModeShown, purchaseRemarks } from './cart.js';
import { eventOf } from '../events/events.js';
import { micros } from '../requests/numbers.js';
import { planId, soldPlanId } from './plans.js';

export const upgradeBody = z
  .object({ tier_id: soldPlanId.meta({ description: 'Plan to upgrade to', examples: ['pro'] }) })
  .meta({ id: 'UpgradeBody' });

export const upgradeResponse = z
  .object({
    mode: paymentModeShown,
    plan: planId.meta({
      description: 'Requested plan. With a hosted checkout, it becomes active after the payment',
      examples: ['pro'],
    }),
    checkout_url: checkoutUrlShown('URL of the hosted payment page. Null if there is nothing to pay'),
    remarks: purchaseRemarks,
  })
  .meta({ id: 'UpgradeResponse', description: 'A plan upgrade.' });
export type UpgradeResponse = z.infer<typeof upgradeResponse>;

export const portalResponse = z
  .object({
    mode: paymentModeShown,
    portal_url: z
      .string()
      .nullable()
      .meta({
        description:
          'URL of the billing portal of the payment provider, for cards, invoices and cancellation. Null if the server has no payment provider',
        examples: ['https://billing.example.com/p/session/bps_1a2b3c'],
      }),
  })
  .meta({ id: 'PortalResponse' });
export type PortalResponse = z.infer<typeof portalResponse>;

/** The last upgrade on a page of the payment provider. It may be set before the upgrade exists. */
export const openUpgrade = z.object({ id: z.string(), plan: soldPlanId });
export type OpenUpgrade = z.infer<typeof openUpgrade>;

/** The provider's monthly subscription, as of the last query. */
export const subscription = z.object({
  id: z.string(),
  /** The provider's own status, such as `active` or `past_due`. */
  status: z.string(),
  plan: planId,
  period_end_us: micros,
  /** The time since which a failed renewal is due. Null: none. */
  past_due_us: micros.nullable().default(null),
});
export type Subscription = z.infer<typeof subscription>;

export const upgradeState = z.object({
  status: z.enum(['started', 'opened', 'completed', 'expired']),
  id: z.string(),
  account: z.string(),
  mode: paymentMode,
  plan: soldPlanId,
  /** Minor units per month, at the start of the upgrade. */
  price: z.int(),
  started_us: micros,
  session: hostedSession.nullable(),
});
export type UpgradeState = z.infer<typeof upgradeState>;

/** EVT_COMMERCE: `evt.commerce.<account>.upgrade.<id>`. */
export const upgradeEvents = {
  UpgradeStarted: eventOf(
    'UpgradeStarted',
    z.object({ mode: paymentMode, plan: soldPlanId, price: z.int(), started_us: micros }),
    upgradeState,
  ),
  UpgradeOpened: eventOf('UpgradeOpened', hostedSession, upgradeState),
  UpgradeCompleted: eventOf('UpgradeCompleted', z.object({}), upgradeState),
  UpgradeExpired: eventOf('UpgradeExpired', z.object({}), upgradeState),
};
