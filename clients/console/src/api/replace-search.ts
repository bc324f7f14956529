/** Changes what follows the path. Not by the router, whose paths lose the escapes of ids. It notices the change. */
export const replaceSearch = (params: URLSearchParams): void => {
  const search = params.toString();
  const address = `${location.pathname}${search === '' ? '' : `?${search}`}`;
  if (address !== `${location.pathname}${location.search}`) history.replaceState(history.state, '', address);
};
