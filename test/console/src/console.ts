import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { findBinary } from '@almanac/local-servers';
import { type SystemHarness, startHarness } from '@almanac/test-e2e';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

interface View {
  readonly width?: 360 | 768 | 1_440;
  readonly theme?: 'light' | 'dark';
}

/** Every width once, and both themes. Colours do not depend on the width. */
export const views: readonly [Required<View>, Required<View>, Required<View>] = [
  { width: 360, theme: 'dark' },
  { width: 768, theme: 'dark' },
  { width: 1_440, theme: 'light' },
];

/** A page of the console with what went wrong in it. */
export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, and violations of the Content-Security-Policy. */
  readonly faults: readonly string[];
  readonly open: (path: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface ConsoleBrowser {
  /** A page of a new visitor, who has closed the tour unless `tour` is set. */
  visit(view?: View & { readonly tour?: boolean }): Promise<ConsolePage>;
  /** A visitor who has signed in with this key. */
  signedIn(key: string, view?: View): Promise<ConsolePage>;
  readonly close: () => Promise<void>;
}

export interface ConsoleHarness extends Omit<ConsoleBrowser, 'close'> {
  readonly running: SystemHarness;
  readonly base: string;
  stop(): Promise<void>;
}

/** Webhooks of tests are received on this machine, and a broken export must not take minutes to fail. */
const environment = { webhooks: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }, export: { EXPORT_ATTEMPTS: '2' } };

/** Starts one system with an empty archive, and one browser, before the tests of a file. Stops both after them. */
export const useConsole = ({ skip = false } = {}): (() => ConsoleHarness) => {
  let harness: ConsoleHarness | undefined;
  if (!skip) {
    before(async () => {
      harness = await startConsole();
    });
    after(() => harness?.stop());
  }
  return () => harness ?? assert.fail('the console runs only while tests run');
};

const startConsole = async (): Promise<ConsoleHarness> => {
  const running = await startHarness({ environment });
  const base = running.system.baseUrls[0] ?? '';
  const { close, ...browser } = await openBrowser(base);
  return {
    running,
    base,
    ...browser,
    stop: async () => {
      await close();
      await running.stop();
    },
  };
};

/** Debian's Chromium, without windows, at the console of a running system. */
export const openBrowser = async (base: string): Promise<ConsoleBrowser> => {
  const browser = await chromium.launch({ executablePath: await findBinary('chromium-headless-shell') });
  const profiles = new Map<string, Promise<BrowserContext>>();
  /** A visitor who has signed in comes back with the files of the console. */
  const profileOf = (key: string, view: View): Promise<BrowserContext> => {
    const name = JSON.stringify([key, view.width, view.theme]);
    const profile = profiles.get(name) ?? newSession(browser, base, { key, view });
    profiles.set(name, profile);
    return profile;
  };
  return {
    visit: async (view = {}) => {
      const context = await newProfile(browser, base, view);
      return pageIn(context, () => context.close());
    },
    signedIn: async (key, view = {}) => pageIn(await profileOf(key, view)),
    close: () => browser.close(),
  };
};

const newProfile = async (
  browser: Browser,
  base: string,
  { width = 1_440, theme = 'light', tour = false }: View & { readonly tour?: boolean },
): Promise<BrowserContext> => {
  const context = await browser.newContext({
    baseURL: base,
    viewport: { width, height: 900 },
    colorScheme: theme,
    // A tablet. On the others, tests move a mouse.
    hasTouch: width === 768,
    reducedMotion: 'reduce',
    acceptDownloads: true,
  });
  if (!tour) await context.addInitScript(() => localStorage.setItem('almanac-tour', 'done'));
  return context;
};

/** Signs in without the form, which has tests of its own. */
const newSession = async (
  browser: Browser,
  base: string,
  { key, view }: { readonly key: string; readonly view: View },
): Promise<BrowserContext> => {
  const context = await newProfile(browser, base, view);
  const response = await context.request.post('/auth/session', { headers: { Authorization: `Bearer ${key}` } });
  if (!response.ok()) throw new Error(`The server refuses the key: ${await response.text()}`);
  return context;
};

const pageIn = async (
  context: BrowserContext,
  closeProfile = async (): Promise<void> => undefined,
): Promise<ConsolePage> => {
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) faults.push(message.text());
  });
  return {
    page,
    context,
    faults,
    open: async (path) => {
      await page.goto(`/console${path}`);
    },
    close: async () => {
      await page.close();
      await closeProfile();
    },
  };
};

export const signIn = async (page: Page, key: string): Promise<void> => {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

/** Waits until a visitor is signed in. Fails with what the page shows instead, such as why the server refuses the key. */
export const screensShown = async ({ page, faults }: ConsolePage): Promise<void> => {
  try {
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  } catch (cause) {
    const shown = await page.locator('body').innerText();
    throw new Error(`No screen is shown after signing in, but: ${[shown, ...faults].join('\n')}`, { cause });
  }
};

/** Nothing of the screen is loading any more. */
export const settled = async (page: Page): Promise<void> => {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('.loading, [aria-busy="true"]') === null);
};

/** Ends a visit in which nothing went wrong. */
export const closeFaultless = async (visitor: ConsolePage): Promise<void> => {
  assert.deepEqual(visitor.faults, []);
  await visitor.close();
};

/** Returns what is wrong with the access and the width of a screen. */
export const viewFaults = async (page: Page, name: string, { width, theme }: Required<View>): Promise<string[]> => {
  const excess = await excessWidth(page);
  const tooWide = excess === 0 ? [] : [`${excess} px too wide`];
  return [...(await accessFaults(page)), ...tooWide].map((fault) => `${name}, ${width} px, ${theme}: ${fault}`);
};

/** What axe finds: rules, and the elements that break them. */
export const accessFaults = async (page: Page): Promise<string[]> => {
  // Through the debugger, which the policy of the page does not concern.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: loaded } = window as unknown as { axe: typeof axe };
    const results = await loaded.run(document);
    return results.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
    );
  });
};

/** How much wider than the window the page is. A phone scrolls only down. */
export const excessWidth = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** A headless browser has no tab in front of another one. */
export const setVisibility = (page: Page, state: 'hidden' | 'visible'): Promise<void> =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, state);
