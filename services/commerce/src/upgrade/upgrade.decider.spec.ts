import { describe, it } from 'node:test';
import { upgradeState } from '@almanac/contracts';
import { assertCarries, specificationOf } from '@almanac/event-store/testing';
import { type UpgradeCommand, upgradeDecider, type UpgradeEvent } from './upgrade.decider.js';

const decider = upgradeDecider('acc', 'one');
const { given } = specificationOf(decider);
const session = { id: 'cs_1', url: 'https://pay.example/1', expires_us: 99 };
const start: UpgradeCommand = { type: 'start', mode: 'stripe', plan: 'pro', price: 4_900, us: 1 };
const started: UpgradeEvent = {
  type: 'UpgradeStarted',
  data: { mode: 'stripe', plan: 'pro', price: 4_900, started_us: 1 },
};
const opened: UpgradeEvent = { type: 'UpgradeOpened', data: session };
const completed: UpgradeEvent = { type: 'UpgradeCompleted', data: {} };
const expired: UpgradeEvent = { type: 'UpgradeExpired', data: {} };

describe('an upgrade', () => {
  it('is started and opened once', () => {
    given([]).when(start).then(started);
    given([started]).when(start).then(null);
    given([started]).when({ type: 'open', session }).then(opened);
    given([started, opened]).when({ type: 'open', session }).then(null);
    given([]).when({ type: 'open', session }).then(null);
  });
  it('is completed once, even after it expired', () => {
    for (const before of [[started], [started, opened], [started, opened, expired]]) {
      given(before).when({ type: 'complete' }).then(completed);
    }
    given([started, opened, completed]).when({ type: 'complete' }).then(null);
    given([]).when({ type: 'complete' }).then(null);
  });
  it('expires while it is incomplete', () => {
    given([started, opened]).when({ type: 'expire' }).then(expired);
    given([started, opened, expired]).when({ type: 'expire' }).then(null);
    given([started, opened, completed]).when({ type: 'expire' }).then(null);
  });
});

describe('an upgrade of a newer release', () => {
  it('keeps its fields', () => {
    const sale = { mode: 'stripe', plan: 'pro', price: 1, started_us: 1, session };
    const state = upgradeState.parse({ status: 'opened', id: 'one', account: 'acc', ...sale });
    assertCarries(decider, { state, event: completed });
  });
});
