import { type ReactNode, useEffect, useId, useState } from 'react';

const pauseMs = 250;

/** A text filter that applies when typing pauses. */
export const TextFilter = ({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode => {
  const id = useId();
  const [text, setText] = useState(value);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => onChange(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <>
      <label className="visually-hidden" htmlFor={id}>
        {label}
      </label>
      <input id={id} type="search" placeholder={label} value={text} onChange={(event) => setText(event.target.value)} />
    </>
  );
};

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onChange: (value: string) => void;
}

export const Choice = ({ label, value, options, onChange }: ChoiceProps): ReactNode => {
  const id = useId();
  return (
    <>
      <label className="visually-hidden" htmlFor={id}>
        {label}
      </label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </>
  );
};

export const statusOptions = [
  { value: '', text: 'Any status' },
  { value: 'live', text: 'Live' },
  { value: 'closed', text: 'Closed' },
  { value: 'finalized', text: 'Finalized' },
] as const;
