import { type ExportQuote, type GrantQuote, missingRowsOf, type QuotedPart } from '@almanac/contracts';
import type { Size } from './quote-export.query.js';
import type { RequestPart, ResolvedRequest } from './resolve-request.js';

/** What pays for each part of a request, and its size. */
export const quotedParts = (
  { parts, claim, exportQuery }: ResolvedRequest,
  quote: GrantQuote,
  { total, partSizes }: { total: Size; partSizes: readonly Size[] },
): ExportQuote['parts'] => {
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) {
    const { grant, cost, refusal } = quote;
    return [{ ...targetOf(only), ...rowsOf(total), grant, cost, reason: refusal?.detail ?? null }];
  }
  // Only days with rows of a split request are priced, so the prices are taken in order.
  const prices = quote.parts.values();
  const areOwnFiles = claim.split === true;
  const noRows = `The archive has no ${missingRowsOf(exportQuery.streams)} on this day.`;
  return parts.map((part, index) => {
    const priced = part.has_rows || !areOwnFiles ? prices.next().value : undefined;
    const covered = coveredBy(part, priced);
    return { ...targetOf(part), ...rowsOf(partSizes[index]), ...covered, ...(part.has_rows ? {} : { reason: noRows }) };
  });
};

const targetOf = ({ day, event }: RequestPart) => ({ day, event });
const rowsOf = (size?: Size) => ({ row_count: size?.row_count ?? 0, markets: size?.markets ?? 0 });

const coveredBy = (
  part: RequestPart,
  priced: GrantQuote['parts'][number] | undefined,
): Pick<QuotedPart, 'grant' | 'cost' | 'reason'> => {
  const { grant = null, cost = null, locked_n = 0 } = priced ?? {};
  if (grant !== null) return { grant, cost, reason: null };
  if (part.events.length === 0) {
    return { grant, cost, reason: 'Your plan does not cover this part, and its markets belong to no event for sale.' };
  }
  const locked = `${locked_n} of its ${part.events.length} events are not unlocked`;
  return { grant, cost, reason: `Your plan does not cover this part, and ${locked}.` };
};
