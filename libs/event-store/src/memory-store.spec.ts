import { describe } from 'node:test';
import { eventStoreBehaviour } from './testing/event-store.features.js';
import { memoryStore } from './testing/memory-store.js';

describe('the store in memory', () => {
  const store = memoryStore();
  eventStoreBehaviour(() => ({
    store,
    subject: (name) => `evt.export.${name}`,
    stored: async (subject) => store.events.filter((event) => event.subject === subject).map(({ text }) => text),
  }));
});
