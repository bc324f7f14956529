import { counted } from '@almanac/client';
import { type ReactNode, useMemo } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { price } from '../../format/numbers.js';
import { ago, dateTime, duration } from '../../format/time.js';
import { useLastPrices } from '../../parts/last-prices.js';
import { Link, paths } from '../../parts/link.js';
import { MarketLink } from '../../parts/market-link.js';
import { Status } from '../../parts/status.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';
import type { MarketGroup } from './groups.js';
import { useLastCloses, useNextCloses } from './home-data.js';

interface ListProps {
  readonly openedAt: number;
  readonly now: number;
}

/** What closes next, with the price of those that are one market. */
export const NextCloses = ({ openedAt, now, until }: ListProps & { readonly until: number | undefined }): ReactNode => {
  const { groups, error, refetch } = useNextCloses(openedAt, until);
  const asOf = useAsOf();
  const alone = useMemo(
    () => [groups?.flatMap(({ markets }) => (markets.length === 1 ? markets : [])) ?? []],
    [groups],
  );
  const prices = useLastPrices(alone, asOf);
  const priceOf = ({ markets: [market, ...others] }: MarketGroup): string => {
    const known = market === undefined || others.length > 0 ? undefined : prices.get(market.ticker);
    return known === undefined ? '' : `${price(known.bid)} / ${price(known.ask)}`;
  };
  return (
    <HomeCard title="Next resolutions" hint="Bid / ask">
      {until === undefined || groups?.length === 0 ? (
        <p className="hint body">No market is open.</p>
      ) : groups === undefined ? (
        <Waiting what="the next closes" error={error} onRetry={refetch} />
      ) : (
        <ul className="home-list">
          {groups.map((group) => (
            <li key={group.id}>
              <GroupLink group={group} />
              <span className="number">{priceOf(group)}</span>
              <span className="home-when" title={dateTime(group.close_ts)}>
                {group.close_ts <= now ? 'closed' : `in ${duration(inMinutes(group.close_ts - now))}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </HomeCard>
  );
};

/** Seconds would be wrong a moment later. */
const inMinutes = (seconds: number): number => Math.max(60, Math.round(seconds / 60) * 60);

/** What closed last, with the result of those that are one market. */
export const NewestRecordings = ({
  openedAt,
  now,
  since,
}: ListProps & { readonly since: number | undefined }): ReactNode => {
  const { groups, error, refetch } = useLastCloses(openedAt, since);
  return (
    <HomeCard title="Newest recordings">
      {since === undefined || groups?.length === 0 ? (
        <p className="hint body">No market has closed yet.</p>
      ) : groups === undefined ? (
        <Waiting what="the newest recordings" error={error} onRetry={refetch} />
      ) : (
        <ul className="home-list">
          {groups.map((group) => {
            const [market, ...others] = group.markets;
            return (
              <li key={group.id}>
                <GroupLink group={group} />
                {market === undefined ? null : (
                  <Status status={market.status} result={others.length === 0 ? market.result : null} />
                )}
                <span className="home-when" title={dateTime(group.close_ts)}>
                  {ago(now - group.close_ts)}
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </HomeCard>
  );
};

/** An event with one market leads to the market. */
const GroupLink = ({ group: { id, title, markets } }: { readonly group: MarketGroup }): ReactNode => {
  const [market, ...others] = markets;
  if (market !== undefined && others.length === 0) return <MarketLink ticker={market.ticker} title={market.title} />;
  return (
    <Link to={paths.event(id)} className="titled">
      <span className="title" dir="auto" title={title}>
        {title}
      </span>
      <span className="ticker count">{counted(markets.length, 'market')}</span>
    </Link>
  );
};

interface HomeCardProps {
  readonly title: string;
  readonly hint?: string;
  readonly children: ReactNode;
}

export const HomeCard = ({ title, hint, children }: HomeCardProps): ReactNode => (
  <section className="card home-card" aria-label={title}>
    <header>
      <h2>{title}</h2>
      {hint === undefined ? null : <span className="hint">{hint}</span>}
    </header>
    {children}
  </section>
);

interface WaitingProps {
  readonly what: string;
  readonly error: Error | null;
  readonly onRetry: () => unknown;
}

const Waiting = ({ what, error, onRetry }: WaitingProps): ReactNode => (
  <div className="body">
    {error === null ? <Loading what={what} rows={4} /> : <Failure error={error} onRetry={onRetry} />}
  </div>
);
