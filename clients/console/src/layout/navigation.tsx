import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Link } from '../parts/link.js';
import { useSession } from '../api/use-session.js';
import { type Screen, screensOf } from '../screens.js';

/** The address without what a pattern matches behind it. */
const addressOf = ({ path }: Screen): string => path.replace('/*?', '');

/** The bar of a phone has room for these and "More". */
const barN = 4;

export const Navigation = (): ReactNode => {
  const [location] = useLocation();
  const shown = screensOf(useSession()).filter(({ title }) => title !== undefined);
  const isCurrent = (screen: Screen): boolean => {
    const address = addressOf(screen);
    if (address === '/') return location === '/';
    return location.startsWith(address) || (address === '/browse' && location.startsWith('/series'));
  };
  const more = shown.slice(barN);
  return (
    <nav className="navigation" aria-label="Screens">
      <Screens screens={shown.slice(0, barN)} isCurrent={isCurrent} />
      <More isCurrent={more.some(isCurrent)}>
        <Screens screens={more} isCurrent={isCurrent} />
      </More>
    </nav>
  );
};

interface ScreensProps {
  readonly screens: readonly Screen[];
  readonly isCurrent: (screen: Screen) => boolean;
}

const Screens = ({ screens, isCurrent }: ScreensProps): ReactNode => (
  <ul>
    {screens.map((screen) => {
      const address = addressOf(screen);
      return (
        <li key={address} data-group={screen.group}>
          <Link to={address} aria-current={isCurrent(screen) ? 'page' : undefined}>
            {screen.title}
          </Link>
        </li>
      );
    })}
  </ul>
);

interface MoreProps {
  /** Whether the screen that is open is one of these. */
  readonly isCurrent: boolean;
  readonly children: ReactNode;
}

/** On a phone, the other screens open above the bar. Wider windows have no button, and show them below the first ones. */
const More = ({ isCurrent, children }: MoreProps): ReactNode => {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    const onPointer = ({ target }: PointerEvent): void => {
      if (target instanceof Node && box.current?.contains(target) === false) setOpen(false);
    };
    document.addEventListener('pointerdown', onPointer);
    return () => document.removeEventListener('pointerdown', onPointer);
  }, [isOpen]);
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key !== 'Escape' || !isOpen) return;
    setOpen(false);
    button.current?.focus();
  };
  return (
    // The links and the button in it take the keys. This only hears them.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className="nav-more" ref={box} onKeyDown={onKeyDown} data-current={isCurrent}>
      <button ref={button} type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        More
      </button>
      {/* A screen that was chosen is behind the panel. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
      <div className="nav-more-screens" data-open={isOpen} onClick={() => setOpen(false)}>
        {children}
      </div>
    </div>
  );
};
