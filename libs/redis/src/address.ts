/** Where Redis is, from REDIS_URL. */
export type RedisAddress =
  | { readonly kind: 'server'; readonly url: string; readonly tls: boolean }
  | (Servers & { readonly kind: 'cluster' })
  | (Servers & { readonly kind: 'sentinel'; readonly name: string });

interface Servers {
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly tls: boolean;
  /** In front of the hosts: the login of the Sentinels, or of the cluster. */
  readonly username?: string;
  readonly password?: string;
}

export const redisUrlForms =
  'must be redis://HOST:PORT, redis+sentinel://HOST:PORT,HOST:PORT/NAME or redis+cluster://HOST:PORT,HOST:PORT, with rediss for TLS';

const portOf = { sentinel: 26_379, cluster: 6_379 } as const;
const manyHosts = /^(rediss?)\+(sentinel|cluster):\/\/(?:([^/@]*)@)?([^/?#@]+)(?:\/([^/?#]*))?$/;
const oneHost = /^(\[[\da-fA-F:]+\]|[\w.-]+)(?::(\d{1,5}))?$/;

/** Undefined if the text is no address of Redis. */
export const parseRedisUrl = (text: string): RedisAddress | undefined => {
  if (/^rediss?:\/\//.test(text))
    return isServerUrl(text) ? { kind: 'server', url: text, tls: text.startsWith('rediss:') } : undefined;
  const [, scheme, kind, login, list = '', name = ''] = manyHosts.exec(text) ?? [];
  if (kind !== 'sentinel' && kind !== 'cluster') return undefined;
  const hosts = list.split(',').map((host) => parseHost(host, portOf[kind]));
  if (!hosts.every((host) => host !== undefined)) return undefined;
  const servers = { hosts, tls: scheme === 'rediss', ...parseLogin(login) };
  if (kind === 'cluster') return name === '' ? { kind, ...servers } : undefined;
  return name === '' ? undefined : { kind, ...servers, name: decodeURIComponent(name) };
};

/** The servers that an address names. */
export const hostsOf = (address: RedisAddress): Servers['hosts'] => {
  if (address.kind !== 'server') return address.hosts;
  const { hostname, port } = new URL(address.url);
  return [{ host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port || portOf.cluster) }];
};

const isServerUrl = (text: string): boolean => URL.canParse(text) && new URL(text).hostname !== '';

const parseHost = (text: string, defaultPort: number) => {
  const [, host, port] = oneHost.exec(text) ?? [];
  return host === undefined ? undefined : { host: host.replaceAll(/[[\]]/g, ''), port: Number(port ?? defaultPort) };
};

const parseLogin = (text: string | undefined) => {
  if (text === undefined) return {};
  const [username = '', ...password] = text.split(':');
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password.length === 0 ? {} : { password: decodeURIComponent(password.join(':')) }),
  };
};
