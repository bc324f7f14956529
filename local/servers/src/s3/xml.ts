import type { ServerResponse } from 'node:http';
import { S3Error } from './errors.js';

/** An object becomes an element per name, a list an element per value. */
type XmlValue = string | number | boolean | XmlValue[] | { readonly [name: string]: XmlValue };

export const sendXml = (res: ServerResponse, status: number, name: string, value: XmlValue): void => {
  const body = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${element(name, value)}`);
  res.writeHead(status, { 'content-type': 'application/xml', 'content-length': body.length }).end(body);
};

const element = (name: string, value: XmlValue): string => {
  if (Array.isArray(value)) return value.map((one) => element(name, one)).join('');
  if (typeof value !== 'object') return `<${name}>${escape(String(value))}</${name}>`;
  const children = Object.entries(value).map(([child, one]) => element(child, one));
  return `<${name}>${children.join('')}</${name}>`;
};

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;');

export interface CompletedPart {
  readonly number: number;
  /** Without quotes. */
  readonly etag: string;
}

/** Parses the body of CompleteMultipartUpload, the only XML that this server accepts, as clients write it. */
export const parseParts = (text: string): CompletedPart[] => {
  const parts = [...text.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
    number: Number(/<PartNumber>\s*(\d{1,5})\s*<\/PartNumber>/.exec(part)?.[1]),
    etag: (/<ETag>([^<]*)<\/ETag>/.exec(part)?.[1] ?? '').replaceAll(/"|&quot;|&#34;|\s/g, ''),
  }));
  if (parts.length === 0 || parts.some(({ number, etag }) => Number.isNaN(number) || etag === '')) {
    throw new S3Error('MalformedXML', 'The body is not a list of parts with number and ETag.');
  }
  return parts;
};
