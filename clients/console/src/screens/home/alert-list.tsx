import type { ReactNode } from 'react';
import { AlertRow } from '../../alerts/alert-row.js';
import { useAlerts } from '../../alerts/alert-store.js';
import { MarketLink } from '../../parts/market-link.js';
import { HomeCard } from './market-lists.js';

/** The prices that the person waits for in this browser, and those that were reached. Nothing before the first one. */
export const PriceAlerts = (): ReactNode => {
  const { alerts, remove } = useAlerts();
  if (alerts.length === 0) return null;
  return (
    <HomeCard title="Price alerts" hint="While the console is open">
      <ul className="home-list home-alerts">
        {alerts.map((alert) => (
          <li key={alert.id}>
            <MarketLink ticker={alert.ticker} title={alert.title} />
            <AlertRow alert={alert} onRemove={() => remove(alert.id)} />
          </li>
        ))}
      </ul>
    </HomeCard>
  );
};
