import {
  type ConsoleBrowser,
  framesASecond,
  openBrowser,
  openManyPoints,
  openMarketMs,
  pointsInSight,
} from '@almanac/test-console';
import { candlesResponse } from '@almanac/contracts';
import { makeOnce, tickerOf } from './data.js';
import type { BenchHarness } from './harness.js';
import { requestBytes } from './http-side.js';
import { comparePairs, DifferentAnswers, type RunSide } from './pairs.js';
import type { BenchEntry, Measured } from './row.js';
import { type BenchSize, inWords } from './size.js';

/** What the price chart of a wide window reads. */
const chartPoints = 900;
const plot = '[data-chart="price"] .u-over';
/** A screen has 60 frames a second. */
const framesMin = 50;

type SignedIn = Awaited<ReturnType<ConsoleBrowser['signedIn']>>;

const withConsole = async <T>(harness: BenchHarness, work: (visitor: SignedIn) => Promise<T>): Promise<T> => {
  await makeOnce(harness, harness.size.console.shape);
  const browser = await openBrowser(harness.system.baseUrls[0]);
  try {
    return await work(await browser.signedIn(harness.gateway.headers.authorization.replace('Bearer ', '')));
  } finally {
    await browser.close();
  }
};

/** Each market is read once, because the second read of a market is answered from elsewhere. */
const marketOf = (round: number, side: 0 | 1, { size }: BenchHarness): string =>
  tickerOf(2 * (round + 1) + side, size.console.shape);

const opened = (harness: BenchHarness): Promise<Measured> =>
  withConsole(harness, async ({ page, open }) => {
    const ours: RunSide = async (round) => {
      await open('/markets');
      await page.getByRole('row').nth(1).waitFor();
      // As a person does before a click.
      await page.mouse.move(300, 300);
      await page.waitForLoadState('networkidle');
      const ms = await openMarketMs(page, marketOf(round, 0, harness));
      const digest = await pointsInSight(page);
      await page.waitForLoadState('networkidle');
      return { rate: ms, digest };
    };
    const reference: RunSide = async (round) => {
      const path = `/markets/${marketOf(round, 1, harness)}/candles?points=${chartPoints}`;
      const startedAt = performance.now();
      const bytes = await requestBytes(harness.gateway.url + path, { headers: harness.gateway.headers });
      const answer: unknown = JSON.parse(bytes.toString());
      const ms = performance.now() - startedAt;
      return { rate: ms, digest: candlesResponse.parse(answer).candles.length };
    };
    // The first market of a browser compiles the code of the chart.
    await ours(-1);
    return comparePairs({ ours, reference }, harness.size.console.pairs);
  });

const panned = (harness: BenchHarness): Promise<Measured> =>
  withConsole(harness, async ({ page, context }) => {
    const { pairs, points, panSeconds: seconds, shape } = harness.size.console;
    await openManyPoints(page, tickerOf(0, shape), Math.ceil(points * 1.15));
    const inSight = await pointsInSight(page);
    if (inSight < points) throw new DifferentAnswers(`${inSight} points are in sight`);
    const empty = await context.newPage();
    const side =
      (shown: typeof page): RunSide =>
      async () => {
        await shown.bringToFront();
        return { rate: await framesASecond(shown, { seconds, selector: plot }), digest: 0 };
      };
    return comparePairs({ ours: side(page), reference: side(empty) }, pairs);
  });

export const consoleRows = ({ console: { shape, points } }: BenchSize): readonly BenchEntry[] => [
  {
    name: `web console, market of ${inWords(shape.secondsN)} prices opened, with its chart`,
    gain: 'A visitor of the web console sees the chart of a long market almost as soon as its data could come.',
    against: 'its candles over HTTP',
    threshold: { below: 1.5 },
    unit: 'ms',
    measure: opened,
  },
  {
    name: `web console, a chart of ${inWords(points)} points moved`,
    shows: 'Whether a chart of many points keeps the frame rate of the screen while it moves.',
    against: 'an empty page',
    threshold: { atLeast: framesMin / 60 },
    unit: 'frames/s',
    measure: panned,
  },
];
