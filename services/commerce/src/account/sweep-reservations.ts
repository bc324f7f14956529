import { subjects } from '@almanac/bus';
import { type AccountState, type ExportState, exportState, type Reservation } from '@almanac/contracts';
import { ConflictError } from '@almanac/event-store';
import { partExportId } from '@almanac/runtime';
import { v5AccountId } from '../ids.js';
import type { CommerceContext } from '../commerce-deps.js';
import type { ReservationRef } from './account.decider.js';
import { releaseReservation, settleReservation } from './settle-reservations.reactor.js';

export interface OpenReservation {
  readonly account: string;
  readonly exportId: string;
  readonly reservation: Reservation;
}

/** The reservations of an account that were made up to a time. Without a time, all. */
export const openReservations = (
  { account, reservations }: AccountState,
  untilUs = Number.POSITIVE_INFINITY,
): OpenReservation[] =>
  Object.entries(reservations)
    .filter(([, { at_us }]) => at_us <= untilUs)
    .map(([exportId, reservation]) => ({ account, exportId, reservation }));

/**
 * Closes a reservation that nothing else closes: its export never appeared because the export service died, or it
 * ended before the reservation, or its event is a dead letter. A reservation made after the end covers nothing and is
 * released. A free credit may already have unlocked its event, so it is spent as usual.
 */
export const sweepReservation = async (commerce: CommerceContext, stale: OpenReservation): Promise<void> => {
  const { exportId, reservation } = stale;
  for await (const { part, state } of exportsOf(commerce, stale)) {
    // The first export of a request is recorded first, and the export service then records the others.
    if (state === undefined && part === 0) return abandon(commerce, stale);
    const ref = reservation.parts === undefined ? { exportId } : { exportId, part };
    if (isEnded(state)) await sweepExport(commerce, { ...stale, ref }, state);
  }
};

/**
 * Settles the exports of a reservation that have ended, without waiting for the events of their ends. Returns whether there
 * were any. One that ended before the reservation, by the clocks of two processes, is left to the sweep.
 */
export const settleEnded = async (commerce: CommerceContext, open: OpenReservation): Promise<boolean> => {
  let hasSettled = false;
  for await (const { state } of exportsOf(commerce, open)) {
    if (!isEnded(state) || isLate(open, state)) continue;
    await settleReservation(commerce, state, settlementId(open, state));
    hasSettled = true;
  }
  return hasSettled;
};

type EndedExport = Exclude<ExportState, { status: 'pending' }>;

const isEnded = (state: ExportState | undefined): state is EndedExport =>
  state !== undefined && state.status !== 'pending';

const isLate = ({ reservation }: OpenReservation, state: EndedExport): boolean =>
  state.status === 'ready' && reservation.at_us > state.ready_us;

/** Not that of the reactor: an export can have another reservation after its end. */
const settlementId = ({ account, reservation }: OpenReservation, state: EndedExport): string =>
  v5AccountId(account, `sweep ${state.id} ${reservation.at_us}`);

/** The exports that a reservation waits for. Undefined: not recorded yet. */
async function* exportsOf({ store }: CommerceContext, { account, exportId, reservation }: OpenReservation) {
  const { parts = { open: [0] } } = reservation;
  for (const part of parts.open) {
    const subject = subjects.export(account, partExportId(account, exportId, part));
    yield { part, state: (await store.load(subject, exportState))?.state };
  }
}

const sweepExport = async (
  commerce: CommerceContext,
  open: OpenReservation & { ref: ReservationRef },
  state: EndedExport,
): Promise<void> => {
  const { account, reservation, ref } = open;
  const id = settlementId(open, state);
  if (!isLate(open, state) || reservation.grant === 'free_credit') return settleReservation(commerce, state, id);
  await releaseReservation(commerce, { account, ...ref, reason: 'reserved after its end', id });
};

/**
 * Appends ExportAbandoned to the export's subject, which must be empty. A late ExportRequested then fails, so no file
 * is free. The reactor releases the reservation on this event, as on any other end.
 */
const abandon = async ({ store, nowUs }: CommerceContext, { account, exportId }: OpenReservation): Promise<void> => {
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
