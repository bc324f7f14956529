import type { MarketDetail } from '@almanac/client';
import { useMemo, useState } from 'react';
import { type Alerts, useAlerts } from '../../alerts/alert-store.js';
import { valueNames } from '../../alerts/alert-texts.js';
import { isWaiting, onTick, type PriceAlert } from '../../alerts/price-alert.js';
import { useAsOf } from '../../api/as-of.js';
import { type ChartData, type LastKnown, lastKnownOf } from '../../archive/market-data.js';
import type { ValuePick } from '../../charts/pick-button.js';
import type { PriceLine } from '../../charts/price-lines.js';
import { createSignal, type Signal } from '../../charts/signal.js';
import { price } from '../../format/numbers.js';

/** The price with which the form opens. A new one opens it again. */
export interface AlertDraft {
  readonly price: number | undefined;
}

/** What the screen of a market has of alerts. */
export interface Alerting extends Pick<Alerts, 'canAdd' | 'add' | 'remove'> {
  readonly alerts: readonly PriceAlert[];
  readonly lines: readonly PriceLine[];
  readonly pick: ValuePick;
  readonly last: LastKnown | undefined;
  readonly draft: Signal<AlertDraft | undefined>;
  /** The last thing that was done, for screen readers. */
  readonly said: string;
  readonly say: (text: string) => void;
}

const usualTick = 0.01;

/** Undefined: the market has ended, or a time of the past is shown. */
export const useAlerting = (
  detail: MarketDetail | undefined,
  overview: ChartData | undefined,
): Alerting | undefined => {
  const asOf = useAsOf();
  const { alerts: all, canAdd, add, remove } = useAlerts();
  const [draft] = useState(() => createSignal<AlertDraft | undefined>(undefined));
  const [said, say] = useState('');
  const ticker = detail?.market.ticker;
  const alerts = useMemo(() => all.filter((alert) => alert.ticker === ticker), [all, ticker]);
  const lines = useMemo(() => linesOf(alerts), [alerts]);
  const last = useMemo(() => overview && lastKnownOf(overview, undefined), [overview]);
  const isFirst = !all.some(isWaiting);
  return useMemo(() => {
    if (detail === undefined || detail.market.status !== 'live' || asOf !== undefined) return undefined;
    const { market, tick_size } = detail;
    const tick = tick_size?.value ?? usualTick;
    const pick: ValuePick = {
      text: (value) => `Alert at ${price(onTick(value, tick))}`,
      run: (value) => {
        if (!canAdd) return draft.set({ price: onTick(value, tick) });
        const at = onTick(value, tick);
        const title = market.title ?? market.ticker;
        add({
          ticker: market.ticker,
          title,
          of: 'mid',
          price: at,
          seen: last && { value: last.point.mid, ts: last.ts },
        });
        say(`Alert set: ${valueNames.mid} at ${price(at)}`);
        // What an alert is, and until when it waits, is in the panel.
        if (isFirst) draft.set({ price: undefined });
      },
      edit: (value) => draft.set({ price: Number.isNaN(value) ? undefined : onTick(value, tick) }),
    };
    return { alerts, lines, pick, last, draft, canAdd, add, remove, said, say };
  }, [detail, asOf, alerts, lines, last, draft, canAdd, add, remove, said, isFirst]);
};

const linesOf = (alerts: readonly PriceAlert[]): PriceLine[] =>
  alerts.filter(isWaiting).map(({ price: value }) => ({ value, text: price(value) }));
