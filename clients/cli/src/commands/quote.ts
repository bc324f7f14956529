import type { ExportQuote } from '@almanac/client/node';
import type { CommandContext, CommandSpec, Result } from '../command.js';
import { factsOf } from '../output/table.js';
import { bytes, count, money } from '../output/values.js';
import { painterOf } from '../terminal.js';
import { requestOf, requestOptions } from './export-request.js';

type Option = ExportQuote['options'][number];

const grants: Readonly<Record<string, string>> = {
  unlock: 'an unlocked event',
  plan: 'your plan',
  free_credit: 'a free export credit',
};

/** What pays for an export. A newer server can have other grants. */
export const grantText = (grant: string | null | undefined): string | undefined =>
  grant === null || grant === undefined ? undefined : (grants[grant] ?? grant);

/** A newer server can sell in another way, so the rest of an option is shown as it is. */
const optionText = (option: Option): string => {
  const { type, price, ...details } = option;
  const texts = Object.values(details).filter((value): value is string => typeof value === 'string');
  return `${type.replaceAll('_', ' ')} ${texts.join(' ')} for ${money(price)}${type === 'upgrade' ? ' per month' : ''}`;
};

export const optionLines = (options: readonly Option[]): string[] => options.map((option) => `  ${optionText(option)}`);

const quote: CommandSpec = {
  name: 'quote',
  summary: 'Show what an export would cost and contain',
  details: ['It changes nothing.'],
  args: [],
  options: requestOptions,
  examples: ['almanac-data quote --event GENBTC15M-26NOV201130 --streams snapshots,l2'],
  run: async (context): Promise<Result> => {
    const found = await context.almanac.exports.quote(requestOf(context));
    return {
      json: context.answers(/\/exports$/),
      items: [found],
      lines: quoteLines(context, found),
      remarks: found.remarks,
    };
  },
};

const quoteLines = ({ terminal }: CommandContext, found: ExportQuote): string[] => {
  const { cost, grant, would } = found;
  return [
    ...factsOf(
      [
        ['rows', count(found.row_count)],
        ['size', `about ${bytes(found.bytes_estimate)}`],
        ['markets', count(found.markets)],
        ['covered by', grantText(grant) ?? 'nothing yet'],
        ['cost', cost === null ? (would === null ? 'nothing' : null) : money(cost)],
        ['status', would === null ? 'ready to export' : would.detail],
      ],
      painterOf(terminal, terminal.stdout),
    ),
    ...(found.options.length === 0 ? [] : ['You can buy one of:', ...optionLines(found.options)]),
  ];
};

export const quoteCommands: readonly CommandSpec[] = [quote];
