// Ends with 0 if npm run test:containers can run here, and otherwise with 1 and the reason.
import { main } from '../steps.mjs';
import { whyNoEngine } from './engine.mjs';

await main(async () => {
  const reason = await whyNoEngine();
  if (reason === undefined) return 0;
  console.log(reason);
  return 1;
});
