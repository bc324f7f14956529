import type { Logger } from 'pino';
import { type Health, readiness } from './health.js';

const everyMs = 5_000;

/**
 * Logs which check of a process fails and which is well again, once each: nobody may be asking /readyz. Ends when what it
 * gives is called.
 */
export const tellChanges = (health: Health, log: Logger): (() => void) => {
  const unwell = new Set<string>();
  let asking = false;
  const look = async (): Promise<void> => {
    asking = true;
    const { checks, degraded = {} } = await readiness(health);
    asking = false;
    if (health.stopping) return;
    const outcomes = Object.entries({ ...checks, ...degraded });
    const failing = new Map(outcomes.filter(([name, outcome]) => name !== 'process' && outcome !== 'ok'));
    for (const [check, outcome] of failing) {
      if (!unwell.has(check)) log.warn({ check, outcome, degraded: check in degraded }, 'a check fails');
      unwell.add(check);
    }
    for (const check of unwell) {
      if (failing.has(check)) continue;
      log.info({ check }, 'a check is well again');
      unwell.delete(check);
    }
  };
  const timer = setInterval(() => {
    if (!asking) void look();
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
};
