import { useSyncExternalStore } from 'react';
import { onSession, openSession, type OpenSession } from './session.js';

export const useSession = (): OpenSession | null | undefined => useSyncExternalStore(onSession, openSession);
