import type uPlot from 'uplot';

/** What can be done with a value of a chart. */
export interface ValuePick {
  /** What a click at the value does, in words: `Alert at 0.62`. */
  readonly text: (value: number) => string;
  readonly run: (value: number) => void;
  /** By the key `A`: the value at the cursor, to be changed before it is used. */
  readonly edit: (value: number) => void;
}

export interface PickButton {
  /** Shows it at a value, or hides it. */
  readonly place: (value: number | undefined, top: number) => void;
}

/** Below the plot, gestures begin: this is a click of its own. */
const ownEvents = ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'dblclick'] as const;

/**
 * A button at the axis of values that follows the pointer, or on a phone the cursor. It is in the plot, so that the pointer does not
 * leave the chart on its way there. The keyboard has a key.
 */
export const pickButtonOf = (plot: uPlot, pickOf: () => ValuePick | undefined): PickButton => {
  let button: HTMLButtonElement | undefined;
  let shown: number | undefined;
  const run = (): void => {
    if (shown !== undefined) pickOf()?.run(shown);
  };
  return {
    place: (value, top) => {
      const pick = pickOf();
      shown = pick === undefined ? undefined : value;
      if (shown === undefined || pick === undefined) {
        if (button !== undefined) button.hidden = true;
        return;
      }
      button ??= newButton(plot, run);
      button.hidden = false;
      const text = pick.text(shown);
      if (button.title !== text) {
        button.title = text;
        button.setAttribute('aria-label', text);
      }
      button.style.transform = `translateY(${Math.round(top)}px) translateY(-50%)`;
    },
  };
};

const newButton = (plot: uPlot, onClick: () => void): HTMLButtonElement => {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'chart-pick';
  button.tabIndex = -1;
  button.textContent = '+';
  for (const name of ownEvents) button.addEventListener(name, (event) => event.stopPropagation());
  button.addEventListener('click', onClick);
  plot.over.append(button);
  return button;
};
