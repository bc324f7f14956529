import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import ipaddr from 'ipaddr.js';
import { publicResolve, type Resolve, systemResolve } from './resolve.js';

/** A destination that is refused. Its message is for the owner of the webhook. */
export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError';
}

export type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

export interface Addresses {
  /** The URL of a webhook, checked without DNS. Throws RefusedAddressError. */
  urlOf(text: string): URL;
  /** For a checked URL. Resolves a name once and answers only checked addresses, so a connection is made to one of them. */
  lookupOf(url: URL): LookupFunction;
  /**
   * Checks a new URL as each delivery does, with DNS. A name without an answer in time is accepted: each delivery looks
   * it up again. Throws RefusedAddressError.
   */
  check(text: string): Promise<void>;
}

const remedy = 'The operator can allow a network with WEBHOOK_ALLOWED_NETWORKS.';
const notPublic = `The address is not public. ${remedy}`;

/** Ports of public receivers. Others would let an account try which ports of a public host are open. */
const publicPorts = new Set(['443', '8443']);

/** Names that only a private network has: without a dot, or under one of these. */
const privateName =
  /^[^.]+\.?$|(?:^|\.)(?:localhost|local|localdomain|internal|svc|lan|home|corp|intranet|home\.arpa)\.?$/;

/** Servers of private names belong to the operator. Anybody may have a server of public names that never answers. */
const resolveByName: Resolve = (hostname, answer) =>
  (privateName.test(hostname) ? systemResolve : askServers)(hostname, answer);
const askServers = publicResolve();

const checkMs = 1_000;

/** `networks` are allowed beside public addresses: with `http`, with any port and with private names. */
export const addresses = (networks: readonly Network[], resolve: Resolve = resolveByName): Addresses => {
  const isOwn = (address: string): boolean => ipaddr.isValid(address) && isIn(networks, ipaddr.process(address));
  const lookupOf =
    (url: URL): LookupFunction =>
    (hostname, options, answer) => {
      const isAllowed = isForNetwork(url) ? isOwn : (address: string) => isPublic(address) || isOwn(address);
      resolve(hostname, (error, found) => {
        if (error !== null) return answer(error, []);
        // One private address among public ones is no mistake of a public host.
        if (found.length === 0 || !found.every(({ address }) => isAllowed(address)))
          return answer(new RefusedAddressError(notPublic), []);
        const [first] = found;
        if (options.all === true) answer(null, found);
        else answer(null, first?.address ?? '', first?.family);
      });
    };
  const urlOf = (text: string): URL => {
    const url = parse(text);
    const host = hostOf(url);
    const isAddress = isIP(host) !== 0;
    if (isAddress ? isOwn(host) : networks.length > 0) return url;
    if (url.protocol === 'http:') throw new RefusedAddressError(`The URL must begin with https://. ${remedy}`);
    if (isAddress ? !isPublic(host) : privateName.test(host)) throw new RefusedAddressError(notPublic);
    if (isForNetwork(url)) throw new RefusedAddressError(`The port must be 443 or 8443. ${remedy}`);
    return url;
  };
  return {
    urlOf,
    lookupOf,
    check: async (text) => {
      const url = urlOf(text);
      const host = hostOf(url);
      if (isIP(host) !== 0) return;
      const found = promisify(lookupOf(url))(host, { all: true }).catch((error: unknown) => {
        if (error instanceof RefusedAddressError) throw error;
      });
      await Promise.race([found, new Promise((done) => setTimeout(done, checkMs).unref())]);
    },
  };
};

/** Throws RefusedAddressError for what no network makes right. */
const parse = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // `URL` removes white space and encodes control characters, so a stored address would differ from the one that is sent to.
  if (url === undefined || /[\s\p{Cc}]|%00/u.test(text)) throw new RefusedAddressError('This is not a URL.');
  if (url.username !== '' || url.password !== '')
    throw new RefusedAddressError('The URL may not have a user name or a password.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new RefusedAddressError('The URL must begin with https://.');
  if (url.port === '0') throw new RefusedAddressError('The port must be 443 or 8443.');
  return url;
};

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** Whether only an address of an allowed network is right for it. */
const isForNetwork = ({ protocol, port }: URL): boolean =>
  protocol === 'http:' || (port !== '' && !publicPorts.has(port));

const isIn = (networks: readonly Network[], address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  networks.some(([network, bits]) => network.kind() === address.kind() && address.match([network, bits]));

/** Networks as `192.168.0.0/16`, separated by commas. Throws for other text. */
export const networksOf = (text: string): Network[] =>
  text.split(',').map((one) => {
    const network = one.trim();
    if (network.includes('/')) return ipaddr.parseCIDR(network);
    const address = ipaddr.parse(network);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  });

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
