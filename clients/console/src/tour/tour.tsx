import { type ReactNode, useState } from 'react';
import { Link } from '../parts/link.js';
import { closeTour, useTourOpen } from './tour-state.js';

interface Step {
  readonly title: string;
  readonly text: string;
  readonly to: string;
  readonly go: string;
}

/** Each step leads to a screen, and says the one thing to do there. */
const steps: readonly Step[] = [
  {
    title: 'Find a market',
    text: 'Type words of a title or the start of a ticker into the search above, such as “central bank”. The arrow keys choose, Enter opens. Or browse by category.',
    to: '/browse',
    go: 'Browse the archive',
  },
  {
    title: 'See where the data has gaps',
    text: 'A market shows its price with bid and ask. Grey areas are gaps: nothing was recorded there. Move over the chart to read the order book of that moment.',
    to: '/markets?status=finalized',
    go: 'Open the settled markets',
  },
  {
    title: 'Go back in time',
    text: 'The switch “As of” in the header shows the whole console as it was known then. A ribbon reminds you. A backtest that reads like this cannot look ahead.',
    to: '/markets',
    go: 'Stay on the markets',
  },
  {
    title: 'Take the data with you',
    text: 'Choose an event and a format. You see rows, size and price before anything is bought. The file comes with its hash and a citation.',
    to: '/exports/new',
    go: 'Open the export wizard',
  },
  {
    title: 'Continue in code',
    text: 'Each data screen has “Copy as code”: curl, Python and TypeScript for exactly what it shows. Create a key for your program, if you like one that cannot look past a date.',
    to: '/keys',
    go: 'Create a key',
  },
];

/** Two minutes for the first visit. It covers nothing that a person needs, and stays closed once it was closed. */
export const Tour = (): ReactNode => {
  const isOpen = useTourOpen();
  const [at, setAt] = useState(0);
  const step = steps[at];
  if (!isOpen || step === undefined) return null;
  const isLast = at === steps.length - 1;
  return (
    <aside className="tour" aria-label="Tour of two minutes">
      <header>
        <span className="hint">
          Tour · step {at + 1} of {steps.length}
        </span>
        <button type="button" className="icon" aria-label="Close the tour" onClick={closeTour}>
          ×
        </button>
      </header>
      <div aria-live="polite">
        <h2>{step.title}</h2>
        <p>{step.text}</p>
      </div>
      <footer>
        <Link to={step.to}>{step.go}</Link>
        <span className="buttons">
          <button type="button" disabled={at === 0} onClick={() => setAt(at - 1)}>
            Back
          </button>
          <button type="button" className="primary" onClick={() => (isLast ? closeTour() : setAt(at + 1))}>
            {isLast ? 'Done' : 'Next'}
          </button>
        </span>
      </footer>
    </aside>
  );
};
