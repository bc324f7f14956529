/**
 * Changes what follows the path of the address, and leaves the path as it is. The router, which notices the change, writes
 * paths without the escapes of ids: `%41` would become `A`.
 */
const changeSearch = (params: URLSearchParams, change: (address: string) => void): void => {
  const search = params.toString();
  const address = `${location.pathname}${search === '' ? '' : `?${search}`}`;
  if (address !== `${location.pathname}${location.search}`) change(address);
};

/** In the same entry of the history. */
export const replaceSearch = (params: URLSearchParams): void =>
  changeSearch(params, (address) => history.replaceState(history.state, '', address));

/** As a new entry: Back leads to the address before. */
export const pushSearch = (params: URLSearchParams): void =>
  changeSearch(params, (address) => history.pushState(null, '', address));
