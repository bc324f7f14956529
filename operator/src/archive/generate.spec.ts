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
    const newest = rolling.slice(-24);
    for (const [index, market] of newest.entries()) {
      assert.equal((market.close_us ?? 0) - (market.open_us ?? 0), 900e6);
      if (index > 0) assert.equal(market.open_us, newest[index - 1]?.close_us);
    }
    assert.ok(rolling.every(({ capture }) => capture === 'l2'));
    assert.ok((rolling.at(-1)?.close_us ?? 0) > nowS * 1e6);
    assert.equal(
      facts.find((fact) => fact.kind === 'series' && fact.id === 'GENBTC15M' && fact.shape === 'rolling')?.kind,
      'series',
    );
  });

  it('has markets of yesterday evening, one of them with a hole, at any time of the day', () => {
    for (let now = nowS; now < nowS + 86_400; now += 7_207) {
      const midnightUs = Math.floor(now / 86_400) * 86_400e6;
      const generated = generateArchive(now);
      const isOfYesterday = (ticker: string) => yesterday.has(ticker);
      const yesterday = new Set(
        generated.facts.flatMap((fact) =>
          fact.kind === 'market' &&
          fact.series === 'GENBTC15M' &&
          (fact.open_us ?? 0) >= midnightUs - 86_400e6 &&
          (fact.close_us ?? Infinity) <= midnightUs
            ? [fact.ticker]
            : [],
        ),
      );
      assert.ok(yesterday.size >= 24, `${yesterday.size} markets at ${now}`);
      const spans = Map.groupBy(generated.spans ?? [], ({ ticker }) => ticker);
      const cut = [...spans].filter(([, its]) => its.length > 1);
      assert.deepEqual(
        cut.map(([ticker, its]) => [isOfYesterday(ticker), its.length]),
        [[true, 2]],
      );
      const [[ticker, [first, second]] = assert.fail()] = cut;
      assert.ok(first && second && first.end_us < second.start_us);
      const theirs = [...generated.rows].filter((row) => row.ticker === ticker).map((row) => row.second * 1e6);
      assert.equal(theirs.length, 350);
      assert.ok(theirs.every((us) => us < first.end_us || us >= second.start_us));
    }
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

  it('has prices of exclusive outcomes that sum to one at every time, and that move', () => {
    const outcomes = rows.filter(({ ticker }) => byTicker.get(ticker)?.event_ticker === 'GENRATE-NEXT');
    const times = Map.groupBy(outcomes, ({ second }) => second);
    assert.equal(times.size, 24 * 60 + 8);
    for (const [second, its] of times) {
      assert.equal(its.length, 4);
      const mids = its.map(({ bidCents, askCents }) => (bidCents + askCents) / 2);
      assert.equal(
        mids.reduce((sum, mid) => sum + mid, 0),
        100,
        `at ${second}`,
      );
    }
    for (const its of Map.groupBy(outcomes, ({ ticker }) => ticker).values()) {
      assert.ok(new Set(its.map(({ bidCents }) => bidCents)).size > 2);
    }
  });

  it('has prices of a ladder that fall with the strike', () => {
    const ladder = rows.filter(({ series }) => series === 'GENBTCH');
    const strikeOf = ({ ticker }: GeneratedRow) => Number(byTicker.get(ticker)?.floor_strike);
    for (const its of Map.groupBy(ladder, ({ second }) => second).values()) {
      const bids = its.toSorted((a, b) => strikeOf(a) - strikeOf(b)).map(({ bidCents }) => bidCents);
      assert.deepEqual(
        bids,
        bids.toSorted((a, b) => b - a),
      );
    }
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

  it('has recorded spans of each market from its open to its close or to the moment, with every change of its books', () => {
    const spans = Map.groupBy(archive.spans ?? [], ({ ticker }) => ticker);
    assert.equal(spans.size, markets.length);
    for (const { ticker, capture, open_us, close_us } of markets) {
      const its = spans.get(ticker) ?? assert.fail(ticker);
      const isOver = (close_us ?? Infinity) <= nowS * 1e6;
      assert.deepEqual([its.at(0)?.start_us, its.at(-1)?.end_us], [open_us, isOver ? close_us : nowS * 1e6]);
      assert.equal(its.at(-1)?.end_reason === null, isOver, ticker);
      for (const { layer, sample_us, basis } of its) {
        assert.deepEqual([layer, sample_us, basis], capture === 'l2' ? ['l2', 1, 'snapshot'] : ['top', null, null]);
      }
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
