import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isValidId } from '@almanac/bus';
import { catalogueFact } from '@almanac/contracts';
import { generateArchive } from './generate.js';
import { bookOf, type GeneratedRow } from './row.js';

const nowS = Date.UTC(2026, 10, 20, 11, 37, 21) / 1_000;
const archive = generateArchive(nowS);
const facts = archive.facts.map((fact) => catalogueFact.parse(fact));
const rows = [...archive.rows];
const markets = facts.flatMap((fact) => (fact.kind === 'market' ? [fact] : []));
const byTicker = new Map(markets.map((market) => [market.ticker, market]));

const rowsByMarket = (): Map<string, GeneratedRow[]> => {
  const found = new Map<string, GeneratedRow[]>();
  for (const row of rows) found.set(row.ticker, [...(found.get(row.ticker) ?? []), row]);
  return found;
};
const titlesOf = (fact: (typeof facts)[number]): unknown => (fact.kind === 'series' ? fact.label : fact.title);

describe('the generated archive', () => {
  it('is the same for the same second', () => {
    const again = generateArchive(nowS);
    assert.deepEqual(again.facts, archive.facts);
    assert.deepEqual([...again.rows], rows);
  });

  it('is consistent at any second of a day: windows, and rows up to the moment', () => {
    for (let second = nowS; second < nowS + 86_400; second += 3_607) {
      const { facts: some, rows: theirs } = generateArchive(second);
      for (const fact of some) catalogueFact.parse(fact);
      for (const row of theirs) if (row.second >= second) assert.fail(`${row.ticker} at ${row.second}`);
    }
  });

  it('marks everything as generated', () => {
    for (const fact of facts) assert.match(String(titlesOf(fact)), /^Generated: /);
  });

  it('has a rolling series with books whose windows follow each other, up to a live one', () => {
    const rolling = markets.filter(({ series }) => series === 'GENBTC15M');
    assert.ok(rolling.length >= 20);
    for (const [index, market] of rolling.entries()) {
      assert.equal((market.close_us ?? 0) - (market.open_us ?? 0), 900e6);
      if (index > 0) assert.equal(market.open_us, rolling[index - 1]?.close_us);
      assert.equal(market.capture, 'l2');
    }
    assert.ok((rolling.at(-1)?.close_us ?? 0) > nowS * 1e6);
    assert.equal(
      facts.find((fact) => fact.kind === 'series' && fact.id === 'GENBTC15M' && fact.shape === 'rolling')?.kind,
      'series',
    );
  });

  it('has an hourly ladder with a dot in its tickers, strikes in order', () => {
    const ladder = markets.filter(({ series }) => series === 'GENBTCH');
    assert.ok(ladder.some(({ ticker }) => ticker.endsWith('-T95999.99')));
    for (const { ticker, floor_strike } of ladder) assert.ok(ticker.endsWith(`-T${floor_strike}`), ticker);
    const events = Map.groupBy(ladder, ({ event_ticker }) => event_ticker);
    for (const rungs of events.values()) {
      const strikes = rungs.map(({ floor_strike }) => Number(floor_strike));
      assert.deepEqual(
        strikes,
        strikes.toSorted((a, b) => a - b),
      );
      assert.equal(new Set(strikes).size, 9);
    }
  });

  it('has two categories, and one event with text titles', () => {
    assert.ok(new Set(markets.map(({ category }) => category)).size >= 2);
    const choices = markets.filter(({ event_ticker }) => event_ticker === 'GENRATE-NEXT');
    assert.equal(new Set(choices.map(({ title }) => title)).size, 4);
  });

  it('settles exactly the markets that have closed, by their price', () => {
    for (const market of markets) {
      const closed = (market.close_us ?? Infinity) <= nowS * 1e6;
      assert.equal(market.result != null, closed, market.ticker);
      if (!closed) continue;
      assert.equal(market.result, Number(market.coin_price_end) >= Number(market.floor_strike) ? 'yes' : 'no');
      assert.equal(market.expiration_value, market.coin_price_end);
    }
  });

  it('uses ids that the bus accepts, each once, and puts each market in an existing event and series', () => {
    const named = new Set(
      facts.map((fact) => (fact.kind === 'series' ? fact.id : fact.kind === 'event' ? fact.event_ticker : fact.ticker)),
    );
    assert.equal(named.size, facts.length);
    for (const name of named) assert.ok(isValidId(name));
    for (const { event_ticker, series } of markets) {
      assert.ok(named.has(event_ticker ?? '') && named.has(series ?? ''));
    }
  });

  it('has rows of every market in order of time, inside its window and before the moment', () => {
    const found = rowsByMarket();
    assert.deepEqual([...found.keys()].toSorted(), [...byTicker.keys()].toSorted());
    for (const [ticker, its] of found) {
      const { open_us, close_us } = byTicker.get(ticker) ?? assert.fail(ticker);
      let last = -Infinity;
      for (const { second } of its) {
        assert.ok(second > last, `${ticker} at ${second}`);
        assert.ok(second * 1e6 >= (open_us ?? Infinity) && second * 1e6 < (close_us ?? 0), ticker);
        assert.ok(second < nowS);
        last = second;
      }
    }
  });

  it('has one recorded span for each market, which includes its rows and ends at the close or at the moment', () => {
    const spans = new Map(archive.spans?.map((span) => [span.ticker, span]));
    assert.deepEqual([archive.spans?.length, spans.size], [markets.length, markets.length]);
    for (const { ticker, capture, open_us, close_us } of markets) {
      const { layer, start_us, end_us, end_reason } = spans.get(ticker) ?? assert.fail(ticker);
      const isOver = (close_us ?? Infinity) <= nowS * 1e6;
      assert.deepEqual([layer, start_us, end_us], [capture, open_us, isOver ? close_us : nowS * 1e6]);
      assert.equal(end_reason === null, isOver, ticker);
    }
  });

  it('has quotes of at least a cent, bids below asks, and books that start with the best price', () => {
    for (const row of rows) {
      assert.ok(row.bidCents >= 1 && row.bidCents < row.askCents && row.askCents <= 99, JSON.stringify(row));
      const book = bookOf(row);
      if (book === undefined) continue;
      const { yes, no } = book;
      assert.ok(yes.startsWith(`[(${(row.bidCents / 100).toFixed(2)},`), yes);
      assert.ok(no.startsWith(`[(${((100 - row.askCents) / 100).toFixed(2)},`), no);
    }
  });
});
