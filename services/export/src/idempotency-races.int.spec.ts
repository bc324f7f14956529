import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { DomainError, type ExportResponse } from '@almanac/contracts';
import { seededRandom } from '@almanac/testing';
import { startExport } from './start.js';
import { type ReserveInput, testRuntime } from './testing/fixture.js';
import { type ExportHarness, startHarness } from './testing/harness.js';

const rounds = 40;
const requests = 8;

/** Reservations of an account with one credit, as commerce makes them. It closes one once its export is ready. */
const oneCredit = (waitMs: () => number) => {
  const open = new Map<string, string>();
  let isUsed = false;
  const reserve = async (claim: ReserveInput): Promise<{ grant: 'free_credit' }> => {
    await delay(waitMs());
    const known = open.get(claim.export_id);
    const wanted = claim.events.join();
    if (known !== undefined && known !== wanted) throw new DomainError('idempotency_conflict', 'Another export.');
    if (known === undefined && isUsed) throw new DomainError('payment_required', 'No credit is left.');
    isUsed = true;
    open.set(claim.export_id, wanted);
    return { grant: 'free_credit' };
  };
  return { reserve, close: (exportId: string) => open.delete(exportId) };
};

describe('concurrent requests with one Idempotency-Key and several bodies', { timeout: 240_000 }, () => {
  let harness: ExportHarness;
  const service = testRuntime();
  before(async () => {
    harness = await startHarness();
    await startExport(harness.fixture.config, service.runtime);
  });
  after(async () => {
    await service.stop();
    await harness.close();
  });

  it('create one export, and every request with another body conflicts', async () => {
    const random = seededRandom(1_530);
    const upTo = (max: number): number => Math.floor(random() * max);
    const codes = new Map<string, number>();
    for (let round = 0; round < rounds; round += 1) {
      const events = [(await harness.change()).event, `OTHER-${round}`, `THIRD-${round}`];
      const [first = ''] = events;
      const target = harness.stubs.targets.get(first) ?? assert.fail('no target');
      for (const event of events) harness.stubs.targets.set(event, { ...target, event, events: [event] });
      const credit = oneCredit(() => upTo(160));
      harness.stubs.reserve = credit.reserve;
      const idempotency_key = randomUUID();
      const sent = Array.from({ length: requests }, () => events[upTo(events.length)] ?? first);
      const send = async (event: string): Promise<ExportResponse> => {
        const created = await harness.create({ event, idempotency_key });
        credit.close(created.id);
        return created;
      };
      const answers = await Promise.allSettled(sent.map((event) => send(event)));
      const made = answers.flatMap((answer): ExportResponse[] => (answer.status === 'fulfilled' ? [answer.value] : []));
      assert.equal(new Set(made.map(({ id }) => id)).size, 1, 'one export');
      assert.equal(new Set(made.map(({ event }) => event)).size, 1, 'of one event');
      for (const [index, answer] of answers.entries()) {
        if (answer.status === 'fulfilled') continue;
        assert.ok(answer.reason instanceof DomainError);
        const { code } = answer.reason;
        codes.set(code, (codes.get(code) ?? 0) + 1);
        assert.notEqual(sent[index], made[0]?.event, 'a request with the body of the export gets the export');
      }
    }
    assert.deepEqual([...codes.keys()], ['idempotency_conflict'], JSON.stringify([...codes]));
  });
});
