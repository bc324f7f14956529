import { counted, type PeriodQuality } from '@almanac/client';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { count, percent } from '../../format/numbers.js';
import { dayOf, duration } from '../../format/time.js';
import { weekdayOf } from './target.js';

interface CalendarProps {
  readonly answer: {
    readonly periods: readonly PeriodQuality[];
    readonly markets_n: number;
    readonly markets_with_gaps_n: number;
  };
  readonly chosen: string | undefined;
  readonly onChoose: (day: string) => void;
  /** Beside the title. */
  readonly children?: ReactNode;
}

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** One field for each day, in weeks. The arrow keys move between the days, and the tab key leaves them. */
export const Calendar = ({ answer, chosen, onChoose, children }: CalendarProps): ReactNode => {
  const grid = useRef<HTMLDivElement>(null);
  const days = answer.periods.map((period) => ({ day: dayOf(period.start_ts), period }));
  const entry = days.some(({ day }) => day === chosen) ? chosen : days.at(-1)?.day;
  const move = (event: KeyboardEvent<HTMLDivElement>): void => {
    const buttons = [...(grid.current?.querySelectorAll('button') ?? [])];
    const at = buttons.findIndex((button) => button === document.activeElement);
    const to = steps[event.key]?.(at, buttons.length - 1);
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    buttons[Math.max(0, Math.min(buttons.length - 1, to))]?.focus();
  };
  const { markets_n, markets_with_gaps_n } = answer;
  return (
    <section className="card" aria-label="Calendar">
      <header>
        <h2>Recorded by day (UTC)</h2>
        {children}
        <span className="hint">
          With gaps: {count(markets_with_gaps_n)} of {counted(markets_n, 'market')}
        </span>
      </header>
      <div className="body stack">
        <div className="days" role="group" aria-label="Days" ref={grid} onKeyDown={move}>
          {weekdays.map((name) => (
            <span key={name} className="weekday" aria-hidden="true">
              {name}
            </span>
          ))}
          {days.map(({ day, period }, at) => (
            <Day
              key={day}
              day={day}
              period={period}
              column={at === 0 ? weekdayOf(day) + 1 : undefined}
              isChosen={day === chosen}
              isEntry={day === entry}
              onChoose={onChoose}
            />
          ))}
        </div>
        <p className="hint">
          The bar is the share of the time from open to close of all markets that was recorded completely. ▲ is the
          number of gaps. “–”: nothing states completeness, or no market was open.
        </p>
      </div>
    </section>
  );
};

const steps: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at) => at - 7,
  ArrowDown: (at) => at + 7,
  Home: () => 0,
  End: (_, last) => last,
};

interface DayProps {
  readonly day: string;
  readonly period: PeriodQuality;
  /** Where the first day begins. */
  readonly column: number | undefined;
  readonly isChosen: boolean;
  readonly isEntry: boolean;
  readonly onChoose: (day: string) => void;
}

const nameOf = (
  day: string,
  { markets_n, markets_with_gaps_n, covered_share, gaps_n, gap_s }: PeriodQuality,
): string => {
  if (markets_n === 0) return `${day}: no market was open`;
  const recorded = covered_share === null ? 'nothing states completeness' : `${percent(covered_share)} recorded`;
  const gaps =
    gaps_n === 0
      ? 'no known gap'
      : `${count(gaps_n)} ${gaps_n === 1 ? 'gap' : 'gaps'}, together ${duration(gap_s)}, in ${count(markets_with_gaps_n)} of ${count(markets_n)} markets`;
  return `${day}: ${recorded}, ${gaps}`;
};

const toneOf = ({ markets_n, covered_share, gaps_n }: PeriodQuality): string => {
  if (markets_n === 0) return 'empty';
  if (covered_share === null) return 'unknown';
  if (covered_share >= 1 && gaps_n === 0) return 'full';
  return covered_share <= 0 ? 'none' : 'part';
};

const Day = ({ day, period, column, isChosen, isEntry, onChoose }: DayProps): ReactNode => {
  const { covered_share: share, gaps_n } = period;
  const name = nameOf(day, period);
  return (
    <button
      type="button"
      className="day"
      data-tone={toneOf(period)}
      data-day={day}
      title={name}
      aria-pressed={isChosen}
      tabIndex={isEntry ? 0 : -1}
      style={column === undefined ? undefined : { gridColumnStart: column }}
      onClick={() => onChoose(day)}
    >
      <span className="visually-hidden">{name}</span>
      <span className="day-date" aria-hidden="true">
        {day.slice(5)}
      </span>
      <span className="day-share" aria-hidden="true">
        {percent(share)}
      </span>
      <span className="day-gaps" aria-hidden="true">
        {gaps_n === 0 ? '' : `▲ ${count(gaps_n)}`}
      </span>
      <span className="day-bar">
        <span style={{ width: `${(share ?? 0) * 100}%` }} />
      </span>
    </button>
  );
};
