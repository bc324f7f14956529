import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useMemo, useState } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { marketQuery } from '../../archive/market-data.js';
import { Combobox } from '../../parts/combobox.js';
import { useHits } from '../../parts/use-hits.js';

interface MarketPickerProps {
  readonly name: string;
  readonly chosen: string;
  /** The market that it is compared with. What is like it is offered first. */
  readonly other: string;
  readonly onChoose: (ticker: string) => void;
}

/** Among the best hits are some of each kind. */
const hitsMax = 100;
const shownMax = 20;

/** Finds a market by words of its title or its ticker. Before anything is typed, it offers what is like the other market. */
export const MarketPicker = ({ name, chosen, other, onChoose }: MarketPickerProps): ReactNode => {
  const id = useId();
  const asOf = useAsOf();
  const [typed, setTyped] = useState<string>();
  const likeness = useQuery({ ...marketQuery(other, asOf), enabled: other !== '' }).data?.market.title ?? '';
  const found = useHits(typed ?? likeness, { limit: hitsMax, browses: true });
  const hits = useMemo(
    () => found.hits.filter((hit) => hit.kind === 'market' && hit.id !== other).slice(0, shownMax),
    [found.hits, other],
  );
  const choose = (ticker: string): void => {
    setTyped(undefined);
    if (ticker !== '' && ticker !== chosen) onChoose(ticker);
  };
  return (
    <div className="field">
      <label htmlFor={id}>{name}</label>
      <div className="search picker">
        <Combobox
          id={id}
          label={name}
          placeholder="Words of its title, or its ticker"
          text={typed ?? chosen}
          onText={setTyped}
          found={{ ...found, hits }}
          onChoose={(hit) => choose(hit.id)}
          onLeave={() => choose((typed ?? chosen).trim())}
          help="↑ ↓ and Enter choose."
          browses
        />
      </div>
    </div>
  );
};
