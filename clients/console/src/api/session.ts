/** What `/auth/session` answers. The key itself never reaches the page's memory after sign-in. */
export interface OpenSession {
  readonly csrf_token: string;
  readonly expires_ts: number;
  readonly key_id: string;
  readonly plan: string;
  /** The fence of the key: the console cannot look at a later time. */
  readonly as_of: number | null;
}

/** Undefined until the page has read its session. Null: signed out. */
let session: OpenSession | null | undefined;
let hasEnded = false;
let fault: Error | undefined;
const listeners = new Set<() => void>();

export const openSession = (): OpenSession | null | undefined => session;
/** Why the session could not be read yet. */
export const sessionFault = (): Error | undefined => fault;
export const csrfToken = (): string | undefined => session?.csrf_token;
/** Whether the server has ended the session, and not the person. */
export const wasEnded = (): boolean => hasEnded;

export const setSession = (next: OpenSession | null, by: 'person' | 'server' = 'server'): void => {
  hasEnded = next === null && by === 'server' && session !== undefined && session !== null;
  session = next;
  fault = undefined;
  notify();
};

export const reportSessionFault = (error: Error): void => {
  fault = error;
  notify();
};

const notify = (): void => {
  for (const listener of listeners) listener();
};

export const onSession = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};
