import { useSearchParams } from 'wouter';
import { pushSearch } from './search-of-address.js';
import { useSession } from './use-session.js';

const latest = 4_102_444_800;

/** Whole Unix seconds of the address, or undefined for now. */
const asOfIn = (text: string | null): number | undefined =>
  text !== null && /^\d{1,10}$/.test(text) && Number(text) <= latest ? Number(text) : undefined;

/** The earlier of the time in the address and the fence of the key. Every call of a data screen passes it. */
export const useAsOf = (): number | undefined => {
  const [params] = useSearchParams();
  const fence = useSession()?.as_of ?? undefined;
  const chosen = asOfIn(params.get('as_of'));
  if (chosen === undefined || fence === undefined) return chosen ?? fence;
  return Math.min(chosen, fence);
};

/** The time is in the address, so that a link shows others the same. */
export const setAsOf = (as_of: number | undefined): void => {
  const params = new URLSearchParams(location.search);
  if (as_of === undefined) params.delete('as_of');
  else params.set('as_of', String(as_of));
  pushSearch(params);
};
