import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it as test } from 'node:test';
import { promisify } from 'node:util';
import { type bookResponse, exportResponse, marketDetailResponse, previewResponse } from '@almanac/contracts';
import { findBinary } from '@almanac/local-servers';
import { type ApiClient, apiClient, poll } from '@almanac/test-e2e';
import type { Page } from 'playwright-core';
import type { z } from 'zod';
import { drawnBy, pixelAt } from './charts.js';
import { assertBookBeforeClose } from './drawn-values.js';
import { closeFaultless, type ConsoleHarness, type ConsolePage, settled, signIn } from './console.js';

const run = promisify(execFile);
const pythonClient = fileURLToPath(new URL('../../../clients/python/src', import.meta.url));

/** A recorder's folder with the books of 15-minute Bitcoin markets. */
export interface WalkRecording {
  readonly folder: string;
  /** A market whose recording begins after its open and lasts until its close. */
  readonly ticker: string;
  readonly event: string;
  readonly closeS: number;
}

/** The walk of a first visit, by clicks alone: from an imported recording to a file and lines of Python. */
export const describeWalk = (
  name: string,
  { open, skip }: { readonly open: () => Promise<WalkRecording>; readonly skip: string | false },
  console: () => ConsoleHarness,
): void => {
  describe(name, () => {
    const it = (guarantee: string, work: () => Promise<void>): void => void test(guarantee, { skip }, work);
    let harness: ConsoleHarness;
    let recording: WalkRecording;
    let key = '';
    let api: ApiClient;
    let visitor: ConsolePage;
    let page: Page;
    let book: z.infer<typeof bookResponse> | undefined;
    if (skip === false) {
      before(async () => {
        recording = await open();
        harness = console();
        key = await harness.running.key('full_book');
        api = apiClient(harness.base, key);
        visitor = await harness.signedIn(key);
        ({ page } = visitor);
        await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
      });
      after(() => closeFaultless(visitor));
    }

    it('says of an empty archive how it is filled', async () => {
      await visitor.open('/');
      await page.getByRole('heading', { name: 'No series is in the archive yet' }).waitFor();
      const imported = await harness.running.import(recording.folder);
      assert.equal(imported.code, 0, imported.output);
      await page.reload();
      await page.getByRole('region', { name: 'Newest recordings' }).getByRole('link').first().waitFor();
    });

    it('finds the market by its title', async () => {
      const { ticker, event, closeS } = recording;
      const { market } = await api.json(marketDetailResponse, `/markets/${ticker}`);
      const close = new Date(closeS * 1_000).toISOString().slice(0, 16).replace('T', ' ');
      assert.match(market.title ?? '', new RegExp(String.raw`^Bitcoin 15 minutes: .*[\d,.]+.*, closes ${close} UTC$`));
      await page.getByRole('link', { name: 'Browse all series' }).click();
      await page.getByRole('link', { name: 'Bitcoin 15 minutes' }).click();
      await page.getByRole('link').filter({ hasText: event }).click();
      await page
        .getByRole('link')
        .filter({ hasText: market.title ?? '' })
        .filter({ hasText: ticker })
        .click();
      await page.waitForURL(`**/console/markets/${ticker}`);
      await page.getByRole('heading', { name: market.title ?? '' }).waitFor();
    });

    it('sees where the recording has a gap, in the chart and with its reason', async () => {
      await settled(page);
      const coverage = await coverageOf(recording.ticker);
      const gap = coverage.gaps.find(({ missing }) => missing === 'all') ?? assert.fail('no gap');
      const { window, series } = await drawnBy(page, 'price');
      const ts = (Math.max(gap.start_ts, window.from) + Math.min(gap.end_ts ?? Infinity, window.to)) / 2;
      const bid = series['bid']?.find((value) => typeof value === 'number') ?? assert.fail('no bid');
      const shades = await pixelAt(page, 'price', { ts, value: bid });
      assert.ok(
        shades.every(([, , , alpha]) => alpha > 0),
        JSON.stringify(shades),
      );
      await page.getByText('List of gaps').click();
      await page.getByRole('cell', { name: gap.reason }).first().waitFor();
      const rows = page.getByRole('region', { name: 'List of gaps' }).getByRole('row');
      await rows.last().getByRole('button', { name: 'Show' }).click();
      const last = coverage.gaps.at(-1) ?? gap;
      const shownTs = Math.max(last.start_ts - 30, window.from);
      const at = await restingAt(page);
      assert.ok(Math.abs(at - shownTs) < 15, `${at} instead of ${shownTs}`);
    });

    it('sends exactly this view to a colleague, who signs in and sees the same', async () => {
      const shown = async (seen: Page) => {
        const at = await restingAt(seen);
        await seen.locator(`[data-book-ts="${at}"]`).waitFor();
        // An address has milliseconds.
        const { from, to } = (await drawnBy(seen, 'price')).window;
        return { at, window: [from, to].map((ts) => Math.round(ts * 1_000)) };
      };
      const mine = await shown(page);
      await page.getByRole('button', { name: 'Copy link' }).click();
      await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
      const link = await page.evaluate(() => navigator.clipboard.readText());
      const colleague = await harness.visit();
      await colleague.page.goto(link);
      await signIn(colleague.page, await harness.running.key('full_book'));
      await settled(colleague.page);
      assert.deepEqual(await shown(colleague.page), mine);
      await closeFaultless(colleague);
    });

    it('reads the book 30 seconds before the close', async () => {
      book = await assertBookBeforeClose(page, api, recording);
    });

    it('copies the lines of Python that read this book', async () => {
      const ladder = page.getByRole('region', { name: 'Order book' });
      await ladder.getByText('Copy as code').click();
      await ladder.getByRole('button', { name: 'Python', exact: true }).click();
      await ladder.getByRole('button', { name: 'Copy Python' }).click();
      await ladder.getByText('Copied', { exact: true }).waitFor();
      const lines = await page.evaluate(() => navigator.clipboard.readText());
      const env = { ...process.env, PYTHONPATH: pythonClient, PYTHONDONTWRITEBYTECODE: '1', ALMANAC_API_KEY: key };
      const { stdout } = await run(await findBinary('python/python3'), ['-c', lines], { env });
      const [price] = book?.orderbook_yes?.[0] ?? assert.fail('no bid');
      assert.ok(stdout.includes(recording.ticker) && stdout.includes(String(price)), stdout);
      await page.keyboard.press('Escape');
    });

    it('exports the event as Parquet', async () => {
      const { event } = recording;
      await page.getByRole('navigation', { name: 'Parents' }).getByRole('link', { name: event, exact: true }).click();
      await page.getByRole('link', { name: 'Export event' }).click();
      await page.locator('[data-quote="plan"]').waitFor();
      assert.equal(await page.getByLabel('File', { exact: true }).inputValue(), 'parquet');
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      const download = page.getByRole('link', { name: 'Download' });
      await download.waitFor({ timeout: 120_000 });
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
      const { row_count: rows, sha256 } = await api.json(exportResponse, `/exports/${id}`);
      assert.equal(rows, (await coverageOf(recording.ticker)).prints);
      const [file] = await Promise.all([page.waitForEvent('download'), download.click()]);
      const bytes = await readFile(await file.path());
      assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256);
      assert.deepEqual([bytes.subarray(0, 4).toString(), bytes.subarray(-4).toString()], ['PAR1', 'PAR1']);
    });

    const coverageOf = async (ticker: string) => {
      const preview = await poll(
        () => api.json(previewResponse, `/markets/${ticker}/preview`),
        ({ pending }) => !pending,
      );
      return preview.coverage ?? assert.fail('no coverage');
    };
  });
};

/**
 * The time of the cursor once the address has it too. Before that, the readout can still show the last moment that is known, which
 * may be seconds away from the cursor.
 */
const restingAt = async (page: Page): Promise<number> => {
  const at = await page.waitForFunction(() => {
    const shown = document.querySelector('[data-readout]')?.getAttribute('data-readout');
    return shown !== undefined && shown === new URLSearchParams(location.search).get('at') ? shown : undefined;
  });
  return Number(await at.jsonValue());
};
