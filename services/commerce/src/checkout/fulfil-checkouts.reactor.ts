import { type Bus, consume, durables, patterns, type Running } from '@almanac/bus';
import { checkoutState, openAccountsCheckpoint } from '@almanac/contracts';
import { z } from 'zod';
import type { Logger } from '@almanac/runtime';
import type { CommerceContext } from '../commerce-deps.js';
import { loadCheckout } from './checkouts.js';
import { settle } from './fulfil.js';

/** Settles every checkout that was paid or has ended, in case the request or webhook died before it could. */
export const fulfilCheckouts = (bus: Bus, commerce: CommerceContext, log: Logger): Promise<Running> =>
  consume(bus, {
    stream: 'EVT_COMMERCE',
    durable: durables.commerceCheckouts,
    filter: patterns.allCheckouts,
    state: z.union([checkoutState, openAccountsCheckpoint]),
    concurrency: 4,
    deliveriesMax: 100,
    onFailure: (error, { subject, seq }, next) =>
      log.warn({ err: error, subject, seq, next }, 'a checkout could not be fulfilled'),
    handle: async ({ event: { state } }) => {
      if ('rule' in state) return;
      const sale = await loadCheckout(commerce, state);
      if (sale !== undefined && sale.status !== 'joined') await settle(commerce, sale);
    },
  });
