import { useSyncExternalStore } from 'react';

/** Whether this browser shows messages of the console outside of its tab. */
export type NotificationState = 'granted' | 'default' | 'denied' | 'unavailable';

/** Browsers have notifications only at https addresses and on this machine. */
const notificationState = (): NotificationState =>
  'Notification' in window && window.isSecureContext ? Notification.permission : 'unavailable';

const listeners = new Set<() => void>();
const changed = (): void => {
  for (const listener of listeners) listener();
};

/** Somebody who has changed the settings of the browser comes back to the page. */
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  window.addEventListener('focus', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('focus', listener);
  };
};

export const useNotificationState = (): NotificationState => useSyncExternalStore(subscribe, notificationState);

/** Browsers ask only after a click. */
export const askForNotifications = async (): Promise<void> => {
  try {
    await Notification.requestPermission();
  } finally {
    changed();
  }
};

interface Message {
  /** The same message of several tabs is shown once. */
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly onOpen: () => void;
}

export const notifyPerson = ({ id, title, body, onOpen }: Message): void => {
  if (notificationState() !== 'granted') return;
  try {
    const message = new Notification(title, { body, tag: id, icon: '/console/favicon.svg' });
    message.addEventListener('click', () => {
      window.focus();
      onOpen();
      message.close();
    });
  } catch {
    // Chrome on Android has them only for service workers. The page and its title show the message.
  }
};
