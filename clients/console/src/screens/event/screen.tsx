import { counted } from '@almanac/client';
import './event.css';
import '../market/market.css';
import type { EventItem } from '@almanac/client';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { Page } from '../../layout/page.js';
import { useLastPrices } from '../../parts/last-prices.js';
import { Link, paths } from '../../parts/link.js';
import { Status } from '../../parts/status.js';
import { WatchButton } from '../../parts/watch-button.js';
import { useAddressId } from '../../parts/use-address-id.js';
import { shortTime } from '../../format/time.js';
import { Empty } from '../../states/empty.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';
import { Result } from '../../states/result.js';
import { ZoneSwitch } from '../../parts/zone-switch.js';
import { EventView } from './event-view.js';
import { type Ladder, lifeOfEvent, useEvent, useLadder } from './event-data.js';
import { LadderTable } from './ladder-table.js';

/** An event: all its markets on one clock, and their ladder. */
export const Screen = (): ReactNode => {
  const id = useAddressId();
  const asOf = useAsOf();
  return <EventScreen key={`${id} ${asOf ?? ''}`} id={id} />;
};

const EventScreen = ({ id }: { readonly id: string }): ReactNode => {
  const query = useEvent(id);
  // At the same time as the event.
  const ladder = useLadder(id);
  const event = query.data?.event;
  const title = event?.title ?? id;
  return (
    <Page
      title={title}
      heading={<Heading id={id} title={title} event={event} />}
      actions={
        <>
          {event === undefined ? null : <WatchButton kind="event" id={id} title={title} />}
          <Link to={`/exports/new?event=${encodeURIComponent(id)}`} className="button primary">
            Export event
          </Link>
        </>
      }
    >
      <Result query={query} what="the event">
        {(detail) => <Markets id={id} event={detail.event} ladder={ladder} />}
      </Result>
    </Page>
  );
};

interface HeadingProps {
  readonly id: string;
  readonly title: string;
  readonly event: EventItem | undefined;
}

const Heading = ({ id, title, event }: HeadingProps): ReactNode => (
  <div className="titles market-head">
    <nav className="crumbs" aria-label="Parents">
      {event?.series === null || event === undefined ? null : (
        <>
          <Link to={paths.series(event.series)}>{event.series}</Link> <span aria-hidden="true">/</span>
        </>
      )}
      <code>{id}</code>
    </nav>
    <h1 dir="auto" className="long-title">
      {title}
    </h1>
    {event === undefined ? null : (
      <p className="tags">
        <Status status={event.status} />
        <span className="tag">{counted(event.markets_n, 'market')}</span>
        {event.open_ts === null || event.close_ts === null ? null : (
          <span className="hint">
            {shortTime(event.open_ts)} to {shortTime(event.close_ts)} <ZoneSwitch />
          </span>
        )}
      </p>
    )}
  </div>
);

interface MarketsProps {
  readonly id: string;
  readonly event: EventItem;
  readonly ladder: Ladder;
}

const Markets = ({ id, event, ladder }: MarketsProps): ReactNode => {
  const asOf = useAsOf();
  const [now] = useState(() => asOf ?? Math.floor(Date.now() / 1_000));
  const life = useMemo(() => lifeOfEvent(event, now), [event, now]);
  const [chartedPages, setChartedPages] = useState(0);
  const prices = useLastPrices(ladder.pages.slice(0, life === undefined ? Infinity : chartedPages), asOf);
  // What was read stays when the chart reads another window.
  const onCharted = useCallback((pages: number) => setChartedPages((before) => Math.max(before, pages)), []);
  const { rows } = ladder;
  if (rows === undefined) {
    return ladder.error === null ? (
      <Loading what="the markets of the event" />
    ) : (
      <Failure error={ladder.error} onRetry={ladder.refetch} />
    );
  }
  if (rows.length === 0) {
    return <Empty title="No market of this event is known">The venue listed the event without markets.</Empty>;
  }
  if (life !== undefined)
    return <EventView {...{ id, life, prices, onCharted }} title={event.title ?? id} ladder={{ ...ladder, rows }} />;
  return (
    <>
      {event.open_ts === null ? (
        <Empty title="Nothing states when this event is open">Each of its markets has a chart of its own.</Empty>
      ) : (
        <Empty title="The event has not opened yet">There is no price of it to draw.</Empty>
      )}
      <LadderTable ladder={ladder} prices={prices} drawn={none} onToggle={() => undefined} />
    </>
  );
};

const none = [] as const;
