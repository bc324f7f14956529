import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AdminBus, connectBus, ensureDeadLetters, ensureStream } from '@almanac/bus';
import { DomainError, eventFormats, eventTypesOf } from '@almanac/contracts';
import { seededRandom, testNats, type TestNats } from '@almanac/testing';
import { z } from 'zod';
import { type Decider, execute } from './decider.js';
import { jetStreamStore } from './jetstream-store.js';

const older = eventTypesOf(z.object({ sum: z.int(), lines: z.array(z.object({ id: z.string(), n: z.int() })) }), [
  'Added',
]);
const newer = eventTypesOf(
  z.object({
    sum: z.int(),
    lines: z.array(z.object({ id: z.string(), n: z.int(), colour: z.string().optional() })),
    limit: z.int().optional(),
  }),
  ['Added', 'Limited'],
);
const { format: olderFormat } = eventFormats.EVT_EXPORT;
const newerFormat = olderFormat + 1;
type NewerState = z.infer<typeof newer>;
interface Command {
  readonly id: string;
  readonly limit?: number;
}

/** The same rules in both releases. The newer one also knows a limit and the colour of a line. */
const decider = <State extends NewerState>(
  state: z.ZodType<State>,
  colour?: string,
): Decider<NewerState, Command, { type: string; data: Command }> => ({
  state,
  decide: (data) => ({ type: data.limit === undefined ? 'Added' : 'Limited', data }),
  evolve: (earlier = { sum: 0, lines: [] }, { data: { id, limit } }) =>
    limit === undefined
      ? {
          ...earlier,
          sum: earlier.sum + 1,
          lines: [
            ...earlier.lines.map((line) => (line.id === id ? { ...line, n: line.n + 1 } : line)),
            ...(earlier.lines.some((line) => line.id === id) ? [] : [{ id, n: 1, ...(colour && { colour }) }]),
          ],
        }
      : { ...earlier, limit },
});

describe('two releases that change the same entities', () => {
  let nats: TestNats;
  let bus: AdminBus;
  let commands = 0;
  before(async () => {
    nats = await testNats();
    bus = await connectBus({ url: nats.url, user: 'export' });
    await ensureStream(bus, 'EVT_EXPORT');
    await ensureDeadLetters(bus);
  });
  after(async () => {
    await bus.close();
    await nats.stop();
  });

  /** Publishes as the newer release does, with its format. */
  const newerStore = () => {
    const store = jetStreamStore(bus);
    const append: typeof store.append = async (subject, event, expected) => {
      const options = { expect: { lastSubjectSequence: expected }, msgID: event.id };
      const { seq, duplicate } = await bus.js.publish(
        subject,
        JSON.stringify({ ...event, format: newerFormat }),
        options,
      );
      return { seq, duplicate };
    };
    return { ...store, append };
  };
  const envelope = (subject: string, command: Command) => {
    commands += 1;
    return { subject, command, id: `${subject}-${commands}`, account: null, time: 1, timeoutMs: 30_000 };
  };
  const byOlder = (subject: string, command: Command) =>
    execute(jetStreamStore(bus), decider<NewerState>(older), envelope(subject, command));
  const byNewer = (subject: string, command: Command) =>
    execute(newerStore(), decider(newer, 'red'), envelope(subject, command));
  const formatOf = async (subject: string): Promise<unknown> => {
    const message = await bus.jsm.streams.getMessage('EVT_EXPORT', { last_by_subj: subject });
    return z.looseObject({}).parse(message?.json())['format'];
  };

  it('erase nothing of each other, in any order', async () => {
    const random = seededRandom(20261122);
    for (let round = 0; round < 20; round += 1) {
      const at = `evt.export.both.${round}`;
      let model: NewerState = { sum: 0, lines: [] };
      for (let step = 0; step < 25; step += 1) {
        const isNewer = random() < 0.4;
        const command = { id: `line-${Math.floor(random() * 6)}` };
        model = decider(newer, isNewer ? 'red' : undefined).evolve(model, { type: 'Added', data: command });
        await (isNewer ? byNewer : byOlder)(at, command);
      }
      const { state } = (await jetStreamStore(bus).load(at, newer)) ?? assert.fail();
      assert.deepEqual(JSON.parse(JSON.stringify(state)), model);
    }
  });

  it('refuse a change at the older one while the last event is newer, and store it after the next known one', async () => {
    const at = 'evt.export.refused.1';
    const first = await byOlder(at, { id: 'a' });
    await byNewer(at, { id: 'limit', limit: 7 });
    const unavailable = (error: unknown): boolean =>
      error instanceof DomainError && error.code === 'unavailable' && error.reply.more?.['retry_after_s'] === 5;
    await assert.rejects(byOlder(at, { id: 'a' }), unavailable);
    const cached = { ...envelope(at, { id: 'a' }), cachedState: first ?? null };
    await assert.rejects(execute(jetStreamStore(bus), decider<NewerState>(older), cached), unavailable);
    await assert.rejects(
      execute(jetStreamStore(bus), decider<NewerState>(older), { ...cached, cachedState: null }),
      unavailable,
    );
    assert.deepEqual((await jetStreamStore(bus).load(at, older))?.state.sum, 1);
    await byNewer(at, { id: 'a' });
    await byOlder(at, { id: 'a' });
    const state = (await jetStreamStore(bus).load(at, newer))?.state;
    assert.deepEqual(JSON.parse(JSON.stringify(state)), { sum: 3, lines: [{ id: 'a', n: 3 }], limit: 7 });
    assert.equal(await formatOf(at), newerFormat, 'the state still has fields of the newer release');
  });

  it('write their own format', async () => {
    await byOlder('evt.export.format.1', { id: 'a' });
    assert.equal(await formatOf('evt.export.format.1'), olderFormat);
  });
});
