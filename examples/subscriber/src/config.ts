import { processVariables, variable } from '@almanac/runtime';
import { z } from 'zod';

export const config = z.object({
  ...processVariables,
  NATS_USER: processVariables.NATS_USER.default('subscriber'),
  SUBSCRIBER_FILE: variable.text().default('exports.jsonl').describe('where each event becomes a line'),
});
export type SubscriberConfig = z.output<typeof config>;
