import { useSyncExternalStore } from 'react';
import { onSession, openSession, type OpenSession, sessionFault } from './session.js';

export const useSession = (): OpenSession | null | undefined => useSyncExternalStore(onSession, openSession);

/** Why the page does not know yet whether a session is open. */
export const useSessionFault = (): Error | undefined => useSyncExternalStore(onSession, sessionFault);
