import type { EarlierBackup } from './earlier-backup.js';

/** How many backups stay: the newest of each of the last days, ISO weeks and months (UTC) that have one, and the last ones. */
export interface Retention {
  readonly last: number;
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}

type Described = Pick<EarlierBackup, 'folder' | 'manifest'>;

/** The backups that no rule keeps, oldest first. The newest one always stays. */
export const expired = <Backup extends Described>(backups: readonly Backup[], retention: Retention): Backup[] => {
  const newestFirst = backups.toSorted((one, other) => other.manifest.started_us - one.manifest.started_us);
  const staying = new Set<Backup>(newestFirst.slice(0, Math.max(1, retention.last)));
  const keepOneOf = (periodOf: (date: Date) => string, count: number): void => {
    const periods = new Set<string>();
    for (const backup of newestFirst) {
      const period = periodOf(new Date(backup.manifest.started_us / 1_000));
      if (periods.has(period)) continue;
      if (periods.size === count) return;
      periods.add(period);
      staying.add(backup);
    }
  };
  keepOneOf((date) => date.toISOString().slice(0, 10), retention.daily);
  keepOneOf(weekOf, retention.weekly);
  keepOneOf((date) => date.toISOString().slice(0, 7), retention.monthly);
  return newestFirst.filter((backup) => !staying.has(backup)).toReversed();
};

const dayMs = 86_400_000;

/** The Monday of its week. */
const weekOf = (date: Date): string => {
  const sinceMonday = (date.getUTCDay() + 6) % 7;
  return new Date(date.getTime() - sinceMonday * dayMs).toISOString().slice(0, 10);
};
