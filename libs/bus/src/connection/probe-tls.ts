import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { type Validity, validityOfServer, withTimeout } from '@almanac/runtime';
import { type BusTls, readTls, requiredTls } from './tls.js';
import { noTlsFault, tlsFaultOf, wantsCertificateFault } from './tls-faults.js';

const probeMs = 2_000;

interface ServerInfo {
  readonly tls_required?: boolean;
  readonly tls_available?: boolean;
  readonly tls_verify?: boolean;
}

/**
 * Why TLS with the first server that has a fault does not work, as a sentence without its full stop. Null if no server has a
 * fault, or none answers. The client does not tell this: it keeps the reason of a reconnection that fails, and a server refuses
 * a certificate only after the client takes the connection for established.
 */
export const probeTls = async (url: string, tls: BusTls | undefined): Promise<string | null> => {
  for (const server of url.split(',')) {
    const fault = await probeServer(server, requiredTls(url, tls));
    if (fault !== null) return fault;
  }
  return null;
};

const probeServer = (url: string, tls: BusTls | undefined): Promise<string | null> =>
  onConnection(url, (socket, host) => faultAt(socket, host, tls)).catch(tlsFaultOf);

/** The present certificate of a server, which an established connection does not show. Null: the server has no TLS, or is away. */
export const readServerCertificate = (url: string, tls: BusTls): Promise<Validity | null> =>
  onConnection(url, async (socket, host) => {
    const info = await readInfo(socket);
    return info !== null && offersTls(info) ? validityOfServer({ ...(await readTls(tls)), socket, host }) : null;
  });

/** A connection of its own, which ends with the work. Null if that takes too long. */
const onConnection = async <Found>(
  url: string,
  work: (socket: Socket, host: string) => Promise<Found>,
): Promise<Found | null> => {
  const { hostname, port } = new URL(url.includes('://') ? url : `nats://${url}`);
  const host = hostname.replaceAll(/[[\]]/g, '');
  const socket = failingQuietly(connect({ host, port: Number(port || 4222) }));
  try {
    return await withTimeout(probeMs, work(socket, host), () => null);
  } finally {
    socket.destroy();
  }
};

const offersTls = ({ tls_required: isRequired, tls_available: isAvailable }: ServerInfo): boolean =>
  isRequired === true || isAvailable === true;

/** An error that nobody waits for, as while files are read, would end the process. */
const failingQuietly = <S extends Socket>(socket: S): S => socket.on('error', () => undefined);

const faultAt = async (socket: Socket, host: string, tls: BusTls | undefined): Promise<string | null> => {
  const info = await readInfo(socket);
  if (info === null) return null;
  if (!offersTls(info)) return tls === undefined ? null : noTlsFault;
  const files = await readTls(tls ?? {});
  if (info.tls_verify === true && files.cert === undefined) return wantsCertificateFault;
  // While the files were read, the server may have closed the connection.
  return socket.destroyed || socket.readableEnded ? null : tryTls(socket, { host, files });
};

/** The first line of a server. Null if it sends none. */
const readInfo = async (socket: Socket): Promise<ServerInfo | null> => {
  let text = '';
  while (!text.includes('\r\n')) {
    const chunk = await next(socket);
    if (chunk === null) return null;
    text += chunk.toString();
  }
  const [, json] = /^INFO (\{.*\})\s*\r\n/.exec(text) ?? [];
  const parsed: unknown = json === undefined ? null : JSON.parse(json);
  return typeof parsed === 'object' ? parsed : null;
};

/** The next bytes, or null at the end. Rejects with the error of the socket. */
const next = async (socket: Socket | TLSSocket): Promise<Buffer | null> => {
  const over = new AbortController();
  const { signal } = over;
  try {
    const closed = once(socket, 'close', { signal }).then(() => null);
    const data = once(socket, 'data', { signal }).then(([chunk]: unknown[]) =>
      chunk instanceof Buffer ? chunk : null,
    );
    return await Promise.race([data, closed]);
  } finally {
    over.abort();
  }
};

/** A server answers whatever it is sent once it has accepted the certificate. */
const tryTls = async (socket: Socket, { host, files }: { host: string; files: ConnectionOptions }): Promise<null> => {
  const secured = failingQuietly(
    connectTls({
      socket,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...files,
      checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
    }),
  );
  secured.write('PING\r\n');
  await next(secured);
  return null;
};
