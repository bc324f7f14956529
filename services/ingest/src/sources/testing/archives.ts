import { crc32, deflateRawSync } from 'node:zlib';

type Entries = readonly (readonly [name: string, content: string | Uint8Array])[];

/** A zip with the entries deflated, or stored if that is smaller. */
export const zipOf = (entries: Entries): Buffer => {
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
    directory.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), common, central, Buffer.from(name));
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
  return Buffer.concat([...parts, listed, end]);
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
