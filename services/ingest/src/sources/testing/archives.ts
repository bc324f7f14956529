import { crc32, deflateRawSync } from 'node:zlib';

type Entries = readonly (readonly [name: string, content: string | Uint8Array])[];

/** A zip with the entries deflated, or stored if that is smaller. `isZip64`: with the fields of archives above 4 GB. */
export const zipOf = (entries: Entries, { isZip64 = false } = {}): Buffer => {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, content] of entries) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const method = packed.length < bytes.length ? 8 : 0;
    const data = method === 8 ? packed : bytes;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), data]);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(at, 10);
    const large = isZip64 ? largeFields(common, central, at) : Buffer.alloc(0);
    directory.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), common, central, Buffer.from(name), large);
    parts.push(local);
    at += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  if (!isZip64) return Buffer.concat([...parts, listed, end]);
  end.fill(0xff, 8, 20);
  return Buffer.concat([...parts, listed, ...largeEnd(entries.length, { size: listed.length, at }), end]);
};

/** Moves the sizes and the place of an entry into its extra field. */
const largeFields = (common: Buffer, central: Buffer, at: number): Buffer => {
  const fields = Buffer.alloc(28);
  fields.writeUInt16LE(1, 0);
  fields.writeUInt16LE(24, 2);
  fields.writeBigUInt64LE(BigInt(common.readUInt32LE(18)), 4);
  fields.writeBigUInt64LE(BigInt(common.readUInt32LE(14)), 12);
  fields.writeBigUInt64LE(BigInt(at), 20);
  common.fill(0xff, 14, 22);
  common.writeUInt16LE(fields.length, 24);
  central.fill(0xff, 10, 14);
  return fields;
};

/** The end of a large directory, and where it is. */
const largeEnd = (entries: number, { size, at }: { readonly size: number; readonly at: number }): readonly Buffer[] => {
  const end = Buffer.alloc(56);
  end.write('PK\x06\x06', 'latin1');
  end.writeBigUInt64LE(44n, 4);
  end.writeUInt16LE(45, 12);
  end.writeUInt16LE(45, 14);
  for (const place of [24, 32]) end.writeBigUInt64LE(BigInt(entries), place);
  end.writeBigUInt64LE(BigInt(size), 40);
  end.writeBigUInt64LE(BigInt(at), 48);
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07', 'latin1');
  locator.writeBigUInt64LE(BigInt(at + size), 8);
  locator.writeUInt32LE(1, 16);
  return [end, locator];
};

/** A tar. A name of more than 100 bytes has a pax header. */
export const tarOf = (entries: Entries): Buffer => {
  const parts: Buffer[] = [];
  const add = (name: string, type: string, bytes: Buffer): void => {
    const header = Buffer.alloc(512);
    header.write(name.slice(0, 100));
    header.write('0000644\0', 100);
    header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write('        ', 148);
    header.write(type, 156);
    header.write('ustar\x0000', 257);
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    parts.push(header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512));
  };
  for (const [name, content] of entries) {
    if (Buffer.byteLength(name) > 100) add('pax', 'x', paxRecord(`path=${name}`));
    add(name, '0', Buffer.from(content));
  }
  return Buffer.concat([...parts, Buffer.alloc(1_024)]);
};

const paxRecord = (text: string): Buffer => {
  let length = text.length + 3;
  while (`${length} ${text}\n`.length !== length) length += 1;
  return Buffer.from(`${length} ${text}\n`);
};
