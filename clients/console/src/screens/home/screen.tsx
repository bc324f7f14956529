import './home.css';
import type { SeriesItem } from '@almanac/client';
import { type ReactNode, useEffect, useState } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { useCategories } from '../../archive/categories.js';
import { count } from '../../format/numbers.js';
import { ago, dateTime } from '../../format/time.js';
import { Page } from '../../layout/page.js';
import { Link } from '../../parts/link.js';
import { NoRows } from '../../states/no-rows.js';
import { Result } from '../../states/result.js';
import { boundsOf } from './groups.js';
import { useArchive } from './home-data.js';
import { PriceAlerts } from './alert-list.js';
import { RecentViews, Watchlist } from './stored-lists.js';
import { NewestRecordings, NextCloses } from './market-lists.js';
import { RecordedDays } from './recorded-days.js';

const tickMs = 30_000;

/** The time of the screen: the present, which goes on, or the time as of which the archive is shown. */
const useNow = (): number => {
  const asOf = useAsOf();
  const [now, setNow] = useState(() => Date.now() / 1_000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1_000), tickMs);
    return () => clearInterval(timer);
  }, []);
  return asOf ?? now;
};

/** What the archive has, what was recorded and what is missing, what comes next, and what this person looks at. */
export const Screen = (): ReactNode => {
  const query = useArchive();
  return (
    <Page
      title="Home"
      actions={
        <Link to="/browse" className="button">
          Browse all series
        </Link>
      }
    >
      <Result query={query} what="the archive">
        {(answer) =>
          answer.series.length === 0 ? <NoRows what="series" isFiltered={false} /> : <Filled answer={answer} />
        }
      </Result>
    </Page>
  );
};

interface Answer {
  readonly series: readonly SeriesItem[];
  readonly markets_n: number | null;
  readonly events_n: number | null;
  readonly series_n: number | null;
}

const Filled = ({ answer }: { readonly answer: Answer }): ReactNode => {
  const now = useNow();
  // What is read stays the same while the clock goes on.
  const [openedAt] = useState(now);
  const { series } = answer;
  const { next, last } = boundsOf(series);
  const lastClose = Math.max(...series.map(({ last_close_ts }) => last_close_ts ?? -Infinity));
  return (
    <div className="home">
      <Size answer={answer} lastClose={Number.isFinite(lastClose) ? lastClose : undefined} now={now} />
      <div className="home-column">
        <NewestRecordings openedAt={openedAt} now={now} since={last} />
        <NextCloses openedAt={openedAt} now={now} until={next} />
        <RecentViews />
      </div>
      <div className="home-column">
        <RecordedDays series={series} endTs={Number.isFinite(lastClose) ? Math.min(lastClose, openedAt) : openedAt} />
        <PriceAlerts />
        <Watchlist />
      </div>
    </div>
  );
};

interface SizeProps {
  readonly answer: Answer;
  readonly lastClose: number | undefined;
  readonly now: number;
}

const Size = ({ answer, lastClose, now }: SizeProps): ReactNode => {
  const { data } = useCategories();
  const { series, series_n } = answer;
  // Not every series has a category.
  const parts = series.length === series_n ? series : data?.categories;
  const live = parts?.reduce((sum, { live_n }) => sum + (live_n ?? 0), 0);
  const figures: readonly (readonly [name: string, text: string, to?: string])[] = [
    ['Markets', count(answer.markets_n), '/markets'],
    ['Events', count(answer.events_n)],
    ['Series', count(answer.series_n), '/browse'],
    ['Live now', count(live), '/markets?status=live'],
  ];
  return (
    <dl className="home-size" aria-label="Size of the archive">
      {figures.map(([name, text, to]) => (
        <div key={name} data-figure={name}>
          <dt>{name}</dt>
          <dd>{to === undefined ? text : <Link to={to}>{text}</Link>}</dd>
        </div>
      ))}
      {lastClose === undefined ? null : (
        <div data-figure="Newest close" title={dateTime(Math.floor(lastClose))}>
          <dt>Newest close</dt>
          <dd>{ago(now - lastClose)}</dd>
        </div>
      )}
    </dl>
  );
};
