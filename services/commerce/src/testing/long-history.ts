import { randomUUID } from 'node:crypto';
import { type AdminBus, subjects } from '@almanac/bus';
import { accountState } from '@almanac/contracts';

export interface LongHistory {
  readonly eventsN: number;
  readonly accountsN: number;
  /** Accounts whose only event reserves an export, spread evenly over all events. */
  readonly openN: number;
}

/** Messages from one acknowledged message to the next. The server drops messages when 10,000 wait. */
const unacknowledgedMax = 2_000;

/** Publishes events of EVT_COMMERCE, in turns over all accounts, as fast as the server stores them. */
export const publishLongHistory = async (bus: AdminBus, history: LongHistory): Promise<void> => {
  const { last_seq: before } = (await bus.jsm.streams.info('EVT_COMMERCE')).state;
  for (let n = 1; n <= history.eventsN; n += 1) {
    const [subject, text] = eventOf(n, history);
    if (n % unacknowledgedMax !== 0 && n < history.eventsN) bus.streams.publish(subject, text);
    else {
      const { seq } = await bus.js.publish(subject, text);
      if (seq !== before + n) throw new Error(`the server stored ${seq - before} of ${n} events`);
    }
  }
};

const counts = { credits_granted: 0, credits_used: 0, exports_today: { day: '2026-03-01', count: 0 } };
const closed = JSON.stringify(accountState.parse({ account: '', plan: 'pro', ...counts, reservations: {} }));

const eventOf = (n: number, { eventsN, accountsN, openN }: LongHistory): readonly [subject: string, text: string] => {
  const every = Math.floor(eventsN / openN);
  const account = n % every === 0 ? `open-${n / every}` : `a${n % accountsN}`;
  const state = n % every === 0 ? openState(account) : closed.replace('"account":""', `"account":"${account}"`);
  const head = `{"id":"${n}","type":"PlanChanged","version":1,"time":1,"account":"${account}"`;
  return [subjects.account(account), `${head},"data":{"plan":"pro"},"state":${state}}`];
};

/** Reserved in the far future, so that no sweep closes it. */
const openState = (account: string): string => {
  const reservation = { grant: 'plan', day: '2026-03-01', at_us: 4e15, credit_event: null };
  return JSON.stringify(
    accountState.parse({ account, plan: 'pro', ...counts, reservations: { [randomUUID()]: reservation } }),
  );
};
