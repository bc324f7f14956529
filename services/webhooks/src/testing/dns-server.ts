import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The addresses of one answer. A name among them is an alias, whose own answer comes next. */
export type Answer = readonly string[];

export interface DnsServer {
  /** Each question takes the next answer of its name. The last one stays. Names under `silent` get none. */
  readonly answers: Map<string, Answer[]>;
  /** The names of all questions for an IPv4 address, in order. */
  readonly queries: string[];
  /** Where it listens, for a resolver of c-ares. */
  readonly address: string;
  stop(): void;
}

const types = { A: 1, CNAME: 5, AAAA: 28 } as const;

/** A DNS server on 127.0.0.1, at port 53 where a resolver of the system asks. 0 takes a free one. */
export const startDnsServer = async (port = 53): Promise<DnsServer> => {
  const answers = new Map<string, Answer[]>();
  const queries: string[] = [];
  /** A resolver asks for both types of one look-up, which must not take two answers. */
  const current = new Map<string, { readonly answer: Answer; readonly types: Set<number> }>();
  const answerOf = (name: string, type: number): Answer => {
    const now = current.get(name);
    if (now !== undefined && !now.types.has(type)) {
      now.types.add(type);
      return now.answer;
    }
    const list = answers.get(name) ?? [];
    const [answer = []] = list.length > 1 ? list.splice(0, 1) : list;
    current.set(name, { answer, types: new Set([type]) });
    return answer;
  };
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    const { name, type, end } = questionOf(message);
    if (type === types.A) queries.push(name);
    if (name.endsWith('.silent')) return;
    const records = answerOf(name, type).flatMap((text) => recordsOf(text, type, answers));
    const head = Buffer.from(message.subarray(0, 12));
    head.writeUInt16BE(0x81_80, 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, message.subarray(12, end), ...records]), from.port, from.address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return { answers, queries, address: `127.0.0.1:${socket.address().port}`, stop: () => socket.close() };
};

const questionOf = (message: Buffer): { name: string; type: number; end: number } => {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
};

const recordsOf = (text: string, type: number, answers: DnsServer['answers']): Buffer[] => {
  if (!ipaddr.isValid(text)) {
    const [target = []] = answers.get(text) ?? [];
    const own = target.flatMap((one) => (typeOf(one) === type ? [recordOf(one, nameBytes(text))] : []));
    return [record(questionName, types.CNAME, nameBytes(text)), ...own];
  }
  return typeOf(text) === type ? [recordOf(text, questionName)] : [];
};

const typeOf = (address: string): number => (isIPv6(address) ? types.AAAA : types.A);
const recordOf = (address: string, owner: Buffer): Buffer =>
  record(owner, typeOf(address), Buffer.from(ipaddr.parse(address).toByteArray()));

/** A pointer to the name of the question. */
const questionName = Buffer.from([0xc0, 12]);
const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from(`${String.fromCodePoint(label.length)}${label}`)),
    Buffer.from([0]),
  ]);

/** Nobody may keep it: its time to live is 0. */
const record = (owner: Buffer, type: number, data: Buffer): Buffer => {
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(type, 0);
  fields.writeUInt16BE(1, 2);
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fields, data]);
};
