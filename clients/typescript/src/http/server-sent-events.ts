/** One event of a stream of server-sent events. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
  /** The last id so far, for `Last-Event-ID`. */
  readonly id: string | undefined;
}

/** Parses a stream of server-sent events. Comments, which only keep a connection open, give no event. */
export async function* serverSentEvents(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  let fields = { event: '', data: [] as string[] };
  let id: string | undefined;
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (fields.data.length > 0) yield { event: fields.event || 'message', data: fields.data.join('\n'), id };
        fields = { event: '', data: [] };
        continue;
      }
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
      if (name === 'event') fields.event = value;
      else if (name === 'data') fields.data.push(value);
      else if (name === 'id') id = value;
    }
  }
}
