import { withTimeout } from '@almanac/runtime';

const silentMs = 1_000;
const requestsMax = 5;

/**
 * Sends a request again each second until one is answered. A request to a leader of a stream that dies is never answered,
 * and another leader may be there before its timeout. The earlier requests still count, because a busy server may answer
 * late. Only for requests that have the same effect once and twice. The first failure ends it, such as the request's
 * timeout.
 */
export const repeatWhileSilent = async <T>(send: () => Promise<T>): Promise<T> => {
  const sent: Promise<T>[] = [];
  for (;;) {
    const request = send();
    request.catch(() => undefined);
    sent.push(request);
    const first = Promise.race(sent);
    if (sent.length === requestsMax) return first;
    const answered = await withTimeout(
      silentMs,
      first.then((value) => ({ value })),
      () => null,
    );
    if (answered !== null) return answered.value;
  }
};
