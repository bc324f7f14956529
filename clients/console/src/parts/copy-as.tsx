import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { copyText } from './copy-text.js';
import type { ShownCall } from '../archive/shown-call.js';
import { languages } from './call-code.js';

/** The lines that read exactly what the screen shows, in three languages. */
export const CopyAs = ({ call }: { readonly call: ShownCall }): ReactNode => {
  const details = useRef<HTMLDetailsElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    details.current?.removeAttribute('open');
    details.current?.querySelector('summary')?.focus();
  };
  return (
    <details className="copy-as" ref={details} onKeyDown={onKeyDown}>
      <summary className="button">Copy as code</summary>
      <div className="copy-as-panel">
        {languages.map(({ name, codeOf }) => (
          <Code key={name} name={name} code={codeOf(call, location.origin)} />
        ))}
      </div>
    </details>
  );
};

const shownMs = 2_000;

const Code = ({ name, code }: { readonly name: string; readonly code: string }): ReactNode => {
  const [state, setState] = useState<'copied' | 'refused'>();
  const copy = async (): Promise<void> => {
    // A page without HTTPS has no clipboard.
    const copied = await copyText(code);
    setState(copied ? 'copied' : 'refused');
    setTimeout(() => setState(undefined), shownMs);
  };
  return (
    <section className="code" data-language={name}>
      <header>
        <h3>{name}</h3>
        <button type="button" onClick={() => void copy()}>
          Copy {name}
        </button>
        <span role="status">
          {state === 'copied' ? 'Copied' : null}
          {state === 'refused' ? 'The browser refused. Select the text.' : null}
        </span>
      </header>
      {/* A region that scrolls must take the focus, so that the keyboard can scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label={`${name} code`}>
        {code}
      </pre>
    </section>
  );
};
