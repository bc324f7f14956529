import type { Coverage, CoverageGap } from '@almanac/client';
import { Fragment, type ReactNode, useMemo } from 'react';
import { calendarOf, type CoverageCell } from '../../charts/coverage-cells.js';
import type { Window } from '../../charts/window.js';
import { count, percent } from '../../format/numbers.js';
import { ScrollBox } from '../../parts/scroll-box.js';
import { dateTime, duration } from '../../format/time.js';

interface CoverageProps {
  readonly coverage: Coverage;
  readonly life: Window;
  /** Shows a gap in the charts, and the book before it. */
  readonly onShow: (gap: CoverageGap) => void;
}

const toneOf = ({ share }: CoverageCell): string => {
  if (share >= 1) return 'full';
  return share <= 0 ? 'none' : 'part';
};

/** What was recorded over the life of the market, and each gap with its reason. */
export const CoverageCard = ({ coverage, life, onShow }: CoverageProps): ReactNode => {
  const { gaps, gaps_n, gap_s, covered_share, first_print_ts, last_print_ts, prints, venue_candles = [] } = coverage;
  return (
    <section className="card" aria-label="Coverage">
      <header>
        <h2>Coverage</h2>
        <span className="hint">
          {covered_share === null ? 'No recording states its completeness' : `${percent(covered_share)} of its life`}
        </span>
      </header>
      <div className="body stack">
        <dl className="facts">
          <dt>Observations</dt>
          <dd>{count(prints)}</dd>
          <dt>First</dt>
          <dd>{dateTime(first_print_ts)}</dd>
          <dt>Last</dt>
          <dd>{dateTime(last_print_ts)}</dd>
          <dt>Gaps</dt>
          <dd>{gaps_n === 0 ? 'None reported' : `${count(gaps_n)}, together ${duration(gap_s)}`}</dd>
          {venue_candles.map(({ source, period_s, candles, start_ts, end_ts }) => (
            <Fragment key={`${source} ${period_s}`}>
              <dt>Candles of {source}</dt>
              <dd>{`${count(candles)} of ${duration(period_s)}, ${dateTime(start_ts)} to ${dateTime(end_ts)}`}</dd>
            </Fragment>
          ))}
        </dl>
        {covered_share === null ? null : <Calendar life={life} gaps={gaps} />}
        {gaps.length === 0 ? null : <Gaps gaps={gaps} onShow={onShow} />}
      </div>
    </section>
  );
};

const Calendar = ({ life, gaps }: { readonly life: Window; readonly gaps: Coverage['gaps'] }): ReactNode => {
  const calendar = useMemo(() => calendarOf(life, gaps), [life, gaps]);
  const full = calendar.cells.filter(({ share }) => share >= 1).length;
  const label = `Complete periods of ${duration(calendar.unit_s)}: ${full} of ${calendar.cells.length}`;
  return (
    <figure className="calendar">
      <div className="calendar-cells" role="img" aria-label={label}>
        {calendar.cells.map((cell) => (
          <span
            key={cell.from}
            className="calendar-cell"
            data-tone={toneOf(cell)}
            title={`${dateTime(cell.from)}: ${percent(cell.share)} recorded${cell.reasons.length === 0 ? '' : ` (${cell.reasons.join(', ')})`}`}
          />
        ))}
      </div>
      <figcaption className="hint">{label}. Green is complete, amber in part, red not recorded.</figcaption>
    </figure>
  );
};

const shownMax = 100;

const Gaps = ({ gaps, onShow }: Pick<CoverageProps, 'onShow'> & Pick<Coverage, 'gaps'>): ReactNode => (
  <details>
    <summary>List of gaps{gaps.length > shownMax ? ` (the last ${shownMax} of ${count(gaps.length)})` : ''}</summary>
    <ScrollBox label="List of gaps" direction="x">
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col" className="number">
              Length
            </th>
            <th scope="col">Missing</th>
            <th scope="col">Reason</th>
            <th scope="col">Chart</th>
          </tr>
        </thead>
        <tbody>
          {gaps.slice(-shownMax).map((gap) => {
            const { start_ts, end_ts, missing, reason } = gap;
            return (
              <tr key={`${start_ts} ${missing}`}>
                <td>{dateTime(start_ts)}</td>
                <td>{end_ts === null ? 'still open' : dateTime(end_ts)}</td>
                <td className="number">{end_ts === null ? '–' : duration(end_ts - start_ts)}</td>
                <td>{missing === 'all' ? 'everything' : 'order books'}</td>
                <td>{reason}</td>
                <td>
                  <button type="button" className="link" onClick={() => onShow(gap)}>
                    Show
                  </button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollBox>
  </details>
);
