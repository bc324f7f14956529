import { isValidId, subjects } from '@almanac/bus';
import { type CartResponse, type EventState, eventState, notFound } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import type { CommandContext, CommerceContext } from '../commerce-deps.js';
import { lockedOf } from '../unlock/unlocks.js';
import { presentCart, showCart } from './show-cart.query.js';

const titleCharactersMax = 120;

/** Adds an event once. An unlocked event is not sold again. Throws `event_not_found`, `cart_full` and `cart_daily_limit`. */
export const addToCart = async (
  commerce: CommerceContext,
  context: CommandContext,
  event: string,
): Promise<CartResponse> => {
  const { account } = context;
  const { title, series } = await knownEvent(commerce.store, event);
  const [locked] = await lockedOf(commerce.store, account, [event]);
  if (locked === undefined) return { ...(await showCart(commerce, context)), already_unlocked: true };
  const line = { event, title: title === null ? null : cut(title), series, added_us: commerce.nowUs() };
  return presentCart(
    commerce,
    await commerce.accounts.run(account, { type: 'add-line', line }, { timeoutMs: context.remainingMs() }),
  );
};

export const removeFromCart = async (
  commerce: CommerceContext,
  context: CommandContext,
  event: string,
): Promise<CartResponse> => {
  const command = { type: 'remove-lines', events: [event] } as const;
  return presentCart(
    commerce,
    await commerce.accounts.run(context.account, command, { timeoutMs: context.remainingMs() }),
  );
};

/** Reads the catalogue's stream instead of calling its service, so an event is found as soon as it is recorded. */
const knownEvent = async (store: EventStore, event: string): Promise<EventState> => {
  const known = isValidId(event) && !event.includes('\0') ? await store.load(subjects.event(event), eventState) : null;
  if (!known) throw notFound('event_not_found', event);
  return known.state;
};

const cut = (title: string): string => {
  const characters = Array.from(title);
  return characters.length > titleCharactersMax ? `${characters.slice(0, titleCharactersMax - 1).join('')}…` : title;
};
