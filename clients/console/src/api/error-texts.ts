import { ApiError, type ApiErrorCode, type AlmanacError } from '@almanac/client';
import { plain } from './wording.js';

/** What happened, and what to do, in the words of the console: by its screens, and without names of HTTP. */
export interface ErrorText {
  readonly title: string;
  readonly remedy: string;
  /** What the server says in addition, such as which value of a form is wrong. */
  readonly facts?: string;
}

type Sentences = readonly [title: string, remedy: string];

const again = 'Try again.';
const tomorrow = 'Go on after 00:00 UTC.';
const unknownCall = 'Load the page again. If it happens again, tell the operator of this server the names below.';

const sentences: Readonly<Record<ApiErrorCode, Sentences>> = {
  account_exists: ['An account with this email address exists', 'Sign in to it, or use another address.'],
  account_not_found: ['This account does not exist', 'Sign out, and sign in with another key.'],
  ambiguous_target: ['More than one target was chosen', 'Choose one event, one market or one list.'],
  as_of_fenced: ['Your key cannot look that late', 'Choose an earlier time with “As of” above.'],
  as_of_in_future: ['This time is in the future', 'Choose a time that has passed with “As of” above.'],
  bad_request: ['The server did not understand the page', unknownCall],
  cart_empty: ['Your cart is empty', 'Add an event to it first.'],
  cart_daily_limit: ['Your account has added too many events to its cart today', tomorrow],
  cart_full: ['Your cart is full', 'Buy what is in it, or remove an event.'],
  conflict: ['Something else changed this at the same moment', again],
  csrf_refused: ['Your sign-in is no longer valid for changes', 'Load the page again, and repeat what you did.'],
  dataset_changed: [
    'This dataset has changed since',
    'Export the target itself to get what is stored now. You were not charged.',
  ],
  dataset_not_found: ['No dataset has this id', 'Copy the whole id from the citation.'],
  delivery_not_found: ['This delivery is no longer in the log', 'Look at the newest deliveries of the webhook.'],
  event_not_found: ['No event has this id', 'Search for it above: ids distinguish capital letters.'],
  export_cancelled: ['This export was cancelled', 'Request it again.'],
  export_daily_limit: ['Your plan has no more exports today', `${tomorrow} A larger plan has more.`],
  export_ended: ['This export has already ended', 'Its page says how, and has its file if it is ready.'],
  export_failed: ['The export failed', 'Request it again. You were not charged for this one.'],
  export_not_found: ['No export of your account has this id', 'Find it on the screen Exports.'],
  export_pending_limit: ['Too many exports are being prepared', 'Wait until one is ready, or cancel one.'],
  export_preparing: ['The export is being prepared', 'Its page shows when it is ready.'],
  export_restoring: ['The file is being made again', 'Try again in a moment. You are not charged again.'],
  idempotency_conflict: ['This was sent before with other values', 'Load the page again, and repeat what you did.'],
  internal: ['The server made a mistake', 'Try again. If it happens again, tell its operator the names below.'],
  invalid_cursor: ['The list has changed since it was read', 'Load the page again.'],
  invalid_input: ['A value is not possible', 'Correct it, and try again.'],
  invalid_period: ['Candles of this length are not possible', 'Choose another period.'],
  invalid_window: ['This time is not possible', 'Choose a start that is before the end.'],
  key_daily_limit: ['Your account has created too many keys today', tomorrow],
  key_limit_reached: ['Your plan allows no more keys', 'Revoke one that you no longer use, or choose a larger plan.'],
  key_not_found: ['This key does not exist any more', 'Load the page again.'],
  market_not_found: ['No market has this ticker', 'Search for it above: tickers distinguish capital letters.'],
  method_not_allowed: ['The server did not understand the page', unknownCall],
  missing_target: ['Nothing is chosen', 'Choose an event, a market or a list.'],
  no_data_for_day: ['Nothing is stored of this day', 'Choose another day. You were not charged.'],
  not_an_upgrade: ['This plan is not larger than yours', 'To change to a smaller one, open the payment settings.'],
  not_found: ['This does not exist', 'Search for it above, or browse the archive.'],
  payload_too_large: ['This is too much for one request', 'Make it shorter, or do it in parts.'],
  payment_required: ['Your plan does not cover this', 'Buy the event, or choose a larger plan.'],
  range_not_satisfiable: ['The file has no such part', 'Download it again from its page.'],
  rate_limited: ['Too many requests at this moment', 'The page goes on by itself.'],
  series_not_found: ['No series has this id', 'Browse the archive, or search for it above.'],
  too_many_streams: ['Too many pages follow exports at this moment', 'Close one of them.'],
  unauthenticated: ['You are not signed in', 'Sign in with your whole key.'],
  unavailable: ['A part of the server is not there at this moment', 'The page goes on by itself.'],
  validation_failed: ['A value is not possible', 'Correct it, and try again.'],
  webhook_daily_limit: ['Your account has created too many webhooks today', tomorrow],
  webhook_disabled: ['This webhook is disabled', 'Repair its receiver, then enable it again.'],
  webhook_limit_reached: ['Your account has as many webhooks as it can have', 'Delete one that you no longer use.'],
  webhook_not_found: ['This webhook does not exist any more', 'Find the others on the screen Webhooks.'],
};

/** Errors that only the server can be exact about: it names the value, or counts. */
const withFacts = new Set(['invalid_input', 'validation_failed', 'conflict', 'key_limit_reached']);

const isKnown = (code: string): code is ApiErrorCode => Object.hasOwn(sentences, code);

/** Errors that are of this console itself, or of a newer server. */
const others: Sentences = ['Something went wrong', unknownCall];

export const errorTextOf = (fault: AlmanacError): ErrorText => {
  const [title, remedy] = isKnown(fault.code) ? sentences[fault.code] : others;
  const isExact = withFacts.has(fault.code) || !(fault instanceof ApiError);
  return isExact ? { title, remedy, facts: plain(fault.detail) } : { title, remedy };
};
