export const quarterS = 900;
export const hourS = 3_600;
export const dayS = 86_400;

/** `26NOV201130`, in UTC. */
export const stamp = (second: number): string => {
  const [, day = '', month = '', year = '', hour = '', minute = ''] =
    /(\d\d) (\w{3}) \d\d(\d\d) (\d\d):(\d\d)/.exec(new Date(second * 1_000).toUTCString()) ?? [];
  return `${year}${month.toUpperCase()}${day}${hour}${minute}`;
};

/** `2026-11-20 11:30 UTC`. */
export const clock = (second: number): string =>
  `${new Date(second * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
