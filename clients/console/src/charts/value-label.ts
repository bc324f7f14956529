import type uPlot from 'uplot';
import { pickButtonOf, type ValuePick } from './pick-button.js';

/** The value at a time, as a chart shows it at its axis. */
export interface ValueAt {
  readonly at: (ts: number) => number | null | undefined;
  readonly text: (value: number) => string;
}

/** A label at the axis of values: of the pointer where it is in the chart, otherwise of what the chart has at the cursor. */
export interface ValueLabel {
  /** The pointer's place in the plot, undefined outside of it. */
  readonly point: (top: number | undefined) => void;
  readonly place: (ts: number | undefined) => void;
}

interface Labelled {
  readonly valueAt: ValueAt;
  readonly pick?: ValuePick | undefined;
}

export const valueLabelOf = (plot: uPlot, labelled: () => Labelled): ValueLabel => {
  const button = pickButtonOf(plot, () => labelled().pick);
  const label = document.createElement('span');
  label.className = 'chart-value';
  label.setAttribute('aria-hidden', 'true');
  label.hidden = true;
  plot.root.append(label);
  let pointed: number | undefined;
  let shown: string | undefined;
  return {
    point: (top) => {
      pointed = top;
    },
    place: (ts) => {
      const { at, text } = labelled().valueAt;
      const value = pointed === undefined ? (ts === undefined ? undefined : at(ts)) : plot.posToVal(pointed, 'y');
      const { min = 0, max = 1 } = plot.scales['y'] ?? {};
      const isShown = value !== undefined && value !== null && value >= min && value <= max;
      label.hidden = !isShown;
      button.place(isShown ? value : undefined, isShown ? plot.valToPos(value, 'y') : 0);
      if (!isShown) return;
      const next = text(value);
      // The same text again would lay the page out.
      if (next !== shown) label.textContent = shown = next;
      // The place of the plot as uPlot knows it: to ask the browser would lay the page out again for each chart.
      const top = plot.bbox.top / devicePixelRatio + plot.valToPos(value, 'y');
      label.style.transform = `translateY(${Math.round(top)}px) translateY(-50%)`;
    },
  };
};
