import { type AccountState, type Reservation, utcDayOf } from '@almanac/contracts';
import type { GrantRef } from './account.decider.js';
import { type Claim, fingerprintOf, grantOf, grantsOfParts, type Now } from './grants.js';

/** Throws what `grantOf` throws. A request with several exports has one reservation, so all or none are granted. */
export const reservationOf = (claim: Claim, state: AccountState, now: Now): Reservation => {
  const grant = grantOf(claim, state, now);
  const credit_event = grant === 'free_credit' ? (claim.events[0] ?? null) : null;
  const reservation = { grant, day: utcDayOf(now.us), at_us: now.us, credit_event, claim: fingerprintOf(claim) };
  if (!claim.split) return reservation;
  const counted = grantsOfParts(claim, state, now).flatMap((one, part) => (one === 'unlock' ? [] : [part]));
  return { ...reservation, parts: { open: claim.parts.map((_, part) => part), counted } };
};

export const isSameClaim = (known: Reservation, claim: Claim): boolean => known.claim === fingerprintOf(claim);

export const reserved = (state: AccountState, data: Reservation & { export_id: string }): AccountState => {
  const { export_id, ...reservation } = data;
  const { day } = reservation;
  const before = state.exports_today.day === day ? state.exports_today.count : 0;
  return {
    ...state,
    credits_used: state.credits_used + (reservation.grant === 'free_credit' ? 1 : 0),
    exports_today: { ...state.exports_today, day, count: before + countedOf(reservation) },
    reservations: { ...state.reservations, [export_id]: reservation },
  };
};

/** A credit unlocked the event, so it leaves the cart. */
export const confirmed = (state: AccountState, ref: GrantRef): AccountState => {
  const bought = state.reservations[ref.export_id]?.credit_event;
  return {
    ...state,
    reservations: without(state, ref),
    cart: state.cart.filter(({ event }) => event !== bought),
  };
};

/** Returns what the reservation, or one part of it, took. The daily count changes only on the same day. */
export const released = (state: AccountState, ref: GrantRef): AccountState => {
  const reservation = state.reservations[ref.export_id];
  if (reservation === undefined) return state;
  const { day, count } = state.exports_today;
  const returned = reservation.day === day ? countedOf(reservation, ref.part) : 0;
  return {
    ...state,
    credits_used: state.credits_used - (reservation.grant === 'free_credit' ? 1 : 0),
    exports_today: { ...state.exports_today, day, count: count - returned },
    reservations: without(state, ref),
  };
};

/** How many exports of a reservation, or of one part, count in the daily limit and have not ended. */
const countedOf = ({ grant, parts }: Reservation, part?: number): number => {
  if (parts === undefined) return grant === 'unlock' ? 0 : 1;
  return parts.counted.filter((one) => parts.open.includes(one) && (part === undefined || one === part)).length;
};

/** The reservations without one, which remains while another part of it is open. */
const without = ({ reservations }: AccountState, { export_id, part }: GrantRef): AccountState['reservations'] => {
  const { [export_id]: ended, ...others } = reservations;
  if (ended?.parts === undefined || part === undefined) return others;
  const open = ended.parts.open.filter((one) => one !== part);
  if (open.length === 0) return others;
  return { ...reservations, [export_id]: { ...ended, parts: { ...ended.parts, open } } };
};
