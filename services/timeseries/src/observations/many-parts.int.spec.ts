import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Bus } from '@almanac/bus';
import { command, localTableOf, rows } from '@almanac/clickhouse';
import { DomainError } from '@almanac/contracts';
import { z } from 'zod';
import {
  type Callers,
  callersOf,
  type RunningService,
  startService,
  startFixture,
  type TimeseriesFixture,
} from '../testing/fixture.js';

const atUs = 1_771_992_900_000_000;

describe('batches while ClickHouse has many parts', () => {
  let fixture: TimeseriesFixture;
  /** The table of the parts. */
  let stored: string;
  let service: RunningService;
  let buses: readonly [Bus, Bus];
  let calls: Callers;

  before(async () => {
    fixture = await startFixture();
    stored = fixture.operator.cluster === undefined ? 'snapshots' : localTableOf('snapshots');
    service = await startService(fixture);
    buses = [await fixture.busOf('gateway'), await fixture.busOf('ingest')];
    calls = callersOf(...buses);
  });
  after(async () => {
    await service.stop();
    await Promise.all(buses.map((bus) => bus.close()));
    await fixture.stop();
  });

  const numbered = async (sql: string): Promise<number> => {
    const [first] = await rows(fixture.operator, { sql }, z.object({ n: z.coerce.number() }));
    return first?.n ?? 0;
  };
  const newParts = async (work: () => Promise<unknown>): Promise<number> => {
    const parts = `SELECT max(max_block_number) AS n FROM system.parts WHERE table = '${stored}' AND active`;
    const before_ = await numbered(parts);
    await work();
    return (await numbered(parts)) - before_;
  };

  it('are unavailable, and stored when they are sent again after the merges', async () => {
    await calls.store('PARTS', [{ us: atUs, price: '1' }]);
    await command(fixture.operator, { sql: `SYSTEM STOP MERGES ${stored}` });
    await command(fixture.operator, {
      sql: `ALTER TABLE ${stored} MODIFY SETTING parts_to_throw_insert = 1, parts_to_delay_insert = 1`,
    });
    const again = () => calls.store('PARTS', [{ us: atUs + 1, price: '2' }]);
    await assert.rejects(again(), (error) => {
      assert.ok(error instanceof DomainError);
      assert.equal(error.code, 'unavailable');
      return true;
    });
    await command(fixture.operator, {
      sql: `ALTER TABLE ${stored} RESET SETTING parts_to_throw_insert, parts_to_delay_insert`,
    });
    await command(fixture.operator, { sql: `SYSTEM START MERGES ${stored}` });
    await again();
    assert.equal(await numbered("SELECT count() AS n FROM snapshots WHERE ticker = 'PARTS'"), 2);
  });

  it('that are small and concurrent are stored as few parts, with each row', async () => {
    await command(fixture.operator, { sql: `SYSTEM STOP MERGES ${stored}` });
    const count = 200;
    const tickers = Array.from({ length: count }, (_, n) => `SMALL-${n}`);
    const made = await newParts(() =>
      Promise.all(tickers.map((ticker) => calls.store(ticker, [{ us: atUs, price: '3' }]))),
    );
    assert.equal(await numbered("SELECT count() AS n FROM snapshots WHERE ticker LIKE 'SMALL-%'"), count);
    assert.ok(made <= count / 4, `${made} parts for ${count} batches`);
    await command(fixture.operator, { sql: `SYSTEM START MERGES ${stored}` });
  });

  it('are refused alone if one of them has a bad value', async () => {
    const count = 40;
    const batches = Array.from({ length: count }, (_, n) =>
      calls.store(`MIXED-${n}`, [{ us: atUs, price: n % 10 === 5 ? 'no price' : '4' }]),
    );
    const refused = (await Promise.allSettled(batches)).flatMap((outcome, n) =>
      outcome.status === 'rejected' ? [n] : [],
    );
    assert.deepEqual(refused, [5, 15, 25, 35]);
    assert.equal(await numbered("SELECT count() AS n FROM snapshots WHERE ticker LIKE 'MIXED-%'"), count - 4);
  });
});
