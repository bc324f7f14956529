import { counter } from '@almanac/runtime';

const attempts = counter('almanac_webhook_attempts_total', 'attempts to deliver to webhooks', ['outcome']);

export const countAttempt = (outcome: 'succeeded' | 'failed'): void => attempts.inc({ outcome });
