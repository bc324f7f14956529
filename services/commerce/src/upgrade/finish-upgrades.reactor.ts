import { type Bus, consume, durables, patterns, type Running } from '@almanac/bus';
import { openAccountsCheckpoint, upgradeState } from '@almanac/contracts';
import { z } from 'zod';
import type { Logger } from '@almanac/runtime';
import type { CommerceContext } from '../commerce-deps.js';
import { finishUpgrade, isReadyToFinish } from './upgrade.command.js';
import { loadUpgrade } from './upgrades.js';

/** Finishes upgrades that a crash interrupted and that need no payment. */
export const finishUpgrades = (bus: Bus, commerce: CommerceContext, log: Logger): Promise<Running> =>
  consume(bus, {
    stream: 'EVT_COMMERCE',
    durable: durables.commerceUpgrades,
    filter: patterns.allUpgrades,
    state: z.union([upgradeState, openAccountsCheckpoint]),
    concurrency: 2,
    deliveriesMax: 100,
    onFailure: (error, { subject, seq }, next) =>
      log.warn({ err: error, subject, seq, next }, 'an upgrade could not be completed'),
    handle: async ({ event: { state } }) => {
      if ('rule' in state || !isReadyToFinish(state)) return;
      const upgrade = await loadUpgrade(commerce, state);
      if (upgrade !== undefined && isReadyToFinish(upgrade)) await finishUpgrade(commerce, upgrade);
    },
  });
