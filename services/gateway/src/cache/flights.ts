import type { RpcReply } from '@almanac/bus';
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

interface Flight {
  readonly seats: Set<AbortSignal>;
  readonly abandoned: AbortController;
  readonly fill: Fill;
  readonly landed: Promise<RpcReply>;
  made?: Promise<unknown>;
}

/** `mayJoin` tells whether changes arrive, without which nobody knows what is spoiled. */
export const createFlights = (mayJoin: () => boolean): Flights => {
  const open = new Map<string, Flight>();

  const close = (key: string, flight: Flight): void => {
    if (open.get(key) === flight) open.delete(key);
  };
  const depart = (key: string, { fill, ask }: Departure): Flight => {
    const abandoned = new AbortController();
    const flight: Flight = { seats: new Set(), abandoned, fill: fill(), landed: ask(abandoned.signal) };
    open.set(key, flight);
    const landed = (): void => close(key, flight);
    flight.landed.then(landed, landed);
    return flight;
  };
  const leave = (key: string, flight: Flight, seat: AbortSignal): void => {
    flight.seats.delete(seat);
    if (flight.seats.size > 0) return;
    close(key, flight);
    flight.fill.end();
    flight.abandoned.abort(seat.reason);
  };
  return {
    join: async (key, departure, seat) => {
      seat.throwIfAborted();
      const known = open.get(key);
      const flight = known?.fill.fresh === true && mayJoin() ? known : depart(key, departure);
      flight.seats.add(seat);
      const reply = await seated(flight, seat, () => leave(key, flight, seat));
      const [first] = flight.seats;
      return {
        reply,
        fill: flight.fill,
        isFirst: first === seat,
        isShared: flight.seats.size > 1,
        once: onceOf(flight),
      };
    },
  };
};

/** The reply, or the seat's reason as soon as it is given up. */
const seated = async (flight: Flight, seat: AbortSignal, leave: () => void): Promise<RpcReply> => {
  const { promise: left, reject } = Promise.withResolvers<never>();
  const stand = (): void => {
    leave();
    reject(seat.reason);
  };
  seat.addEventListener('abort', stand, { once: true });
  try {
    return await Promise.race([flight.landed, left]);
  } catch (error) {
    flight.fill.end();
    throw error;
  } finally {
    seat.removeEventListener('abort', stand);
  }
};

const onceOf =
  (flight: Flight) =>
  <T>(make: () => Promise<T>): Promise<T> => {
    flight.made ??= make();
    // Everybody at one landing passes the same maker, so what was made is a T.
    return flight.made as Promise<T>;
  };
