import { type KeyboardEvent, type ReactNode, type ToggleEvent, useRef, useState } from 'react';
import type { ShownCall } from '../archive/shown-call.js';
import { codeOf, languages } from './call-code.js';
import { CodePanel } from './code-panel.js';

/** The lines that read exactly what the screen shows, in the language that was chosen last. */
export const CopyAs = ({ call }: { readonly call: ShownCall }): ReactNode => {
  const details = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    details.current?.removeAttribute('open');
    details.current?.querySelector('summary')?.focus();
  };
  const onToggle = ({ newState }: ToggleEvent): void => setOpen(newState === 'open');
  return (
    <details className="copy-as" ref={details} onKeyDown={onKeyDown} onToggle={onToggle}>
      <summary className="button">Copy as code</summary>
      <div className="copy-as-panel">
        {/* Another panel of the screen may have chosen another language since. */}
        {isOpen ? <CodePanel languages={languages} codeOf={(name) => codeOf[name](call, location.origin)} /> : null}
      </div>
    </details>
  );
};
