import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A destination that is refused. Its message is for the owner of the webhook. */
export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError';
}

export interface Addresses {
  /** The URL of a webhook, checked without DNS. Throws RefusedAddressError. */
  urlOf(text: string): URL;
  /** Resolves a name once and answers only checked addresses, so a connection is made to an address that was checked. */
  readonly lookup: LookupFunction;
}

type Resolve = (
  hostname: string,
  answer: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

const systemResolve: Resolve = (hostname, answer) => lookup(hostname, { all: true }, answer);

const notPublic = 'The address is not public.';

/** `loopback`: addresses of this machine are allowed, with `http`, too. For development. */
export const addresses = (loopback: boolean, resolve: Resolve = systemResolve): Addresses => {
  const isAllowed = (address: string): boolean => isPublic(address) || (loopback && isLoopback(address));
  return {
    urlOf: (text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      // `URL` removes white space, so a stored address would differ from the one that is sent to.
      if (url === undefined || /\s/.test(text)) throw new RefusedAddressError('This is not a URL.');
      if (url.username !== '' || url.password !== '')
        throw new RefusedAddressError('The URL may not have a user name or a password.');
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const isOwn = loopback && (host === 'localhost' || (isIP(host) !== 0 && isLoopback(host)));
      if (url.protocol !== 'https:' && !(isOwn && url.protocol === 'http:'))
        throw new RefusedAddressError('The URL must begin with https://.');
      if (isIP(host) !== 0 && !isAllowed(host)) throw new RefusedAddressError(notPublic);
      if (!isOwn && /(?:^|\.)(?:localhost|local|internal|localdomain)\.?$/.test(host))
        throw new RefusedAddressError(notPublic);
      return url;
    },
    lookup: (hostname, options, answer) => {
      resolve(hostname, (error, found) => {
        if (error !== null) return answer(error, []);
        // One private address among public ones is no mistake of a public host.
        if (found.length === 0 || !found.every(({ address }) => isAllowed(address)))
          return answer(new RefusedAddressError(notPublic), []);
        const [first] = found;
        if (options.all === true) answer(null, found);
        else answer(null, first?.address ?? '', first?.family);
      });
    },
  };
};

/** IPv6 without the ranges that lead to IPv4 or are not assigned. */
const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address belongs to the public internet. `unicast` excludes private, shared (CGNAT), link-local (the metadata
 * service of clouds), loopback, multicast, reserved, mapped, 6to4, Teredo and NAT64 addresses.
 */
export const isPublic = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(globalIpv6);
};

const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
