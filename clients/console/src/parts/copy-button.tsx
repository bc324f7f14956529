import { type ReactNode, useState } from 'react';
import { copyText } from './copy-text.js';

const shownMs = 2_000;

/** Copies a text. `what` names it for screen readers: `the secret`. */
export const CopyButton = ({ text, what }: { readonly text: string; readonly what: string }): ReactNode => {
  const [state, setState] = useState<'copied' | 'refused'>();
  const copy = async (): Promise<void> => {
    setState((await copyText(text)) ? 'copied' : 'refused');
    setTimeout(() => setState(undefined), shownMs);
  };
  return (
    <span className="copy">
      <button type="button" onClick={() => void copy()} aria-label={`Copy ${what}`}>
        {state === 'copied' ? 'Copied' : 'Copy'}
      </button>
      <span role="status" className={state === 'refused' ? 'hint' : 'visually-hidden'}>
        {state === 'copied' ? `Copied ${what}` : null}
        {state === 'refused' ? 'The browser refused. Select the text.' : null}
      </span>
    </span>
  );
};
