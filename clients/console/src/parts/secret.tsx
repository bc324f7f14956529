import { type ReactNode, useEffect, useRef } from 'react';
import { CopyButton } from './copy-button.js';

interface SecretProps {
  readonly title: string;
  readonly secret: string;
  readonly children?: ReactNode;
  readonly onDone: () => void;
}

/** A secret that no later answer contains. It takes the focus, so that nobody overlooks it. */
export const Secret = ({ title, secret, children, onDone }: SecretProps): ReactNode => {
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.focus(), [secret]);
  return (
    <section className="card secret" ref={section} tabIndex={-1} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <button type="button" onClick={onDone}>
          I have stored it
        </button>
      </header>
      <div className="body">
        <p>Store it now. It is not shown again.</p>
        <div className="secret-text">
          <code data-secret>{secret}</code>
          <CopyButton text={secret} what="the secret" />
        </div>
        {children}
      </div>
    </section>
  );
};
