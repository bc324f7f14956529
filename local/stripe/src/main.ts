import { startFakeStripe } from './fake-stripe.js';
import { receiverAt } from './webhooks.js';

/**
 * The fake as a program, for manual tests: `STRIPE_SECRET_KEY=sk_test_x STRIPE_WEBHOOK_SECRET=whsec_x PORT=12111
 * WEBHOOK_URL=http://127.0.0.1:8080/webhooks/stripe node local/stripe/dist/main.js`. To pay, send a POST to the URL of
 * the page.
 */
const { PORT = '12111', STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, WEBHOOK_URL } = process.env;
const fakeStripe = await startFakeStripe({
  port: Number(PORT),
  ...(STRIPE_SECRET_KEY ? { secretKey: STRIPE_SECRET_KEY } : {}),
  ...(STRIPE_WEBHOOK_SECRET ? { webhookSecret: STRIPE_WEBHOOK_SECRET } : {}),
});
if (WEBHOOK_URL) fakeStripe.webhooks.send(receiverAt(WEBHOOK_URL));
process.stdout.write(`STRIPE_API_URL=${fakeStripe.url}\nSTRIPE_SECRET_KEY=${fakeStripe.secretKey}\n`);
process.stdout.write(`STRIPE_WEBHOOK_SECRET=${fakeStripe.webhookSecret}\n`);
