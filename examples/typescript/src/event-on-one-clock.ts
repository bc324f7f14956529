// An event on one clock: all strikes of an event at the same times, as a chart.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { Almanac } from '@almanac/client/node';

const almanac = new Almanac();

// An event with a ladder of strikes: is the price of the coin above each of them at the full hour?
const [newest] = (await almanac.markets.list({ series: 'GENBTCH', status: 'finalized', days: 2 }).firstPage()).markets;
assert.ok(newest?.event_ticker != null);
const { event, strike_ladder } = await almanac.events.get(newest.event_ticker);
console.log(event.title);

// One grid of minutes for all markets. A value is from its time or earlier, and null in a gap.
const ts: number[] = [];
const midsOf = new Map<string, (number | null)[]>();
for await (const page of almanac.events.snapshots(event.event_ticker, { step_ms: 60_000 })) {
  ts.push(...page.ts);
  for (const { ticker, yes_best_bid, yes_best_ask } of page.markets) {
    const mids = yes_best_bid.map((bid, at) => {
      const ask = yes_best_ask[at] ?? null;
      return bid === null || ask === null ? null : (bid + ask) / 2;
    });
    midsOf.set(ticker, [...(midsOf.get(ticker) ?? []), ...mids]);
  }
}
const ladder = (strike_ladder ?? []).map(({ ticker, floor_strike, result }) => {
  return { ticker, strike: floor_strike ?? 0, result, mids: midsOf.get(ticker) ?? [] };
});
for (const { strike, mids, result } of ladder) {
  const [first, last] = [mids[0], mids.at(-1)].map((mid) => (mid ?? NaN).toFixed(3));
  console.log(`${strike}: ${first} at the open, ${last} at the close, result ${result}`);
}

// A line for each strike. It breaks where the price is unknown, instead of hiding a gap.
const [width, height] = [800, 400];
const pathOf = (mids: readonly (number | null)[]): string => {
  let isOpen = false;
  return mids
    .map((mid, at) => {
      const command = isOpen ? 'L' : 'M';
      isOpen = mid !== null;
      return mid === null
        ? ''
        : `${command}${((at / (ts.length - 1)) * width).toFixed(1)} ${((1 - mid) * height).toFixed(1)}`;
    })
    .join('');
};
const lines = ladder.map(({ strike, mids }, at) => {
  const colour = `hsl(${(at * 300) / ladder.length} 70% 45%)`;
  return `<path d="${pathOf(mids)}" fill="none" stroke="${colour}"><title>${strike}</title></path>`;
});
const view = `viewBox="0 0 ${width} ${height}"`;
await writeFile('event.svg', `<svg xmlns="http://www.w3.org/2000/svg" ${view}>${lines.join('')}</svg>\n`);
console.log('The chart is in event.svg.');

// One clock: every column has every time, and a lower strike is at least as probable, within the spread.
assert.ok(ladder.length > 2 && ts.length > 30);
assert.ok(ladder.every(({ mids }) => mids.length === ts.length));
for (const [at, { mids }] of ladder.entries()) {
  const lower = ladder[at - 1]?.mids ?? [];
  assert.ok(mids.every((mid, time) => (mid ?? 0) <= (lower[time] ?? 1) + 0.05));
}
