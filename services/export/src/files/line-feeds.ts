export const lineFeed = 10;

export const lineFeedsIn = (chunk: Buffer): number => {
  let lines = 0;
  for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) lines += 1;
  return lines;
};
