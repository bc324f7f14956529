import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { answerParent } from '../worker.js';

const question = z.object({ text: z.string(), afterMs: z.number() });

/** Returns a text after a time. */
answerParent(async (message) => {
  const { text, afterMs } = question.parse(message);
  await delay(afterMs);
  return { text };
});
