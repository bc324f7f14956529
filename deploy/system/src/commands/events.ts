import { readHistory } from '../history/read.js';
import { tellHistory } from '../history/words.js';
import { moment } from '../history/print.js';
import { type Command, findAccount } from './command.js';

export const events: Command = {
  words: 'events',
  takes: 'ACCOUNT',
  does: 'All that ever happened to an account, its purchases, keys and exports, the oldest first.',
  options: ['account'],
  hasSubject: true,
  run: async (asked) => {
    const { account } = (await findAccount(asked)).state;
    const tell = tellHistory();
    const unreadable = (seq: number, stream: string) => asked.say(`Event ${seq} of ${stream} cannot be read.`);
    for await (const { event } of readHistory(asked.bus, account, unreadable)) {
      asked.say(`${moment(event.time)}  ${tell(event)}`);
    }
  },
};
