/** The markets of an answer that comes page by page, in the order of tickers. */
export async function* pages<Market>(
  call: (after: string) => Promise<{ readonly markets: readonly Market[]; readonly next: string | null }>,
): AsyncGenerator<readonly Market[]> {
  for (let after: string | null = ''; after !== null;) {
    const { markets, next }: Awaited<ReturnType<typeof call>> = await call(after);
    yield markets;
    after = next;
  }
}
