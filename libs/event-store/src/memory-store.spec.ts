import { describe } from 'node:test';
import { eventStoreSuite } from './testing/event-store-suite.js';
import { memoryStore } from './testing/memory-store.js';

describe('the store in memory', () => {
  const store = memoryStore();
  eventStoreSuite(() => ({
    store,
    subject: (name) => `evt.export.${name}`,
    stored: async (subject) => store.events.filter((event) => event.subject === subject).map(({ text }) => text),
  }));
});
