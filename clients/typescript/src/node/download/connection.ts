import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { type Blocks, blocksOf } from './blocks.js';

/** A connection whose answer is read in blocks once its head is known. */
export interface Connection {
  /** What Node's HTTP client uses: it sends the request, and reads the head of the answer. */
  readonly stream: Duplex;
  /** Whether the server was reached, also by TLS. */
  readonly isOpen: () => boolean;
  /** So many bytes follow. They no longer go through the HTTP client. */
  readonly readBlocks: (bytes: number) => Blocks;
  readonly close: (error?: Error) => void;
}

export const openConnection = (url: URL): Connection => {
  const blocks = blocksOf();
  // Undefined while the HTTP client reads.
  let left: number | undefined;
  let isOpen = false;
  const onread: OnReadOpts = {
    buffer: blocks.space,
    callback: (bytes, buffer) => {
      if (left === undefined) {
        stream.push(Buffer.from(buffer.subarray(0, bytes)));
        // Not more than one piece, because the body can begin with the next one.
        return false;
      }
      const isMore = blocks.arrived(Math.min(bytes, left));
      left -= bytes;
      if (left <= 0) close();
      return isMore;
    },
  };
  const socket = connectTo(url, onread);
  const stream = streamOf(socket);
  const close = (error?: Error): void => void socket.destroy(error);
  socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => (isOpen = true));
  socket.once('error', (error) => {
    blocks.end(error);
    stream.destroy(error);
  });
  socket.once('close', () => {
    blocks.end(left === undefined || left > 0 ? cutOff() : undefined);
    stream.push(null);
  });
  return {
    stream,
    isOpen: () => isOpen,
    readBlocks: (bytes) => {
      left = bytes;
      if (bytes === 0) close();
      return { ...blocks, next: () => (socket.resume(), blocks.next()) };
    },
    close,
  };
};

const cutOff = (): Error => Object.assign(new Error('The connection ended early.'), { code: 'ECONNRESET' });

const connectTo = (url: URL, onread: OnReadOpts): Socket => {
  const isTls = url.protocol === 'https:';
  const host = url.hostname.replaceAll(/[[\]]/g, '');
  const target = { host, port: Number(url.port || (isTls ? 443 : 80)), onread };
  if (!isTls) return connectTcp(target);
  const name = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ ...target, ...name, ALPNProtocols: ['http/1.1'] });
};

const streamOf = (socket: Socket): Duplex =>
  new Duplex({
    read: () => void socket.resume(),
    write: (bytes: Uint8Array, _encoding, done) => void socket.write(bytes, done),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
