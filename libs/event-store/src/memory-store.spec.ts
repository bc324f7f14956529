import { describe } from 'node:test';
import { eventStoreContractTests } from './testing/event-store.contract-tests.js';
import { memoryStore } from './testing/memory-store.js';

describe('the store in memory', () => {
  const store = memoryStore();
  eventStoreContractTests(() => ({
    store,
    subject: (name) => `evt.export.${name}`,
    stored: async (subject) => store.events.filter((event) => event.subject === subject).map(({ text }) => text),
  }));
});
