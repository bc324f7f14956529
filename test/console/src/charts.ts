import type { Page } from 'playwright-core';

/** What a chart of the console reports about itself: `clients/console/src/charts/time-chart.tsx`. */
export interface Drawn {
  readonly ts: readonly number[];
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
  readonly window: { readonly from: number; readonly to: number };
}

interface ChartElement extends Element {
  drawn?: () => Drawn;
  pixelOf?: (ts: number, value: number) => readonly [number, number];
}

/** The data that a chart has drawn. */
export const drawnBy = async (page: Page, name: string): Promise<Drawn> => {
  const chart = page.locator(`[data-chart="${name}"]`);
  await chart.waitFor();
  return chart.evaluate((element) => {
    const { drawn } = element as ChartElement;
    if (drawn === undefined) throw new Error('The chart is not drawn.');
    return drawn();
  });
};

interface Place {
  readonly ts: number;
  readonly value: number;
  readonly offsetY?: number;
}

type Pixel = readonly [red: number, green: number, blue: number, alpha: number];

/** The nine pixels around the place of a value. */
export const pixelAt = (page: Page, name: string, place: Place): Promise<Pixel[]> =>
  page.locator(`[data-chart="${name}"]`).evaluate((element, { ts, value, offsetY = 0 }) => {
    const { pixelOf } = element as ChartElement;
    const context = element.querySelector('canvas')?.getContext('2d');
    if (pixelOf === undefined || context === null || context === undefined) throw new Error('The chart is not drawn.');
    const [x, y] = pixelOf(ts, value);
    const { data } = context.getImageData(Math.round(x) - 1, Math.round(y) - 1 + offsetY, 3, 3);
    return Array.from({ length: 9 }, (_, at) => Array.from(data.slice(at * 4, at * 4 + 4)) as unknown as Pixel);
  }, place);
