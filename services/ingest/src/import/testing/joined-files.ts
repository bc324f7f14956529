export const joinedStartMs = 1_786_399_200_000;

const tokens = ['6581861965756881347', '6581861965756881348'] as const;
const json = (value: unknown): string => JSON.stringify(value);

const frame = (second: number, message: object): string =>
  json({
    recv_ms: joinedStartMs + second * 1_000,
    event: { ...message, market: '0xaa', timestamp: String(joinedStartMs + second * 1_000) },
  });

/** Frames that name tokens, and the catalogue that says whose they are. */
export const joinedFiles: Readonly<Record<'gamma.json' | 'frames.jsonl', string>> = {
  'gamma.json': json([
    {
      slug: 'x-joined',
      conditionId: '0xaa',
      question: 'Joined?',
      outcomes: '["Yes","No"]',
      clobTokenIds: json(tokens),
      active: true,
      closed: false,
      createdAt: new Date(joinedStartMs - 60_000).toISOString(),
    },
  ]),
  'frames.jsonl': [
    frame(1, { event_type: 'book', asset_id: tokens[0], bids: [{ price: '0.5', size: '7' }], asks: [] }),
    frame(2, {
      event_type: 'price_change',
      price_changes: [{ asset_id: tokens[0], price: '0.52', size: '5', side: 'BUY' }],
    }),
    frame(3, { event_type: 'last_trade_price', asset_id: tokens[1], price: '0.4', size: '1', side: 'BUY' }),
  ].join('\n'),
};
