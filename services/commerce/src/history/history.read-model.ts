import { type Bus, follow, idOf, subjects } from '@almanac/bus';
import type { commerceRpc } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';
import { z } from 'zod';

type Answer = z.output<typeof commerceRpc.history.output>;
type Entry = Answer['events'][number];

export type History = (asked: { readonly account: string; readonly limit: number }) => Promise<Answer>;

const facts = z.record(z.string(), z.unknown());
const things = z.enum(['unlock', 'checkout', 'upgrade']);

/** All that happened to an account and its things, read from the stream itself: what an operator asks once in a while. */
export const historyOf =
  (bus: Bus, log: Logger): History =>
  async ({ account, limit }) => {
    const own = subjects.account(account);
    // One pattern for both would need two filters, which an old server does not take.
    const [ofAccount, ofThings] = await Promise.all(
      [own, `${own}.>`].map((filter) => newest(bus, { filter, limit, log })),
    );
    const read = [ofAccount, ofThings]
      .flatMap((part) => part?.entries ?? [])
      .toSorted((one, other) => one.seq - other.seq);
    const events = read.slice(-limit);
    return { events, has_more: events.length < (ofAccount?.count ?? 0) + (ofThings?.count ?? 0) };
  };

const newest = async (
  bus: Bus,
  { filter, limit, log }: { filter: string; limit: number; log: Logger },
): Promise<{ entries: Entry[]; count: number }> => {
  let entries: Entry[] = [];
  let count = 0;
  const following = await follow(bus, {
    stream: 'EVT_COMMERCE',
    filter,
    from: 'first',
    state: z.unknown(),
    onEvent: ({ subject, seq, event }) => {
      count += 1;
      const { thing, id } = thingIn(subject);
      const data = facts.catch({}).parse(event.data);
      entries.push({ seq, time_us: event.time, thing, id, type: event.type, data });
      if (entries.length >= 2 * limit) entries = entries.slice(-limit);
    },
    onUnreadable: (error, { subject, seq }) => log.error({ err: error, subject, seq }, 'an event is unreadable'),
  });
  await following.caughtUp;
  await following.stop();
  return { entries: entries.slice(-limit), count };
};

/** `evt.commerce.<account>` or `evt.commerce.<account>.<thing>.<id>`. */
const thingIn = (subject: string): Pick<Entry, 'thing' | 'id'> => {
  const [, , account = '', thing, id = ''] = subject.split('.');
  return thing === undefined ? { thing: 'account', id: idOf(account) } : { thing: things.parse(thing), id: idOf(id) };
};
