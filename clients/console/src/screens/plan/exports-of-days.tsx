import { counted } from '@almanac/client';
import type { ExportListItem } from '@almanac/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { almanac } from '../../api/client.js';
import { count } from '../../format/numbers.js';
import { dayOf } from '../../format/time.js';
import { Result } from '../../states/result.js';
import { countsOfDays } from './days.js';

const days = 30;
const pagesMax = 5;
const [width, height, barWidth] = [600, 96, 14];

/** The exports of the last days. An account with very many has the newest ones only. */
const newestTimes = async (signal: AbortSignal): Promise<readonly number[]> => {
  const oldest = Date.now() / 1_000 - days * 86_400;
  const found: ExportListItem[] = [];
  let pages = 0;
  for await (const page of almanac.exports.list({ limit: 100 }, { signal }).pages()) {
    found.push(...page.exports);
    pages += 1;
    if (pages === pagesMax || (found.at(-1)?.created_ts ?? 0) < oldest) break;
  }
  return found.map(({ created_ts }) => created_ts);
};

/** A small chart of use. */
export const ExportsOfDays = ({ limit }: { readonly limit: number | null }): ReactNode => {
  const times = useQuery({ queryKey: ['exports', 'times'], queryFn: ({ signal }) => newestTimes(signal) });
  return (
    <section className="card" aria-label="Exports of the last 30 days">
      <header>
        <h2>Exports of the last {days} days</h2>
        {limit === null ? null : <span className="hint">{count(limit)} a day in your plan</span>}
      </header>
      <div className="body">
        <Result query={times} what="the exports of the last days">
          {(found) => <Bars times={found} />}
        </Result>
      </div>
    </section>
  );
};

/** A bar for each day. */
const Bars = ({ times }: { readonly times: readonly number[] }): ReactNode => {
  const [now] = useState(() => Date.now() / 1_000);
  const counts = countsOfDays(times, now, days);
  const most = Math.max(1, ...counts.map((day) => day.exports));
  const sum = counts.reduce((total, day) => total + day.exports, 0);
  const label = `${counted(sum, 'export')} in ${days} days`;
  return (
    <figure className="bars">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} preserveAspectRatio="none">
        {counts.map(({ start, exports }, index) => {
          const tall = exports === 0 ? 2 : Math.max(6, (exports / most) * (height - 8));
          return (
            <rect
              key={start}
              x={index * (width / days) + 2}
              y={height - tall}
              width={barWidth}
              height={tall}
              rx="2"
              data-exports={exports}
              className={exports === 0 ? 'none' : undefined}
            >
              <title>{`${dayOf(start)}: ${exports}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        <span>{dayOf(counts[0]?.start ?? 0)}</span>
        <span>{label}</span>
        <span>today</span>
      </figcaption>
    </figure>
  );
};
