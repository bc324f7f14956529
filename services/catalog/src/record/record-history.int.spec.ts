import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { lastMessage, publishStored, readEvent, subjects } from '@almanac/bus';
import { archiveState, catalogRpc, type CatalogueFact } from '@almanac/contracts';
import { type CatalogHarness, startHarness } from '../testing/harness.js';

describe('recording of knowledge times', () => {
  let catalog: CatalogHarness;
  before(async () => {
    catalog = await startHarness();
  });
  after(() => catalog.stop());

  const detail = (ticker: string) => catalog.call('gateway', catalogRpc.marketDetail, { ticker });
  const versionOf = async (ticker: string): Promise<number> => {
    const message = await lastMessage(await catalog.connect('catalog'), 'EVT_ARCHIVE', subjects.archive(ticker));
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
    await catalog.recorded(...facts);
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
    const { outcomes } = await catalog.recorded(...facts.toReversed());
    assert.deepEqual([...new Set(outcomes.map(({ outcome }) => outcome))], ['unchanged']);
    assert.equal(await versionOf('K-1-1'), version);
    await catalog.restart();
    assert.equal((await detail('K-1-1')).history.length, 2);
  });

  it('refuses a knowledge time outside 1970 to 2100', async () => {
    const history = [{ known_us: -1, basis: 'venue' as const, values: { result: 'yes' } }];
    const { outcomes } = await catalog.call('ingest', catalogRpc.record, {
      facts: [{ kind: 'market', ticker: 'K-2', result: 'yes', history }],
    });
    assert.deepEqual(outcomes, [{ outcome: 'refused', reason: 'known_us is not between 1970 and 2100' }]);
  });

  it('answers about a market of an earlier release, whose event has no history', async () => {
    const bus = await catalog.connect('catalog');
    const state = { ticker: 'OLD-1', close_us: 9_000_000, result: 'yes' };
    const event = { id: 'old', type: 'MarketRecorded', version: 1, time: 0, account: null, data: state, state };
    const { seq } = await publishStored(bus, subjects.market('OLD-1'), {
      data: Buffer.from(JSON.stringify(event)),
      options: {},
    });
    await catalog.call('ingest', catalogRpc.awaitReadable, { seq });
    assert.deepEqual((await detail('OLD-1')).history, [
      { field: 'close_ts', value: 9, known_ts: null, basis: null },
      { field: 'result', value: 'yes', known_ts: null, basis: null },
    ]);
    const history = [{ known_us: 10_000_000, basis: 'recorded' as const, values: { result: 'yes' } }];
    await catalog.recorded({ kind: 'market', ticker: 'OLD-1', result: 'yes', history });
    assert.deepEqual((await detail('OLD-1')).history, [
      { field: 'result', value: 'yes', known_ts: 10, basis: 'recorded' },
      { field: 'close_ts', value: 9, known_ts: null, basis: null },
    ]);
  });
});
