import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Navigation } from './navigate.js';
import { replaceSearch } from '../api/search-of-address.js';
import { createSignal, type Signal } from './signal.js';
import { useNavigation } from './use-navigation.js';
import { useSettled } from './use-settled.js';
import { viewIn, writeView } from './view-address.js';
import { isSame, type Window, within } from './window.js';

const addressPauseMs = 300;

export interface ChartView {
  readonly nav: Navigation;
  readonly view: Signal<Window>;
  readonly cursor: Signal<number | undefined>;
}

/**
 * The time in sight and the cursor of a screen. They are in the address once they rest, so a link, a reload and Back show the
 * same. They replace the entry of the history: Back leads to the screen before, and not through each zoom.
 */
export const useChartView = (limits: Window): ChartView => {
  const [params] = useSearchParams();
  const [signals] = useState(() => {
    const { window, at } = viewIn(params);
    return {
      view: createSignal<Window>(window === undefined ? limits : within(window, limits)),
      cursor: createSignal<number | undefined>(at),
    };
  });
  const { view, cursor } = signals;
  const nav = useNavigation(view, limits);
  const shown = useSettled(view, addressPauseMs);
  const at = useSettled(cursor, addressPauseMs);
  const given = ['from', 'to', 'at'].map((name) => params.get(name) ?? '').join(' ');
  const known = useRef(given);
  useEffect(() => {
    const chosen = { window: isSame(shown, limits) ? undefined : shown, at };
    const next = writeView(new URLSearchParams(location.search), chosen);
    known.current = ['from', 'to', 'at'].map((name) => next.get(name) ?? '').join(' ');
    replaceSearch(next);
    // The rest of the address changes without a new view.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [shown, at]);
  useEffect(() => {
    if (given === known.current) return;
    known.current = given;
    const next = viewIn(new URLSearchParams(location.search));
    view.set(next.window === undefined ? limits : within(next.window, limits));
    cursor.set(next.at);
    // Only a new address, such as that of a link, moves the view.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [given]);
  return { nav, view, cursor };
};
