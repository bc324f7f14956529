import type { RpcReply } from '@almanac/bus';
import { singleFlight } from '@almanac/runtime';
import type { Fill } from './fills.js';

/** How a question is asked when nobody else is asking it. */
export interface Departure {
  readonly fill: () => Fill;
  readonly ask: (signal: AbortSignal) => Promise<RpcReply>;
}

/** A reply as one of those sees it who waited for it. */
export interface Landing {
  readonly reply: RpcReply;
  readonly fill: Fill;
  /** Who waited longest of those who still wait; it ends the fill. */
  readonly isFirst: boolean;
  /** Whether others wait, too. */
  readonly isShared: boolean;
  /** Does something with the reply once, for all who wait. */
  once<T>(make: () => Promise<T>): Promise<T>;
}

/**
 * One call for all who ask the same at the same time. Who goes away spoils it for nobody; when all are gone, the call
 * is taken back. Nobody joins a call that was spoiled by a change since it was made.
 */
export interface Flights {
  /** Throws what the call threw, or the signal's reason. */
  join(key: string, departure: Departure, signal: AbortSignal): Promise<Landing>;
}

interface Call {
  readonly fill: Fill;
  readonly result: Promise<RpcReply>;
  made?: Promise<unknown>;
}

/** `mayJoin` tells whether changes arrive, without which nobody knows what is spoiled. */
export const createFlights = (mayJoin: () => boolean): Flights => {
  const flights = singleFlight<Call>();
  const isJoinable = ({ fill }: Call): boolean => fill.fresh && mayJoin();
  return {
    join: async (key, departure, seat) => {
      seat.throwIfAborted();
      const { call, callers } = flights.join(key, (abandoned) => depart(departure, abandoned), seat, isJoinable);
      const reply = await seated(call, seat);
      const [first] = callers;
      return { reply, fill: call.fill, isFirst: first === seat, isShared: callers.size > 1, once: onceOf(call) };
    },
  };
};

const depart = (departure: Departure, abandoned: AbortSignal): Call => {
  const fill = departure.fill();
  abandoned.addEventListener('abort', () => fill.end(), { once: true });
  return { fill, result: departure.ask(abandoned) };
};

/** The reply, or the seat's reason as soon as it is given up. */
const seated = async ({ fill, result }: Call, seat: AbortSignal): Promise<RpcReply> => {
  const { promise: left, reject } = Promise.withResolvers<never>();
  const stand = (): void => reject(seat.reason);
  seat.addEventListener('abort', stand, { once: true });
  try {
    return await Promise.race([result, left]);
  } catch (error) {
    fill.end();
    throw error;
  } finally {
    seat.removeEventListener('abort', stand);
  }
};

const onceOf =
  (call: Call) =>
  <T>(make: () => Promise<T>): Promise<T> => {
    call.made ??= make();
    // Everybody at one landing passes the same maker, so what was made is a T.
    return call.made as Promise<T>;
  };
