import type { Coverage, Market } from '@almanac/client';
import { type ReactNode, useMemo } from 'react';
import { CoverageStrip } from '../../charts/coverage-strip.js';
import { percent, price } from '../../format/numbers.js';
import { ago, dateTime, duration, localDay, shortTime } from '../../format/time.js';
import { Link, paths } from '../../parts/link.js';
import { Status } from '../../parts/status.js';
import { ZoneSwitch } from '../../parts/zone-switch.js';
import { type ChartData, type LastKnown, lastKnownOf, lifeOf } from '../../archive/market-data.js';
import { spreadOf } from './readout.js';

interface HeadingProps {
  readonly ticker: string;
  readonly title: string;
  readonly market: Market | undefined;
  readonly overview: ChartData | undefined;
  readonly coverage: Coverage | undefined;
  readonly now: number;
}

/** What a market is, what it costs and since when, and when it is open: everything in three lines above its chart. */
export const Heading = (props: HeadingProps): ReactNode => {
  const { ticker, title, market } = props;
  return (
    <div className="titles market-head">
      <nav className="crumbs" aria-label="Parents">
        {market?.series === null || market === undefined ? null : (
          <>
            <Link to={paths.series(market.series)}>{market.series}</Link> <span aria-hidden="true">/</span>
          </>
        )}
        {market?.event_ticker === null || market === undefined ? null : (
          <>
            <Link to={paths.event(market.event_ticker)}>{market.event_ticker}</Link> <span aria-hidden="true">/</span>
          </>
        )}
        <code>{ticker}</code>
      </nav>
      <h1 dir="auto" className="long-title">
        {title}
      </h1>
      <Quote {...props} />
    </div>
  );
};

const Quote = ({ market, overview, coverage, now }: HeadingProps): ReactNode => {
  const last = overview && lastKnownOf(overview, coverage);
  const life = useMemo(
    () => (market === undefined || overview === undefined ? undefined : lifeOf(market, overview, now)),
    [market, overview, now],
  );
  if (market === undefined) return <p className="quote" />;
  return (
    <>
      {/* On a phone it scrolls, so the keyboard must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="quote" tabIndex={0} role="group" aria-label="Price and times">
        <LastPrice last={last} market={market} now={now} />
        <Status status={market.status} result={market.result} />
        <Times market={market} />
      </div>
      {life === undefined || coverage === undefined || life.to <= life.from ? (
        <div className="coverage-strip" />
      ) : (
        <CoverageStrip
          label={coverageText(coverage)}
          times={life}
          life={life}
          gaps={coverage.gaps}
          isStated={coverage.covered_share !== null}
        />
      )}
    </>
  );
};

const coverageText = ({ covered_share, gaps_n }: Coverage): string =>
  covered_share === null
    ? 'No recording of this market states its completeness'
    : `${percent(covered_share)} of its life is recorded, with ${gaps_n === 1 ? '1 gap' : `${gaps_n} gaps`}`;

interface LastPriceProps {
  readonly last: LastKnown | undefined;
  readonly market: Market;
  readonly now: number;
}

/** `0.61, 44 min ago`. What a gap or the close hides came after it. */
const LastPrice = ({ last, market: { close_ts }, now }: LastPriceProps): ReactNode => {
  if (last === undefined) return <span className="last-price">–</span>;
  const { point, ts } = last;
  const spread = spreadOf(point);
  const beforeClose = close_ts === null || close_ts > now ? undefined : close_ts - ts;
  return (
    <>
      <span className="last" title={`Last observed at ${dateTime(ts)}`}>
        <strong className="last-price">{price(point.mid ?? point.bid ?? point.ask)}</strong>
        <span data-age={now - ts}>
          , {ago(now - ts)}
          {beforeClose === undefined || beforeClose < 1 ? '' : ` (${duration(beforeClose)} before the close)`}
        </span>
      </span>
      <span>
        <span className="quote-name">Bid</span> {price(point.bid)} <span className="quote-name">Ask</span>{' '}
        {price(point.ask)} {spread === null ? null : <span className="quote-name">Spread</span>}{' '}
        {spread === null ? null : price(spread)}
      </span>
    </>
  );
};

/** The day once, where all times are of it. */
const Times = ({ market: { open_ts, close_ts, settlement_ts } }: { readonly market: Market }): ReactNode => {
  const times = [
    ['Opened', open_ts] as const,
    ['Close', close_ts] as const,
    ['Settled', settlement_ts] as const,
  ].flatMap(([name, ts]) => (ts === null ? [] : [{ name, ts: Math.floor(ts) }]));
  return (
    <span className="times">
      {times.map(({ name, ts }, at) => {
        const before = times[at - 1];
        const text = shortTime(ts);
        const isSameDay = before !== undefined && localDay(before.ts) === localDay(ts);
        return (
          <span key={name} title={dateTime(ts)}>
            <span className="quote-name">{name}</span> {isSameDay ? text.slice(text.indexOf(' ') + 1) : text}
          </span>
        );
      })}
      <ZoneSwitch />
    </span>
  );
};
