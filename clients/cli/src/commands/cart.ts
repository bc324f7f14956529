import type { Cart } from '@almanac/client/node';
import type { CommandContext, CommandSpec, Result } from '../command.js';
import { factsOf, tableOf } from '../output/table.js';
import { money } from '../output/values.js';
import { tableStyle } from './reads.js';

const cartLines = (context: CommandContext, { items, total }: Cart): string[] => {
  const style = tableStyle(context, 'The cart is empty.');
  const lines = tableOf(
    items,
    [
      { title: 'EVENT', value: ({ event }) => event },
      { title: 'TITLE', value: ({ title }) => title, isFlexible: true },
      { title: 'PRICE', value: ({ price }) => money(price), isRight: true },
    ],
    style,
  );
  return items.length === 0 ? lines : [...lines, '', ...factsOf([['total', money(total)]], style.paint)];
};

const cartResult = (context: CommandContext, cart: Cart, own: readonly string[] = []): Result => ({
  json: context.answers(/\/cart(\/event-exports(\/[^/]+)?)?$/),
  items: cart.items,
  lines: cartLines(context, cart),
  remarks: [...own, ...(cart.remarks ?? [])],
});

const show: CommandSpec = {
  name: 'cart',
  summary: 'List the events in the cart, with their prices',
  args: [],
  options: {},
  examples: ['almanac-data cart'],
  run: async (context): Promise<Result> => cartResult(context, await context.almanac.cart.get()),
};

const add: CommandSpec = {
  name: 'cart add',
  summary: 'Add an event to the cart',
  args: [{ name: 'EVENT' }],
  options: {},
  examples: ['almanac-data cart add GENBTC15M-26NOV201130'],
  run: async (context): Promise<Result> => {
    const [event = ''] = context.args;
    const cart = await context.almanac.cart.add(event);
    const remarks = cart.already_unlocked === true ? [`${event} is unlocked already, so it is not in the cart.`] : [];
    return cartResult(context, cart, remarks);
  },
};

const remove: CommandSpec = {
  name: 'cart remove',
  summary: 'Remove an event from the cart',
  args: [{ name: 'EVENT' }],
  options: {},
  examples: ['almanac-data cart remove GENBTC15M-26NOV201130'],
  run: async (context): Promise<Result> => {
    const [event = ''] = context.args;
    return cartResult(context, await context.almanac.cart.remove(event));
  },
};

const checkout: CommandSpec = {
  name: 'cart checkout',
  summary: 'Buy what is in the cart',
  details: ['Prints the address where it is paid. Without a payment provider, the events are unlocked at once.'],
  args: [],
  options: {},
  examples: ['almanac-data cart checkout'],
  run: async (context): Promise<Result> => {
    const bought = await context.almanac.cart.checkout();
    const facts: (readonly [string, unknown])[] = [
      ['status', bought.status],
      ['total', money(bought.total)],
      ...(bought.checkout_url === null ? [] : [['pay at', bought.checkout_url] as const]),
      ...bought.unlocked.map((event) => ['unlocked', event] as const),
    ];
    return {
      json: context.answers(/\/cart\/checkout$/),
      items: [bought],
      lines: factsOf(facts, tableStyle(context, '').paint),
      remarks: bought.remarks ?? [],
    };
  },
};

export const cartCommands: readonly CommandSpec[] = [show, add, remove, checkout];
