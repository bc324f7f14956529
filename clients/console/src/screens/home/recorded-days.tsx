import '../quality/quality.css';
import type { SeriesItem } from '@almanac/client';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { useCategories } from '../../archive/categories.js';
import { dayOf } from '../../format/time.js';
import { useHref } from '../../parts/link.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';
import { Calendar } from '../quality/calendar.js';
import { targetsOf } from './groups.js';
import { useRecordedDays } from './home-data.js';

interface RecordedDaysProps {
  readonly series: readonly SeriesItem[];
  /** In the last day that is shown. */
  readonly endTs: number;
}

/** The calendar of the largest category, or of a chosen one. A day leads to its markets, the worst first. */
export const RecordedDays = ({ series, endTs }: RecordedDaysProps): ReactNode => {
  const [, navigate] = useLocation();
  const href = useHref();
  const [chosen, choose] = useState<string>();
  const categories = useCategories();
  const targets = categories.data === undefined ? [] : targetsOf(categories.data.categories, series);
  const target = targets.find(({ id }) => id === chosen) ?? targets[0];
  const query = useRecordedDays(target, endTs);
  const { data, refetch } = query;
  const error = categories.error ?? query.error;
  if (data === undefined || target === undefined) {
    return (
      <section className="card home-days" aria-label="Calendar">
        <header>
          <h2>Recorded by day (UTC)</h2>
        </header>
        <div className="body">
          {error === null ? <Loading what="the calendar" rows={8} /> : <Failure error={error} onRetry={refetch} />}
        </div>
      </section>
    );
  }
  const days = data.periods.map(({ start_ts }) => dayOf(start_ts));
  const open = (day: string): void =>
    navigate(
      href(`/quality?${target.kind}=${encodeURIComponent(target.id)}&from=${days[0]}&to=${days.at(-1)}&day=${day}`),
    );
  return (
    <div className="home-days" data-target={target.id}>
      <Calendar answer={data} chosen={undefined} onChoose={open}>
        {targets.length < 2 ? null : (
          <select aria-label="Calendar of" value={target.id} onChange={(event) => choose(event.target.value)}>
            {targets.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Calendar>
    </div>
  );
};
