import type { Logger } from 'pino';
import { type Health, type Readiness, readiness } from './health.js';

const everyMs = 5_000;

/**
 * Logs which check of a process fails and which is well again, once each, whoever asked; nobody may be asking /readyz, so it
 * asks by itself, too. Ends when what it gives is called.
 */
export const tellChanges = (health: Health, log: Logger): (() => void) => {
  const unwell = new Set<string>();
  health.onReadiness = ({ checks, degraded = {} }: Readiness): void => {
    if (health.stopping) return;
    const outcomes = Object.entries({ ...checks, ...degraded });
    const failing = new Map(outcomes.filter(([name, outcome]) => name !== 'process' && outcome !== 'ok'));
    for (const [check, outcome] of failing) {
      if (!unwell.has(check)) log.warn({ check, outcome, degraded: check in degraded }, 'a check fails');
      unwell.add(check);
    }
    for (const check of [...unwell].filter((name) => !failing.has(name))) {
      log.info({ check }, 'a check is well again');
      unwell.delete(check);
    }
  };
  const timer = setInterval(() => void readiness(health), everyMs);
  timer.unref();
  return () => clearInterval(timer);
};
