/** Leaves the console for the payment provider. Only an address over HTTP is opened, never a script. */
export const goToPayment = (address: string): void => {
  const { protocol } = new URL(address);
  if (protocol === 'https:' || protocol === 'http:') location.assign(address);
};
