/** Replacements in compiled files. Each text must occur, so a change of the code cannot make the next release equal. */
export const changes: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'libs/contracts/dist/events/event-formats.js': [['{ format: ', '{ format: 1 + ']],
  'libs/contracts/dist/keys/keys.js': [[' hash: z.string(),', ' hash: z.string(), scope: z.string().optional(),']],
  'libs/contracts/dist/commerce/commerce.js': [
    [' credits_used: z.int(),', ' credits_used: z.int(), note: z.string().optional(),'],
    ["'CartLinesRemoved'", "'CartLinesDropped'"],
  ],
  'libs/contracts/dist/export/export-events.js': [
    [' requested_us: micros.meta(', ' tag: z.string().optional(), requested_us: micros.meta('],
    ["'ExportCancelled'", "'ExportWithdrawn'"],
  ],
  'services/keys/dist/keyring/keyring.decider.js': [
    ['[...state.keys, domainEvent.data]', "[...state.keys, { ...domainEvent.data, scope: 'next' }]"],
  ],
  'services/commerce/dist/account/account.decider.js': [["'CartLinesRemoved'", "'CartLinesDropped'"]],
  'services/commerce/dist/account/cart-rules.js': [
    ['cart: [...state.cart, line], cart_additions', "note: 'next', cart: [...state.cart, line], cart_additions"],
    ["'CartLinesRemoved'", "'CartLinesDropped'"],
  ],
  'services/export/dist/exports/export.decider.js': [
    ["status: 'pending', id, account, ", "status: 'pending', id, account, tag: 'next', "],
    ["'ExportCancelled'", "'ExportWithdrawn'"],
  ],
};
