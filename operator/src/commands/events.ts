import { readHistory } from '../history/read.js';
import { describeEvents } from '../history/describe-event.js';
import { moment } from '../history/format.js';
import { type Command, findAccount } from './command.js';

export const events: Command = {
  words: 'events',
  takes: 'ACCOUNT',
  does: 'Prints all events of an account, its purchases, keys and exports, oldest first.',
  options: ['account'],
  hasSubject: true,
  run: async (cliContext) => {
    const { account } = (await findAccount(cliContext)).state;
    const describe = describeEvents();
    const unreadable = (seq: number, stream: string) =>
      cliContext.show([{ stream, seq, unreadable: true }], `Event ${seq} of ${stream} cannot be read.`);
    for await (const { event } of readHistory(cliContext.bus, account, unreadable)) {
      const text = describe(event);
      const item = { ts: event.time / 1e6, type: event.type, text, data: event.data };
      cliContext.show([item], `${moment(event.time)}  ${text}`);
    }
  },
};
