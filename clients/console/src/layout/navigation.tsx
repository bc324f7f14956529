import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Link } from '../parts/link.js';
import { useSession } from '../api/use-session.js';
import { type Screen, screensOf } from '../screens.js';

/** The address without what a pattern matches behind it. */
const addressOf = ({ path }: Screen): string => path.replace('/*?', '');

export const Navigation = (): ReactNode => {
  const [location] = useLocation();
  const shown = screensOf(useSession()).filter(({ title }) => title !== undefined);
  const isCurrent = (address: string): boolean =>
    address === '/'
      ? location === '/'
      : location.startsWith(address) || (address === '/browse' && location.startsWith('/series'));
  return (
    <nav className="navigation" aria-label="Screens">
      <ul>
        {shown.map((screen) => {
          const address = addressOf(screen);
          return (
            <li key={address} data-group={screen.group}>
              <Link to={address} aria-current={isCurrent(address) ? 'page' : undefined}>
                {screen.title}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
};
