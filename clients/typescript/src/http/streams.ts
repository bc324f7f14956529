/** A stream of what a generator yields. Without a queue of its own, a stream that nobody reads requests nothing. */
export const streamOf = (read: () => AsyncGenerator<Uint8Array, void, undefined>): ReadableStream<Uint8Array> => {
  const pieces = read();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => {
        await pieces.return();
      },
    },
    { highWaterMark: 0 },
  );
};
