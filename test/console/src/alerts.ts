import assert from 'node:assert/strict';
import { type GeneratedArchive, storeArchive } from '@almanac/operator';
import { eventually } from '@almanac/testing';
import type { Locator, Page } from 'playwright-core';
import { type ConsoleHarness, type ConsolePage, settled } from './console.js';

const series = 'ALERT';
export const roundMs = 10_100;

interface Observed {
  readonly ticker: string;
  /** Seconds before now. */
  readonly agoS: number;
  readonly bidCents: number;
}

interface Stored {
  readonly id: string;
  readonly last_ts: number | null;
  readonly crossing: { readonly ts: number; readonly value: number; readonly before_ts: number | null } | null;
  readonly ended_ts: number | null;
}

export const factOf = (ticker: string, closeS: number) => ({
  kind: 'market' as const,
  ticker,
  event_ticker: `${ticker}-E`,
  series,
  title: `Will ${ticker} happen?`,
  open_us: (Math.floor(Date.now() / 1_000) - 7_200) * 1e6,
  close_us: Math.floor(closeS * 1e6),
  capture: 'top' as const,
});

export const rowOf = ({ ticker, agoS, bidCents }: Observed) => ({
  ticker,
  series,
  second: Math.round((Date.now() / 1_000 - agoS) * 1e3) / 1e3,
  bidCents,
  askCents: bidCents + 2,
  coinPrice: null,
  sizes: null,
});

/** Markets that are open, and what a capture would store of them. */
export const liveMarkets = ({ running }: ConsoleHarness) => {
  const store = (archive: GeneratedArchive): Promise<unknown> => storeArchive(running.system, archive);
  return {
    store,
    observe: (...rows: Observed[]): Promise<unknown> => store({ facts: [], rows: rows.map(rowOf) }),
    /** Each costs 0.41. */
    openMarkets: async (...tickers: string[]): Promise<void> => {
      const facts = tickers.map((ticker) => factOf(ticker, Date.now() / 1_000 + 86_400));
      const rows = tickers.flatMap((ticker) =>
        [3_600, 1_800, 900].map((agoS) => rowOf({ ticker, agoS, bidCents: 40 })),
      );
      await store({ facts: [{ kind: 'series', id: series }, ...facts], rows });
    },
  };
};

/** A visitor whose clock the test moves, and whose browser has no alerts yet. */
export const alertVisitor = async (
  harness: ConsoleHarness,
  key: string,
  path: string,
  view: Parameters<ConsoleHarness['signedIn']>[1] = {},
): Promise<ConsolePage> => {
  const visitor = await harness.signedIn(key, view);
  await visitor.page.clock.install();
  await visitor.open('/keys');
  await settled(visitor.page);
  await visitor.page.evaluate(forgetAlerts);
  await visitor.open(path);
  await settled(visitor.page);
  return visitor;
};

/** Each alert knows what its market cost when it was set. */
export const begunOf = (page: Page): Promise<void> =>
  eventually(async () => {
    const alerts = await storedIn(page);
    assert.ok(alerts.length > 0 && alerts.every(({ last_ts }) => last_ts !== null));
  });

export const spanOf = (ticker: string, fromAgoS: number, toAgoS: number) => {
  const now = Math.floor(Date.now() / 1_000);
  const [start_us, end_us] = [(now - fromAgoS) * 1e6, (now - toAgoS) * 1e6];
  const common = { ticker, tolerance_us: 0, clock: null, layer: 'top' as const, sample_us: null, basis: null };
  return { ...common, start_us, end_us, end_reason: 'the recording ended' };
};

export const isIdle = (page: Page): Promise<void> =>
  page.locator('section.fired[data-round="idle"]').waitFor({ state: 'attached' });

/** Lets the clock go on until the next look, and waits until it has ended. The answers need real time. */
export const nextRound = async (page: Page): Promise<void> => {
  await isIdle(page);
  await Promise.all([page.waitForRequest(/\/markets\/at/), page.clock.runFor(roundMs)]);
  await isIdle(page);
};

/** The alert that is stored, for each of these markets. */
export const waitForAll = (tickers: readonly string[]): void => {
  const name = Object.keys(localStorage).find((one) => one.startsWith('almanac-alerts-')) ?? '';
  const [alert] = JSON.parse(localStorage.getItem(name) ?? '[]') as readonly object[];
  localStorage.setItem(
    name,
    JSON.stringify(tickers.map((ticker) => ({ ...alert, id: ticker, ticker, title: ticker }))),
  );
};

/** A headless browser shows none. */
export const fakeNotifications = (permission: NotificationPermission): void => {
  const holder = globalThis as { notified?: string[] };
  class Fake extends EventTarget {
    static permission = permission;
    static requestPermission = (): Promise<NotificationPermission> => {
      Fake.permission = 'granted';
      return Promise.resolve('granted');
    };
    constructor(title: string) {
      super();
      holder.notified = [...(holder.notified ?? []), title];
    }
  }
  Reflect.set(globalThis, 'Notification', Fake);
};

export const storedIn = (page: Page): Promise<Stored[]> =>
  page.evaluate(() => {
    const name = Object.keys(localStorage).find((one) => one.startsWith('almanac-alerts-'));
    return JSON.parse((name === undefined ? null : localStorage.getItem(name)) ?? '[]') as Stored[];
  });

export const forgetAlerts = (): void => {
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith('almanac-alerts-')) localStorage.removeItem(name);
  }
};

export const textsOf = async (rows: Locator): Promise<string[]> => {
  await rows.first().waitFor();
  return rows.locator('.alert-text').allInnerTexts();
};

export const setByForm = async (page: Page, price: string, of = 'mid'): Promise<void> => {
  await page.locator('.alert-panel > summary').click();
  await page.getByLabel('Value').selectOption(of);
  await page.getByLabel('Tell me when').fill(price);
  await page.getByRole('button', { name: 'Set alert' }).click();
  await page.keyboard.press('Escape');
};

/** Moves along the price to the button at the axis, and clicks it. */
export const clickAt = async (page: Page, value: number): Promise<void> => {
  const plot = page.locator('[data-chart="price"] .u-over');
  const box = (await plot.boundingBox()) ?? assert.fail('no chart');
  const y = box.y + box.height * (1 - value);
  await page.mouse.move(box.x + box.width / 2, y);
  await page.mouse.move(box.x + box.width / 3, y);
  await page.locator('.chart-pick').waitFor();
  await page.mouse.move(box.x + 12, y, { steps: 5 });
  await page.mouse.down();
  await page.mouse.up();
};
