import { z } from 'zod';

/** An e-mail address as its owner writes it, without surrounding blanks. */
export const email = z.string().trim().max(254).pipe(z.email());

/**
 * The person behind an account. It is stored where it can be erased, and never in an event, a log line or an error.
 * Only the operator's query may print it.
 */
export const person = z.object({ email, name: z.string().min(1).max(120).nullable() });
export type Person = z.infer<typeof person>;

/** An account by its id, or by its person's e-mail address in any case. */
export const accountName = z.union([z.object({ account: z.string().min(1) }), z.object({ email })]);
export type AccountName = z.infer<typeof accountName>;
