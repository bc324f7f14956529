import type { Logger } from 'pino';
import { type Health, type Readiness, readiness } from './health.js';

const checkEveryMs = 5_000;

/**
 * Logs each check that starts to fail or recovers, whoever ran it. It also runs the checks by itself, because there
 * may be no requests to /readyz. Call the returned function to end it.
 */
export const logHealthChanges = (health: Health, log: Logger): (() => void) => {
  const failingNames = new Set<string>();
  health.onReadiness = ({ checks, degraded = {} }: Readiness): void => {
    if (health.stopping) return;
    const outcomes = Object.entries({ ...checks, ...degraded });
    const failingChecks = new Map(outcomes.filter(([name, outcome]) => name !== 'process' && outcome !== 'ok'));
    for (const [check, outcome] of failingChecks) {
      if (!failingNames.has(check)) log.warn({ check, outcome, degraded: check in degraded }, 'a check fails');
      failingNames.add(check);
    }
    for (const check of [...failingNames].filter((name) => !failingChecks.has(name))) {
      log.info({ check }, 'a check passes again');
      failingNames.delete(check);
    }
  };
  const timer = setInterval(() => void readiness(health), checkEveryMs);
  timer.unref();
  return () => clearInterval(timer);
};
