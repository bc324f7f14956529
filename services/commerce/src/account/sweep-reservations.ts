import { subjects } from '@almanac/bus';
import { type AccountState, type ExportState, exportState, type Reservation } from '@almanac/contracts';
import { ConflictError } from '@almanac/event-store';
import { partExportId } from '@almanac/runtime';
import { v5AccountId } from '../ids.js';
import type { CommerceContext } from '../commerce-deps.js';
import type { ReservationRef } from './account.decider.js';
import { releaseReservation, settleReservation } from './settle-reservations.reactor.js';

export interface StaleReservation {
  readonly account: string;
  readonly exportId: string;
  readonly reservation: Reservation;
}

export const staleReservations = ({ account, reservations }: AccountState, beforeUs: number): StaleReservation[] =>
  Object.entries(reservations)
    .filter(([, { at_us }]) => at_us <= beforeUs)
    .map(([exportId, reservation]) => ({ account, exportId, reservation }));

/**
 * Closes a reservation that nothing else closes: its export never appeared because the export service died, or it
 * ended before the reservation, or its event is a dead letter. A reservation made after the end covers nothing and is
 * released. A free credit may already have unlocked its event, so it is spent as usual.
 */
export const sweepReservation = async (shop: CommerceContext, stale: StaleReservation): Promise<void> => {
  const { account, exportId, reservation } = stale;
  const { parts = { open: [0] } } = reservation;
  for (const part of parts.open) {
    const partId = partExportId(account, exportId, part);
    const state = (await shop.store.load(subjects.export(account, partId), exportState))?.state;
    // The first export of a request is recorded first, and the export service then records the others.
    if (state === undefined && part === 0) return abandon(shop, stale);
    const ref = reservation.parts === undefined ? { exportId } : { exportId, part };
    if (state !== undefined) await sweepExport(shop, { ...stale, ref }, state);
  }
};

const sweepExport = async (
  shop: CommerceContext,
  { account, reservation, ref }: StaleReservation & { ref: ReservationRef },
  state: ExportState,
): Promise<void> => {
  if (state.status === 'pending') return;
  const id = v5AccountId(account, `sweep ${state.id} ${reservation.at_us}`);
  const isLate = state.status === 'ready' && reservation.at_us > state.ready_us;
  if (!isLate || reservation.grant === 'free_credit') return settleReservation(shop, state, id);
  await releaseReservation(shop, { account, ...ref, reason: 'reserved after its end', id });
};

/**
 * Appends ExportAbandoned to the export's subject, which must be empty. A late ExportRequested then fails, so no file
 * is free. The reactor releases the reservation on this event, as on any other end.
 */
const abandon = async ({ store, nowUs }: CommerceContext, { account, exportId }: StaleReservation): Promise<void> => {
  const event = {
    id: v5AccountId(account, `abandon ${exportId}`),
    type: 'ExportAbandoned',
    version: 1,
    time: nowUs(),
    account,
    data: {},
    state: exportState.parse({ status: 'abandoned', id: exportId, account }),
  } as const;
  try {
    await store.append(subjects.export(account, exportId), event, 0);
  } catch (error) {
    // The export appeared after all. Its end settles the reservation.
    if (!(error instanceof ConflictError)) throw error;
  }
};
