import type { ReactNode } from 'react';
import { askForNotifications, useNotificationState } from './notifications.js';

/** Whether a message also shows outside of the tab, and what to do about it. */
export const NotificationHint = (): ReactNode => {
  const state = useNotificationState();
  return (
    <div className="notification-hint" data-notifications={state}>
      {state === 'default' ? (
        <button type="button" onClick={() => void askForNotifications()}>
          Also notify me outside of this tab
        </button>
      ) : null}
      <p className="hint">
        {state === 'granted' ? 'This browser also shows a notification.' : null}
        {state === 'denied'
          ? 'This browser blocks notifications of the console, so you see an alert only here and in the title. Its settings of this site can allow them.'
          : null}
        {state === 'unavailable'
          ? 'This browser has no notifications here: you see an alert in the page and its title.'
          : null}
      </p>
    </div>
  );
};
