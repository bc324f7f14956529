import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { lastMessage, publishStored, readEvent, subjects } from '@almanac/bus';
import { archiveState, type CatalogueFact, catalogRpc, DomainError } from '@almanac/contracts';
import { testNumber } from '@almanac/testing';
import type { z } from 'zod';
import { describeNonInterference } from '../testing/non-interference-suite.js';
import { type CatalogHarness, startHarness } from '../testing/harness.js';
import { describeTwoArchives } from '../testing/two-archives-suite.js';
import { factsOf, openUs } from '../testing/twin-events.js';

const { eventDetail, listMarkets, marketDetail, seriesDetail } = catalogRpc;
const second = 1_000_000;
const openS = openUs / second;

let harness: CatalogHarness;
before(async () => {
  harness = await startHarness();
});
after(() => harness.stop());

// First, as the archive is empty.
describeTwoArchives(() => harness, { seed: testNumber('seed', 80), events: 3, times: 1 });
describeNonInterference(() => harness, { seed: testNumber('seed', 75), events: 2, times: 1 });

describe('the catalogue as of a time', () => {
  it('has each field as it was known then, names what is withheld, and counts the status at that time', async () => {
    const at = (field: string, value: string | number, knownS: number): CatalogueFact => ({
      kind: 'market',
      ticker: 'SEEN-1',
      event_ticker: 'SEEN',
      series: 'KXBTC15M',
      ...(field === 'rules' ? {} : { [field]: value }),
      history: [{ known_us: (openS + knownS) * second, basis: 'recorded', values: { [field]: String(value) } }],
    });
    await harness.recorded(
      at('close_us', (openS + 900) * second, -60),
      at('close_us', (openS + 600) * second, 500),
      at('result', 'yes', 700),
      at('settlement_value', '0.37', 700),
      at('rules', 'First', -60),
      at('rules', 'Second', 100),
    );
    const seen = async (as_of: number) => {
      const { market, rules, fee, history, withheld, ...rest } = await harness.call('gateway', marketDetail, {
        ticker: 'SEEN-1',
        as_of: openS + as_of,
      });
      assert.equal(rest.as_of, openS + as_of);
      const { settlement_value: value } = rest;
      return [market.status, market.close_ts, market.result, value, rules?.text, fee?.type, history.length, withheld];
    };
    const totals = ['volume', 'trades_n', 'tick_size'];
    const unpaid = ['settlement_value', ...totals];
    assert.deepEqual(await seen(0), ['live', openS + 900, null, null, 'First', 'free', 1, unpaid]);
    assert.deepEqual(await seen(499), ['live', openS + 900, null, null, 'Second', 'quadratic', 1, unpaid]);
    assert.deepEqual(await seen(599), ['live', openS + 600, null, null, 'Second', 'quadratic', 2, unpaid]);
    assert.deepEqual(await seen(699), ['closed', openS + 600, null, null, 'Second', 'quadratic', 2, unpaid]);
    assert.deepEqual(await seen(700), ['finalized', openS + 600, 'yes', 0.37, 'Second', 'quadratic', 4, totals]);
    const { market } = await harness.call('gateway', marketDetail, { ticker: 'SEEN-1', as_of: openS });
    assert.ok(market.withheld?.includes('result') && !market.withheld.includes('close_ts'));
    const refused = (code: string) => (error: unknown) => error instanceof DomainError && error.code === code;
    const unlisted = harness.call('gateway', marketDetail, { ticker: 'SEEN-1', as_of: openS - 61 });
    await assert.rejects(unlisted, refused('market_not_found'));
    const inFuture = Math.ceil(Date.now() / 1_000) + 60;
    await assert.rejects(
      harness.call('gateway', marketDetail, { ticker: 'SEEN-1', as_of: inFuture }),
      refused('as_of_in_future'),
    );
    const present = await harness.call('gateway', marketDetail, { ticker: 'SEEN-1' });
    assert.ok(!('as_of' in present) && !('withheld' in present) && !('withheld' in present.market));
  });

  it('lists the markets of a series that were known then, in the default window of that time', async () => {
    const dayS = 86_400;
    const market = (at: number, closeS: number, knownS: number): CatalogueFact => ({
      kind: 'market',
      ticker: `LISTED-${at}`,
      series: 'LISTED',
      close_us: closeS * second,
      history: [{ known_us: knownS * second, basis: 'venue', values: { close_us: String(closeS * second) } }],
    });
    const [first, later] = [openS + 600, openS + 3 * dayS];
    await harness.recorded(market(0, first, openS - 60), market(1, later, openS));
    const listed = async (as_of: number, days = 1) => {
      const page = await harness.call('gateway', listMarkets, { series: 'LISTED', days, as_of });
      const { series } = await harness.call('gateway', seriesDetail, { series_id: 'LISTED', as_of });
      return [page.markets.map(({ ticker }) => ticker), page.from_ts, page.has_older, series.markets_n, series.live_n];
    };
    assert.deepEqual(await listed(openS - 30), [['LISTED-0'], null, false, 1, 1]);
    assert.deepEqual(await listed(openS + 700), [['LISTED-1', 'LISTED-0'], first - dayS, false, 2, 1]);
    assert.deepEqual(await listed(later + 10), [['LISTED-1'], later - dayS, true, 2, 0]);
    assert.deepEqual(await listed(later + 10, 7), [['LISTED-1', 'LISTED-0'], later - 7 * dayS, false, 2, 0]);
    const refused = (error: unknown) => error instanceof DomainError && error.code === 'invalid_input';
    const changed = { changed_since_ts: openS, as_of: openS };
    await assert.rejects(harness.call('gateway', listMarkets, changed), refused);
  });

  it('pages through the markets that were listed by then, of an event and in a list, each once', async () => {
    const statements = Array.from({ length: 4 }, (_, market) => ({
      market,
      field: 'floor_strike' as const,
      value: String(400 - market * 100),
      known: { us: openUs + market * second, basis: 'venue' as const },
    }));
    await harness.recorded(...factsOf(statements, 'paged'));
    const tickers: string[] = [];
    let cursor: string | null | undefined = undefined;
    do {
      const page: Awaited<ReturnType<typeof pageOf>> = await pageOf(cursor);
      assert.deepEqual([page.event.markets_n, page.event.title], [3, null]);
      tickers.push(...page.markets.map(({ ticker }) => ticker));
      cursor = page.next_cursor;
    } while (cursor !== null);
    assert.deepEqual(tickers, ['E-paged-2', 'E-paged-1', 'E-paged-0']);
    const listed: string[] = [];
    for (let next: string | null = ''; next !== null;) {
      const input = { event: 'E-paged', limit: 2, cursor: next, as_of: openS + 2 };
      const page: z.output<typeof listMarkets.output> = await harness.call('gateway', listMarkets, input);
      listed.push(...page.markets.map(({ ticker }) => ticker));
      assert.ok(listed.length <= 3, listed.join());
      next = page.next_cursor;
    }
    assert.deepEqual(listed, ['E-paged-0', 'E-paged-1', 'E-paged-2']);
  });
  const pageOf = (cursor: string | undefined) =>
    harness.call('gateway', eventDetail, { event_id: 'E-paged', limit: 2, cursor, as_of: openS + 2 });
});

