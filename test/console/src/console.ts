import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findBinary } from '@almanac/local';
import { type SystemHarness, startHarness } from '@almanac/test-e2e';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

export const widths = [360, 1_440] as const;
export const themes = ['light', 'dark'] as const;

export interface View {
  readonly width?: (typeof widths)[number];
  readonly theme?: (typeof themes)[number];
}

/** A page of the console with what went wrong in it. */
export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, and violations of the Content-Security-Policy. */
  readonly faults: readonly string[];
  readonly open: (path: string) => Promise<void>;
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

type Options = Parameters<typeof startHarness>[0];

/** A system of its own, with a browser. */
export const startConsole = async (options: Options = {}): Promise<ConsoleHarness> => {
  const running = await startHarness(options);
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

/** Debian's Chromium at the console of a running system. Each visit is a new profile. */
export const openBrowser = async (base: string): Promise<ConsoleBrowser> => {
  const browser = await chromium.launch({ executablePath: await findBinary('chromium') });
  const visit: ConsoleBrowser['visit'] = (view = {}) => visitWith(browser, base, view);
  return {
    visit,
    signedIn: async (key, view) => {
      const visitor = await visit(view);
      await visitor.open('/keys');
      await signIn(visitor.page, key);
      await screensShown(visitor);
      return visitor;
    },
    close: () => browser.close(),
  };
};

const visitWith = async (
  browser: Browser,
  base: string,
  { width = 1_440, theme = 'light', tour = false }: View & { readonly tour?: boolean },
): Promise<ConsolePage> => {
  const context = await browser.newContext({
    baseURL: base,
    viewport: { width, height: 900 },
    colorScheme: theme,
    reducedMotion: 'reduce',
    acceptDownloads: true,
  });
  if (!tour) await context.addInitScript(() => localStorage.setItem('almanac-tour', 'done'));
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

/** Stores a picture with the logs of the tests. */
export const picture = async (page: Page, name: string): Promise<void> => {
  const folder = join(process.env['ALMANAC_TEST_LOGS'] ?? join('.almanac', 'test-logs'), 'console');
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
};
