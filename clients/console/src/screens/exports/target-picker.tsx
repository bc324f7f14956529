import { type ReactNode, useMemo, useState } from 'react';
import { Combobox } from '../../parts/combobox.js';
import { useHits } from '../../parts/use-hits.js';
import type { Draft } from './request.js';
import { targetsOf } from './targets.js';

export interface PartProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

const names = { event: 'Event', market: 'Market', series: 'Series' } as const;
const placeholders = { event: 'KXBTC15M-26FEB250430', market: 'KXBTC15M-26FEB250430-30', series: 'KXBTC15M' } as const;
/** Among the best hits are some of each kind. */
const hitsMax = 100;

/** A list to choose from while a title or an id is typed. An id that was pasted counts when the field is left. */
export const TargetPicker = ({ draft: { kind, id }, onChange }: PartProps): ReactNode => {
  const [typed, setTyped] = useState<string>();
  const text = typed ?? id;
  const found = useHits(text, { limit: hitsMax, browses: true });
  const targets = useMemo(() => targetsOf(found.hits, kind), [found.hits, kind]);
  const choose = (chosen: string): void => {
    setTyped(undefined);
    onChange({ id: chosen });
  };
  const type = (value: string): void => {
    setTyped(value);
    // What was chosen before has no price any more.
    if (id !== '') onChange({ id: '' });
  };
  const label = `${names[kind]}: words of its title, or its id`;
  return (
    <div className="field">
      <label htmlFor="target-id">{label}</label>
      <div className="search picker">
        <Combobox
          id="target-id"
          label={label}
          placeholder={placeholders[kind]}
          text={text}
          onText={type}
          found={{ ...found, hits: targets }}
          onChoose={(hit) => choose(hit.id)}
          onLeave={() => {
            if (typed !== undefined) choose(typed.trim());
          }}
          help="↑ ↓ and Enter choose."
          isRequired
          browses
        />
      </div>
    </div>
  );
};
