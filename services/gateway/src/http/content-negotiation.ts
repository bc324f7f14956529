import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

/** A form in which an answer may be had. */
export interface Form<Id extends string = string> {
  readonly id: Id;
  readonly mediaType: string;
  /** A text, which gets much smaller packed; other forms are packed inside. */
  readonly isText: boolean;
}

/** Names under which clients know a form that was standardized late; answers carry the form's own. */
const otherNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['application/x-ndjson', ['application/ndjson', 'application/jsonl']],
  ['application/vnd.apache.parquet', ['application/x-parquet', 'application/parquet']],
]);

/** Content codings that answers may come in, the one that costs least first. */
const encodings = ['zstd', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

interface NegotiationInput {
  readonly headers: Pick<IncomingHttpHeaders, 'accept' | 'accept-encoding'>;
}

const textsMax = 500;
const textLengthMax = 512;

/** Clients send the same few texts, so what one means is worked out once. */
const memoize = <Meaning>(read: (text: string) => Meaning): ((text: string) => Meaning) => {
  const memo = new LRUCache<string, { readonly meaning: Meaning }>({ max: textsMax });
  return (text) => {
    if (text.length > textLengthMax) return read(text);
    const before = memo.get(text);
    if (before !== undefined) return before.meaning;
    const meaning = read(text);
    memo.set(text, { meaning });
    return meaning;
  };
};

/** The part of the library that its types leave out: which one to take where the client has no preference. */
interface PreferenceNegotiator {
  encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined;
}

const readEncoding = memoize((text) => {
  const negotiator: PreferenceNegotiator = new Negotiator({ headers: { 'accept-encoding': text } });
  const chosen = negotiator.encoding([...encodings, 'identity'], { preferred: encodings });
  return encodings.find((encoding) => encoding === chosen);
});

/** The coding that `Accept-Encoding` asks for; none where it names none of ours. */
export const negotiateEncoding = ({ headers }: NegotiationInput): Encoding | undefined => {
  const text = headers['accept-encoding'];
  return text === undefined ? undefined : readEncoding(text);
};

/** Which of these forms `Accept` asks for: the first of them without a wish, and where none of them would do. */
export const negotiateForm = <Id extends string>(
  forms: readonly [Form<Id>, ...Form<Id>[]],
): ((request: NegotiationInput) => Form<Id>) => {
  const [usual] = forms;
  // Where a client likes several as much, the first is taken: every form's own name stands before the others.
  const byName = new Map([
    ...forms.map((form) => [form.mediaType, form] as const),
    ...forms.flatMap((form) => mediaTypeAliases(form).map((name) => [name, form] as const)),
  ]);
  const names = [...byName.keys()];
  const read = memoize((text) => {
    const chosen = new Negotiator({ headers: { accept: text } }).mediaType(names);
    return (chosen === undefined ? undefined : byName.get(chosen)) ?? usual;
  });
  return ({ headers: { accept } }) => (accept === undefined || accept === '*/*' ? usual : read(accept));
};

const mediaTypeAliases = ({ mediaType, isText }: Form): string[] => {
  const aliases = otherNames.get(mediaType) ?? [];
  // Our texts are UTF-8, so a client that says so means them.
  return isText ? [...aliases, ...[mediaType, ...aliases].map((name) => `${name};charset=utf-8`)] : [...aliases];
};