describe('recording of knowledge times', () => {
  const detail = (ticker: string) => harness.call('gateway', catalogRpc.marketDetail, { ticker });
  const versionOf = async (ticker: string): Promise<number> => {
    const message = await lastMessage(await harness.connect('catalog'), 'EVT_ARCHIVE', subjects.archive(ticker));
    return message === null ? 0 : readEvent(message, archiveState).event.state.version;
  };

  it('shows what became known when, from facts in any order, with the terms of its series', async () => {
    const known = (known_us: number, values: object) => ({
      history: [{ known_us, basis: 'recorded' as const, values }],
    });
    const closes = (us: number, known_us: number) =>
      ({
        kind: 'market',
        ticker: 'K-1-1',
        series: 'K',
        close_us: us,
        ...known(known_us, { close_us: String(us) }),
      }) as const;
    const terms = known(2_000_000, { rules: 'If it rains.', tick_size: '[["0","1","0.01"]]' });
    const fee = {
      type: 'quadratic',
      multiplier: '1',
      valid_from_us: null,
      known_us: 3_000_000,
      basis: 'recorded',
    } as const;
    const facts: CatalogueFact[] = [
      closes(20_000_000, 5_000_000),
      closes(10_000_000, 1_000_000),
      { kind: 'market', ticker: 'K-1-1', ...terms },
      { kind: 'series', id: 'K', fees: [fee] },
    ];
    await harness.recorded(...facts);
    const basis = 'recorded';
    assert.partialDeepStrictEqual(await detail('K-1-1'), {
      market: { close_ts: 20 },
      rules: { text: 'If it rains.', valid_from_ts: 2, known_ts: 2, basis },
      tick_size: { value: 0.01, valid_from_ts: 2, known_ts: 2, basis },
      fee: { type: 'quadratic', multiplier: 1, valid_from_ts: 3, known_ts: 3, basis },
      history: [
        { field: 'close_ts', value: 10, known_ts: 1, basis },
        { field: 'close_ts', value: 20, known_ts: 5, basis },
      ],
    });
    const version = await versionOf('K-1-1');
    const { outcomes } = await harness.recorded(...facts.toReversed());
    assert.deepEqual([...new Set(outcomes.map(({ outcome }) => outcome))], ['unchanged']);
    assert.equal(await versionOf('K-1-1'), version);
    await harness.restart();
    assert.equal((await detail('K-1-1')).history.length, 2);
  });

  it('refuses a knowledge time outside 1970 to 2100', async () => {
    const history = [{ known_us: -1, basis: 'venue' as const, values: { result: 'yes' } }];
    const { outcomes } = await harness.call('ingest', catalogRpc.record, {
      facts: [{ kind: 'market', ticker: 'K-2', result: 'yes', history }],
    });
    assert.deepEqual(outcomes, [{ outcome: 'refused', reason: 'known_us is not between 1970 and 2100' }]);
  });

  it('answers about a market of an earlier release, whose event has no history', async () => {
    const bus = await harness.connect('catalog');
    const state = { ticker: 'OLD-1', close_us: 9_000_000, result: 'yes' };
    const event = { id: 'old', type: 'MarketRecorded', version: 1, time: 0, account: null, data: state, state };
    const { seq } = await publishStored(bus, subjects.market('OLD-1'), {
      data: Buffer.from(JSON.stringify(event)),
      options: {},
    });
    await harness.call('ingest', catalogRpc.awaitReadable, { seq });
    assert.deepEqual((await detail('OLD-1')).history, [
      { field: 'close_ts', value: 9, known_ts: null, basis: null },
      { field: 'result', value: 'yes', known_ts: null, basis: null },
    ]);
    const history = [{ known_us: 10_000_000, basis: 'recorded' as const, values: { result: 'yes' } }];
    await harness.recorded({ kind: 'market', ticker: 'OLD-1', result: 'yes', history });
    assert.deepEqual((await detail('OLD-1')).history, [
      { field: 'result', value: 'yes', known_ts: 10, basis: 'recorded' },
      { field: 'close_ts', value: 9, known_ts: null, basis: null },
    ]);
  });
});
