import { type ReactNode, useEffect, useRef, useState } from 'react';

interface ConfirmButtonProps {
  readonly label: string;
  /** What happens, as a question: `Revoke this key?` */
  readonly question: string;
  readonly onConfirm: () => void;
  readonly disabled?: boolean;
  readonly className?: string;
}

/** A button that asks once before it acts. The question takes the focus, and Escape leaves it. */
export const ConfirmButton = ({ label, question, onConfirm, disabled, className }: ConfirmButtonProps): ReactNode => {
  const [isAsking, setAsking] = useState(false);
  const yes = useRef<HTMLButtonElement>(null);
  const first = useRef<HTMLButtonElement>(null);
  const wasAsking = useRef(false);
  useEffect(() => {
    if (isAsking) yes.current?.focus();
    else if (wasAsking.current) first.current?.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);
  if (!isAsking) {
    return (
      <button ref={first} type="button" className={className} disabled={disabled} onClick={() => setAsking(true)}>
        {label}
      </button>
    );
  }
  return (
    <span
      className="confirm"
      role="group"
      aria-label={question}
      onKeyDown={({ key }) => {
        if (key === 'Escape') setAsking(false);
      }}
    >
      <span>{question}</span>
      <button
        ref={yes}
        type="button"
        className={className}
        onClick={() => {
          setAsking(false);
          onConfirm();
        }}
      >
        {label}
      </button>
      <button type="button" onClick={() => setAsking(false)}>
        Cancel
      </button>
    </span>
  );
};
