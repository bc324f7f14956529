import { callersOf, type Contract, type UserName, userNames } from '@almanac/contracts';
import { createInbox, type Msg } from '@nats-io/transport-node';
import type { Bus } from '../bus.js';
import { inboxOf } from '../names.js';

export interface ReceivedContract {
  readonly contract: Contract;
  readonly callback: (error: Error | null, message: Msg) => void;
}

export interface DirectInboxOptions {
  readonly contracts: readonly ReceivedContract[];
  readonly subscribe: (subject: string, callback: ReceivedContract['callback']) => void;
}

/**
 * Inboxes at which this process alone receives requests, one for each user. While a server is cut off, the others do not know that its
 * clients have left it, and send it its share of the requests of a queue. So a request that seems lost is sent again to a
 * process that has just answered.
 *
 * An inbox has a random name, which is sent only to a reply subject of its user. There the user may call what it may
 * call anyway. Undefined for a reply subject of nobody.
 */
export const directInboxes = (
  { user: service }: Pick<Bus, 'user'>,
  { contracts, subscribe }: DirectInboxOptions,
): ((replySubject: string) => string | undefined) => {
  const inboxes = new Map<UserName, string>();
  return (replySubject) => {
    const user = userNames.find((one) => replySubject.startsWith(`${inboxOf(one)}.`));
    if (user === undefined) return undefined;
    const known = inboxes.get(user);
    if (known !== undefined) return known;
    const inbox = createInbox(inboxOf(service));
    const callable = new Map(
      contracts.filter(({ contract }) => callersOf(contract).includes(user)).map((one) => [one.contract.method, one]),
    );
    subscribe(`${inbox}.*`, (error, message) =>
      callable.get(message.subject.slice(inbox.length + 1))?.callback(error, message),
    );
    inboxes.set(user, inbox);
    return inbox;
  };
};

/** Where one process receives requests of a contract. */
export const directSubject = (inbox: string, { method }: Pick<Contract, 'method'>): string => `${inbox}.${method}`;
