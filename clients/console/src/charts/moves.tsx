import type { ReactNode } from 'react';
import { type Navigation, navigateByKey } from './navigate.js';

const moves = [
  { sign: '◀', label: 'Earlier', key: 'ArrowLeft' },
  { sign: '▶', label: 'Later', key: 'ArrowRight' },
  { sign: '−', label: 'Zoom out', key: '-' },
  { sign: '+', label: 'Zoom in', key: '+' },
] as const;

/** Buttons that move the time in sight, for those who have no wheel. Children are buttons after them. */
export const Moves = ({ nav, children }: { readonly nav: Navigation; readonly children?: ReactNode }): ReactNode => (
  <div className="segments" role="group" aria-label="Time in sight">
    {moves.map(({ sign, label, key }) => (
      <button key={key} type="button" aria-label={label} title={label} onClick={() => navigateByKey(key, true, nav)}>
        <span aria-hidden="true">{sign}</span>
      </button>
    ))}
    <button type="button" onClick={() => nav.view.set(nav.limits)}>
      Whole life
    </button>
    {children}
  </div>
);
