import { type ReactNode, useMemo } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { type StoredItem, useStoredLists } from '../../parts/stored-lists.js';
import { LastPrice } from '../../parts/last-price.js';
import { useLastPrices } from '../../parts/last-prices.js';
import { Link, paths } from '../../parts/link.js';
import { MarketLink } from '../../parts/market-link.js';
import { HomeCard } from './market-lists.js';

const pathOf = ({ kind, id }: StoredItem): string => paths[kind](id);

const ItemLink = ({ item }: { readonly item: StoredItem }): ReactNode =>
  item.kind === 'market' ? (
    <MarketLink ticker={item.id} title={item.title} />
  ) : (
    <Link to={pathOf(item)} className="titled">
      <span className="title" dir="auto" title={item.title}>
        {item.title}
      </span>
      {item.title === item.id ? null : <code className="ticker">{item.id}</code>}
    </Link>
  );

/** What the person watches, with the last prices of its markets. */
export const Watchlist = (): ReactNode => {
  const { watched, toggleWatched } = useStoredLists();
  const asOf = useAsOf();
  const markets = useMemo(
    () => [watched.filter(({ kind }) => kind === 'market').map(({ id }) => ({ ticker: id }))],
    [watched],
  );
  const prices = useLastPrices(markets, asOf);
  return (
    <HomeCard title="Watchlist" {...(watched.length > 0 && { hint: 'Bid / ask' })}>
      {watched.length === 0 ? (
        <p className="hint body">
          Nothing is watched yet: choose “☆ Watch” on a market or an event. This browser keeps it.
        </p>
      ) : (
        <ul className="home-list">
          {watched.map((item) => (
            <li key={`${item.kind} ${item.id}`}>
              <ItemLink item={item} />
              <span className="number">
                {item.kind === 'market' ? (
                  <>
                    <LastPrice known={prices.get(item.id)} side="bid" /> /{' '}
                    <LastPrice known={prices.get(item.id)} side="ask" />
                  </>
                ) : null}
              </span>
              <button
                type="button"
                className="icon"
                aria-label={`Stop watching ${item.id}`}
                onClick={() => toggleWatched(item)}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
    </HomeCard>
  );
};

/** What the person has looked at in this browser. */
export const RecentViews = (): ReactNode => {
  const { recent } = useStoredLists();
  return (
    <HomeCard title="Recently viewed">
      {recent.length === 0 ? (
        <p className="hint body">Markets, events and series that you open are listed here.</p>
      ) : (
        <ul className="home-list">
          {recent.map((item) => (
            <li key={`${item.kind} ${item.id}`}>
              <ItemLink item={item} />
              <span className="hint">{item.kind}</span>
            </li>
          ))}
        </ul>
      )}
    </HomeCard>
  );
};
